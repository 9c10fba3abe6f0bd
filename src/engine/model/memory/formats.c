/*
 * See formats.h. Formats are parsed like in libc, to take the arguments one by one. After an unknown part (a
 * conversion that the program has registered, numbered arguments, `%1$s`), the remaining arguments are ignored.
 */
#include "engine/model/memory/formats.h"
#include <stddef.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#include "engine/core/engine.h"
#include "engine/under/poison.h"

struct walk {
	const void *format;
	size_t at;
	bool wide;
	bool dropped;   /* scanf: `*`, not assigned */
	bool allocates; /* scanf: `m` */
	int width;      /* -1: none */
	int precision;  /* printf; -1: none */
	unsigned size;  /* of an integer: 1, 2, 4, 8 */
	bool is_long, is_long_double;
	unsigned conversion;
};

static unsigned
look(const struct walk *w)
{
	return w->wide ? (unsigned)((const wchar_t *)w->format)[w->at] : ((const unsigned char *)w->format)[w->at];
}

static bool
skip(struct walk *w, unsigned c)
{
	if (look(w) != c)
		return false;
	w->at++;
	return true;
}

static int
number(struct walk *w)
{
	int n = -1;

	for (; look(w) >= '0' && look(w) <= '9'; w->at++)
		n = (n < 0 ? 0 : n > 100000000 ? n : n * 10) + (int)(look(w) - '0');
	return n;
}

static void
length(struct walk *w)
{
	w->size = 4;
	w->is_long = w->is_long_double = false;
	for (;; w->at++)
		switch (look(w)) {
		case 'h':
			w->size /= 2;
			break;
		case 'l':
		case 'j':
		case 'z':
		case 'Z':
		case 't':
		case 'q':
			w->size = 8;
			w->is_long = true;
			break;
		case 'L':
			w->size = 8;
			w->is_long_double = true;
			break;
		default:
			return;
		}
}

/* Moves to the next conversion; false at the end, or before an unknown part. */
static bool
next(struct walk *w)
{
	while (look(w) && look(w) != '%')
		w->at++;
	if (!look(w))
		return false;
	w->at++;
	w->dropped = w->allocates = false;
	w->width = w->precision = -1;
	return true;
}

static bool
ends(struct walk *w)
{
	w->conversion = look(w);
	w->at += w->conversion != 0;
	return w->conversion != 0;
}

static size_t
string_length(const char *s, int limit)
{
	size_t n = 0;

	while ((limit < 0 || n < (size_t)limit) && s[n])
		n++;
	return limit < 0 || n < (size_t)limit ? n + 1 : n;
}

static size_t
wide_length(const wchar_t *s, int limit)
{
	size_t n = 0;

	while ((limit < 0 || n < (size_t)limit) && s[n])
		n++;
	return (limit < 0 || n < (size_t)limit ? n + 1 : n) * sizeof(wchar_t);
}

static void
read_argument(const struct walk *w, const void *s, uint64_t pc)
{
	if (!s)
		return;
	sl_access_range(s,
			w->conversion == 'S' || w->is_long ? wide_length(s, w->precision)
							   : string_length(s, w->precision),
			SL_OP_READS, pc);
}

/* after: announces what %n has written; else strings that are read. */
static void
print(const void *format, bool wide, va_list arguments, bool after, uint64_t pc)
{
	struct walk w = {.format = format, .wide = wide};
	va_list list;

	va_copy(list, arguments);
	while (next(&w)) {
		while (skip(&w, '-') || skip(&w, '+') || skip(&w, ' ') || skip(&w, '#') || skip(&w, '0') ||
		       skip(&w, '\'') || skip(&w, 'I'))
			;
		if (skip(&w, '*'))
			(void)va_arg(list, int);
		else
			w.width = number(&w);
		if (look(&w) == '$')
			break;
		if (skip(&w, '.')) {
			if (skip(&w, '*')) {
				w.precision = va_arg(list, int); /* negative: none */
			} else {
				w.precision = number(&w);
				w.precision = w.precision < 0 ? 0 : w.precision; /* only a dot */
			}
		}
		length(&w);
		if (!ends(&w))
			break;
		switch (w.conversion) {
		case '%':
		case 'm':
			continue;
		case 'd':
		case 'i':
		case 'o':
		case 'u':
		case 'x':
		case 'X':
			if (w.size == 8)
				(void)va_arg(list, long);
			else
				(void)va_arg(list, int);
			continue;
		case 'c':
		case 'C':
			(void)va_arg(list, int);
			continue;
		case 'e':
		case 'E':
		case 'f':
		case 'F':
		case 'g':
		case 'G':
		case 'a':
		case 'A':
			if (w.is_long_double)
				(void)va_arg(list, long double);
			else
				(void)va_arg(list, double);
			continue;
		case 'p':
			(void)va_arg(list, void *);
			continue;
		case 's':
		case 'S': {
			const void *s = va_arg(list, const void *);

			if (!after)
				read_argument(&w, s, pc);
			continue;
		}
		case 'n': {
			const void *n = va_arg(list, const void *);

			if (after)
				sl_access_done(n, w.size, pc);
			continue;
		}
		default:
			break;
		}
		break;
	}
	va_end(list);
}

void
sl_format_print(const void *format, bool wide, va_list list, uint64_t pc)
{
	print(format, wide, list, false, pc);
}

void
sl_format_printed(const void *format, bool wide, va_list list, uint64_t pc)
{
	print(format, wide, list, true, pc);
}

static void
pass_set(struct walk *w)
{
	skip(w, '^');
	skip(w, ']');
	while (look(w) && look(w) != ']')
		w->at++;
	skip(w, ']');
}

/*
 * Returns the number of bytes that a successful conversion has written there. (A %n after the successful ones may
 * not have been reached: text in between may not have matched.)
 */
static size_t
written(const struct walk *w, const void *to)
{
	if (w->allocates)
		return sizeof(void *);
	switch (w->conversion) {
	case 'c':
		return (size_t)(w->width < 0 ? 1 : w->width) * (w->is_long ? sizeof(wchar_t) : 1);
	case 'C':
		return (size_t)(w->width < 0 ? 1 : w->width) * sizeof(wchar_t);
	case 's':
	case '[':
		return w->is_long ? wide_length(to, -1) : string_length(to, -1);
	case 'S':
		return wide_length(to, -1);
	case 'p':
		return sizeof(void *);
	case 'e':
	case 'E':
	case 'f':
	case 'F':
	case 'g':
	case 'G':
	case 'a':
	case 'A':
		return w->is_long_double ? sizeof(long double) : w->is_long ? sizeof(double) : sizeof(float);
	default:
		return w->size;
	}
}

static size_t
may_write(const struct walk *w, size_t longest)
{
	bool text = w->conversion == 's' || w->conversion == 'S' || w->conversion == '[';
	size_t characters = w->width < 0 ? longest : (size_t)w->width;

	if (w->allocates || !text)
		return written(w, NULL);
	return (characters + 1) * (w->conversion == 'S' || w->is_long ? sizeof(wchar_t) : 1);
}

/* count: the number of successful conversions; before: the call follows, and all may succeed. */
static void
scan(const void *format, bool wide, va_list arguments, int count, bool before, size_t longest, uint64_t pc)
{
	static const char known[] = "diouxXeEfFgGaAcCsS[pn";
	struct walk w = {.format = format, .wide = wide};
	va_list list;

	va_copy(list, arguments);
	while (next(&w)) {
		const void *to;
		bool is_known = false;

		w.dropped = skip(&w, '*');
		skip(&w, '\'');
		w.width = number(&w);
		if (look(&w) == '$')
			break;
		w.allocates = skip(&w, 'm');
		length(&w);
		if (!ends(&w))
			break;
		if (w.conversion == '%')
			continue;
		if (w.conversion == '[')
			pass_set(&w);
		for (const char *k = known; *k; k++)
			is_known |= w.conversion == (unsigned char)*k;
		if (!is_known)
			break;
		if (w.dropped)
			continue;
		to = va_arg(list, const void *);
		if (before)
			sl_access_intend(to, may_write(&w, longest), pc);
		else if (w.conversion != 'n' && count-- <= 0)
			break;
		else
			sl_access_done(to, written(&w, to), pc);
	}
	va_end(list);
}

void
sl_format_scan(const void *format, bool wide, va_list list, size_t longest, uint64_t pc)
{
	scan(format, wide, list, 0, true, longest, pc);
}

void
sl_format_scanned(const void *format, bool wide, va_list list, int result, uint64_t pc)
{
	if (result >= 0)
		scan(format, wide, list, result, false, 0, pc);
}
