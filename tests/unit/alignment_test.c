/*
 * What is unchanged between two versions of a source, listed by hand, and as a property: edits that mean nothing to the
 * project's own sources are no change, and others change the lines that were edited.
 */
#include "base/rng.h"
#include "version/align.h"
#include "version/lexeme.h"
#include "version/unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- lexer ---- */

/* The tokens with a blank between them; the end of a preprocessor line is "$". */
static void
expect_tokens(const char *text, const char *wanted)
{
	struct sl_lexemes l;
	char got[1024];
	size_t n = 0;

	sl_lexemes_init(&l, text, strlen(text));
	got[0] = '\0';
	for (size_t i = 0; i < l.count; i++)
		n += (size_t)snprintf(got + n, sizeof(got) - n, "%s%.*s", i ? " " : "",
				      l.items[i].kind == SL_LEXEME_END ? 1 : (int)l.items[i].length,
				      l.items[i].kind == SL_LEXEME_END ? "$" : l.items[i].text);
	assert_string_equal(got, wanted);
	sl_lexemes_release(&l);
}

static void
test_tokens(void **state)
{
	(void)state;
	expect_tokens("", "");
	expect_tokens("int a=b->c;", "int a = b -> c ;");
	expect_tokens("a /* b */ c // d\ne", "a c e");
	expect_tokens("a/* not closed", "a");
	expect_tokens("x+++++y>>=1...", "x ++ ++ + y >>= 1...");
	expect_tokens("f(...)", "f ( ... )");
	expect_tokens("1.5e+3 0x1p-2 1'000 .5f a.b", "1.5e+3 0x1p-2 1'000 .5f a . b");
	expect_tokens("\"a\\\"b\" 'c' L\"d\" u8\"e\" L'f'", "\"a\\\"b\" 'c' L\"d\" u8\"e\" L'f'");
	expect_tokens("R\"x(a)\"b)x\" c", "R\"x(a)\"b)x\" c");
	expect_tokens("in\\\nt a\\\r\nb; // c \\\n d\ne", "int ab ; e");
	expect_tokens("#include <a/b.h> // c\nx", "# include <a/b.h> $ x");
	expect_tokens("#define F(x) \\\n  ((x) + 1)\nF", "# define F ( x ) ( ( x ) + 1 ) $ F");
	expect_tokens(" # if /* a\nb */ 1\nc\n#endif", "# if 1 $ c # endif $");
	expect_tokens("a # b", "a # b");
	expect_tokens("#if 0\nit's /* \"x\n*/ y\n#if 1\na\n#else\nb\n#endif\nc\n#else\nd\n#endif\ne",
		      "# if 0 $ # else $ d # endif $ e");
	expect_tokens("#if 0 // it's \"\n'\n#endif", "# if 0 $ # endif $");
	expect_tokens("#error it's\nx", "# error it 's $ x");
	expect_tokens("#if 0\n#endif", "# if 0 $ # endif $");
	expect_tokens("\xef\xbb\xbfint \xc3\xa4;", "int \xc3\xa4 ;");
}

static void
test_token_lines(void **state)
{
	struct sl_lexemes l;
	static const char text[] = "a\n/* \n\n */ b \\\n c\nR\"(\n\n)\" d";

	(void)state;
	sl_lexemes_init(&l, text, sizeof(text) - 1);
	assert_int_equal(l.count, 5);
	assert_int_equal(l.items[0].line, 1);
	assert_int_equal(l.items[1].line, 4);
	assert_int_equal(l.items[2].line, 5);
	assert_int_equal(l.items[3].line, 6);
	assert_int_equal(l.items[3].last_line, 8);
	assert_int_equal(l.items[4].line, 8);
	sl_lexemes_release(&l);
}

/* ---- units ---- */

/* "f:queue::push" is a function, t a type, d another declaration, # a preprocessor line, { what is looked through. */
static void
expect_units(const char *text, bool cxx, const char *wanted)
{
	struct sl_lexemes l;
	struct sl_units u;
	char got[1024];
	size_t n = 0;

	sl_lexemes_init(&l, text, strlen(text));
	sl_units_init(&u, &l, cxx);
	got[0] = '\0';
	for (size_t i = 0; i < u.count; i++)
		n += (size_t)snprintf(got + n, sizeof(got) - n, "%s%c:%s", i ? " " : "", "#ftd{"[u.items[i].kind],
				      u.items[i].name);
	assert_string_equal(got, wanted);
	sl_units_release(&u);
	sl_lexemes_release(&l);
}

static void
test_units(void **state)
{
	(void)state;
	expect_units("int a; static int b = f(1), c[3] = {1, 2}; char *d[] = {\"x\"};", false, "d:a d:b d:d");
	expect_units("int f(int a) { return a; } int g(void);", false, "f:f d:g");
	expect_units("struct s { int a; struct { int b; } c; }; struct s *f(struct s *s) { }", false, "t:s f:f");
	expect_units("struct s { int a; } x = { 1 }; typedef struct { int a; } t;", false, "t:s t:t");
	expect_units("enum e { A, B = 2 }; enum { C };", false, "d:e d:");
	expect_units("#include <a.h>\n#define F(x) x\nint a;", false, "#: #:F d:a");
	expect_units("__attribute__((noinline)) static int f(void) __attribute__((cold));", false, "d:f");
	expect_units("static void (*hook)(int) = 0; void (*signal(int a, void (*f)(int)))(int);", false,
		     "d:hook d:signal");
	expect_units("int f(a, b) int a, b; { return a; } int c;", false, "d:f d: d:c");
	expect_units("#ifdef A\nint f(int a) {\n#else\nint f(long a) {\n#endif\nreturn 0; }\nint b;", false,
		     "#: f:f d:b");
	expect_units("#ifdef A\nint f(void) { }\n#else\nint g(void) { }\n#endif", false, "#: f:f #: f:g #:");
	expect_units("void f(void) {\n#ifdef A\nif (a) {\n#else\nif (b) {\n#endif\n} } int c;", false, "f:f d:c");
	expect_units("TEST(a, b) { } TEST(a, c) { } int d;", false, "f:TEST(a,b) f:TEST(a,c) d:d");
	expect_units("LIST(x)\nstatic int f(int a) { }", false, "f:f");
	expect_units("} int a; )", false, "d: d:a d:");
	expect_units("extern \"C\" { int f(void) { } int a; }", true, "{: f:f d:a");
	expect_units("namespace a::b { namespace { int f() { } } struct s; }", true, "{: {: f:a::b::f d:a::b::s");
	expect_units("class q : public p<int> { public: q(int a) : x(a), y{1} { } ~q() { } int f() const; "
		     "int g() const { return x; } bool operator==(const q &o) { } private: int x; };",
		     true, "t:q f:q::q f:q::~q f:q::g f:q::operator==");
	expect_units("template <typename T> int q<T>::f(T a) { } q::q() : a(1) { } void q::operator()(int b) { }",
		     true, "f:q<T>::f f:q::q f:q::operator()");
	expect_units("struct s { struct t { int f() { } }; int g() { } } x;", true, "t:s f:s::t::f f:s::g");
}

/* ---- local variables ---- */

/* Each name that is a local variable or parameter with its number: "a1 b2 a1". */
static void
expect_locals(const char *text, bool cxx, const char *wanted)
{
	struct sl_lexemes l;
	struct sl_units u;
	char got[1024];
	size_t n = 0;

	sl_lexemes_init(&l, text, strlen(text));
	sl_units_init(&u, &l, cxx);
	got[0] = '\0';
	for (size_t i = 0; i < l.count; i++)
		if (u.local[i])
			n += (size_t)snprintf(got + n, sizeof(got) - n, "%s%.*s%u", n ? " " : "",
					      (int)l.items[i].length, l.items[i].text, u.local[i]);
	assert_string_equal(got, wanted);
	sl_units_release(&u);
	sl_lexemes_release(&l);
}

static void
test_locals(void **state)
{
	(void)state;
	expect_locals("int f(int a, char *b) { return a + *b + c; }", false, "a1 b2 a1 b2");
	expect_locals("int f(int, size_t, struct s *, const T, unsigned u);", false, "u1");
	expect_locals("int f(void (*g)(int h), int v[n]) { g(v[0]); }", false, "g1 v2 g1 v2");
	expect_locals("void f(void) { struct s *a = x, *b; T c[3], d = a->b; c[1] = b; }", false,
		      "a1 b2 c3 d4 a1 c3 b2");
	expect_locals("void f(void) { int i; { int i = 1; i++; } i--; }", false, "i1 i2 i2 i1");
	expect_locals("void f(void) { for (int i = 0; i < n; i++) g(i); i = 2; }", false, "i1 i1 i1 i1");
	expect_locals("void f(void) { for (T *i = x; i; i++) if (i) h(); else { g(i); } i = 2; }", false,
		      "i1 i1 i1 i1 i1");
	expect_locals("void f(void) { x = 1; int x; x = 2; }", false, "x1 x1");
	expect_locals("void f(void) { a * b; goto b; b: c.a = s->b; }", false, "b1");
	expect_locals("void f(void) { extern int a; typedef int b; int g(int); a = b; int s = sizeof(struct s); }",
		      false, "s1");
	expect_locals("void f(void) { int v[] = { a * b, c }; struct s d = { .e = e * v[0] }; }", false,
		      "v1 d2 v1");
	expect_locals("void f(void) { int a = ({ int b = 1; b; }), c = a; }", false, "a1 b2 b2 c3 a1");
	expect_locals("void f(void) { do { int a; a++; } while (a); list_each(p) { int b; b = p; } }", false,
		      "a1 a1 b2 b2");
	expect_locals("void f(void) { switch (x) { case A: { int b = 1; b++; } default: y(); } }", false, "b1 b1");
	expect_locals("void f(int a) { MAX(a) { ", false, "");
	expect_locals("void f(int a) {\n#define b a\n#ifdef X\nif (a) {\n#else\nif (b) {\n#endif\n} }", false, "");
	expect_locals("void f(const T &t) { std::lock_guard<std::mutex> g(m); for (auto &x : t.v) use(x, g); }",
		      true, "t1 g2 x3 t1 x3 g2");
	expect_locals("void f() { int a = g<b, c>(1); if (auto *p = h()) p->q(); T u{1}; u.a = a; }", true,
		      "a1 p2 p2 u3 u3 a1");
	expect_locals("void f(int a) { auto g = [&, a](int b) { int c = a + b; return c; }; g(a); }", true,
		      "a1 g2 a1 b3 c4 a1 b3 c4 g2 a1");
	expect_locals("q::q(int a) : b(a), c{a} { try { a++; } catch (const e &x) { g(x); } }", true,
		      "a1 a1 a1 a1 x2 x2");
}

/* ---- alignment ---- */

struct version {
	struct sl_text files[4];
	uint32_t count;
};

/*
 * Changed lines as "3 5-": something is new on line 3, and beside line 5 something is gone. In several files "b.c:3"; of functions, those that
 * are changed or new: " f" behind a bar, and "~f" that have moved.
 */
static void
describe(const struct sl_alignment *a, char *text, size_t room)
{
	size_t n = 0;

	text[0] = '\0';
	for (uint32_t f = 0; f < a->file_count; f++)
		for (uint32_t i = 1; i <= a->files[f].line_count; i++) {
			const struct sl_aligned_line *line = &a->files[f].lines[i];

			if (line->change == SL_LINE_SAME)
				continue;
			n += (size_t)snprintf(text + n, room - n, "%s", n ? " " : "");
			if (a->file_count > 1)
				n += (size_t)snprintf(text + n, room - n, "%s:", a->files[f].path);
			n += (size_t)snprintf(text + n, room - n, "%u%s", i,
					      line->change == SL_LINE_BESIDE ? "-" : "");
		}
	for (size_t i = 0; i < a->function_count; i++) {
		const struct sl_aligned_function *f = &a->functions[i];

		if (f->changed || f->moved)
			n += (size_t)snprintf(text + n, room - n, "%s%s%s%s", n ? " " : "", f->moved ? "~" : "",
					      f->changed ? "" : "=", f->name);
	}
	for (size_t i = 0; i < a->gone_count; i++)
		n += (size_t)snprintf(text + n, room - n, "%s-%s", n ? " " : "", a->gone[i].name);
}

static void
expect_change(const char *path, const char *old_text, const char *new_text, const char *wanted)
{
	struct sl_text old = {path, old_text, strlen(old_text)}, new = {path, new_text, strlen(new_text)};
	uint32_t pair = 0;
	struct sl_alignment *a = sl_align(&old, 1, &new, 1, &pair);
	char got[512];

	describe(a, got, sizeof(got));
	assert_string_equal(got, wanted);
	sl_alignment_free(a);
}

static void
test_no_change(void **state)
{
	(void)state;
	expect_change("a.c", "", "", "");
	expect_change("a.c", "int a;", "int a;", "");
	expect_change("a.c", "int f(int a) { return a+1; }", "int\nf(int a)\n{\n\treturn a + 1; /* one */\n}\n",
		      "");
	expect_change("a.c", "#define A 1 \\\n + 2\nint a;", "// x\n#define A 1 + 2\n\nint a;", "");
	expect_change("a.c", "#if 0\nx\n#endif\nint a;", "#if 0\ny\nz\n#endif\nint a;", "");
	/* reordered */
	expect_change("a.c", "int a;\nint b;\nint c;", "int c;\nint a;\nint b;", "");
	expect_change("a.c", "void f(void) { x(); }\nvoid g(void) { y(); }",
		      "void g(void) { y(); }\nvoid f(void) { x(); }", "~=f");
	expect_change("a.cc", "class q { int a() { x(); } int b() { y(); } int c; };",
		      "class q { int b() { y(); } int c; int a() { x(); } };", "~=q::a");
	/* local variables */
	expect_change("a.c", "int f(int a) { int b = a; { int a = 2; b += a; } return b; }",
		      "int f(int x) { int y = x; { int z = 2; y += z; } return y; }", "");
	expect_change("a.c", "int f(int a, int b);", "int f(int b, int a);", "");
	expect_change("a.c", "int f(int a, int b) { return a; }", "int f(int b, int a) { return b; }", "");
	expect_change("a.cc", "void f() { std::unique_lock<std::mutex> l(m); l.unlock(); }",
		      "void f() { std::unique_lock<std::mutex> guard(m); guard.unlock(); }", "");
}

static void
test_changes(void **state)
{
	(void)state;
	/* a token, a line, a function */
	expect_change("a.c", "int f(void)\n{\n\ta = 1;\n\tb = 2;\n}", "int f(void)\n{\n\ta = 1;\n\tb = 3;\n}",
		      "4 f");
	expect_change("a.c", "int f(void)\n{\n\ta();\n\tb();\n}", "int f(void)\n{\n\ta();\n\tx();\n\tb();\n}",
		      "4 f");
	expect_change("a.c", "int f(void)\n{\n\ta();\n\ta();\n}", "int f(void)\n{\n\ta();\n\ta();\n\ta();\n}",
		      "5 f");
	expect_change("a.c", "int f(void)\n{\n\ta(1);\n\ta(2);\n}", "int f(void)\n{\n\ta(1);\n\ta(3);\n\ta(2);\n}",
		      "4 f");
	expect_change("a.c", "int a;", "int a;\nint f(void)\n{\n}", "2 3 4 f");
	expect_change("a.c", "int a;\nint b;", "int a;", "-b");
	/* gone: the next statement's line, or that of the token before */
	expect_change("a.c", "int f(void)\n{\n\tif (!p)\n\t\treturn;\n\ta();\n}", "int f(void)\n{\n\ta();\n}",
		      "3- f");
	expect_change("a.c", "int f(void)\n{\n\ta();\n\tunlock();\n}", "int f(void)\n{\n\ta();\n}", "3- f");
	expect_change("a.c", "int f(void)\n{\n\ta();\n}", "int f(void)\n{\n}", "3- f");
	expect_change("a.c", "int f(void)\n{\n\tx = a\n\t\t+ b;\n\tc();\n}", "int f(void)\n{\n\tx = a;\n\tc();\n}",
		      "3- f");
	/* a scope of a lock */
	expect_change("a.c", "int f(void)\n{\n\tlock();\n\ta();\n\tb();\n\tunlock();\n}",
		      "int f(void)\n{\n\tlock();\n\ta();\n\tunlock();\n\tb();\n}", "5 6 f");
	/* moved and changed */
	expect_change("a.c", "int f(void)\n{\n\ta();\n}\nint g(void) { b(); c(); d(); }",
		      "int g(void) { b(); c(); d(); }\nint f(void)\n{\n\tx();\n}", "4 f");
	/* no consistent renaming */
	expect_change("a.c", "int f(int a, int b)\n{\n\treturn a - b;\n}",
		      "int f(int a, int b)\n{\n\treturn b - a;\n}", "3 f");
	expect_change("a.c", "int f(int a)\n{\n\tg(a);\n\treturn a;\n}",
		      "int f(int b)\n{\n\tg(b);\n\treturn a;\n}", "4 f");
	expect_change("a.c", "int f(int a)\n{\n\tg(a);\n\treturn a;\n}",
		      "int f(int b)\n{\n\tg(b);\n\th();\n\treturn b;\n}", "4 f");
	expect_change("a.c", "int f(void)\n{\n\treturn a;\n}", "int f(void)\n{\n\treturn b;\n}", "3 f");
	/* of no function */
	expect_change("a.c", "struct s { int a; };\nint f(void) { }", "struct s { long a; };\nint f(void) { }",
		      "1");
	expect_change("a.c", "#define A 1\nint f(void) { }", "#define A 2\nint f(void) { }", "1");
	expect_change("a.c", "#define F(x) x\n", "#define F (x) x\n", "1");
	expect_change("a.c", "int v[] = { a, b };", "int v[] = { a, c };", "1");
	expect_change("a.cc", "class q { int a() { x(); } int c; };", "class q {\nint a() { x(); }\nlong c;\n};",
		      "3");
	/* C++ tells functions of one name apart */
	expect_change("a.cc", "int f(int a) { x(); }\nint f(long a) { y(); }",
		      "int f(long a) {\nz(); }\nint f(int a) { x(); }", "2 f");
}

static void
expect_files(const struct version *old, const struct version *new, const uint32_t *pairs, const char *wanted)
{
	struct sl_alignment *a = sl_align(old->files, old->count, new->files, new->count, pairs);
	char got[512];

	describe(a, got, sizeof(got));
	assert_string_equal(got, wanted);
	sl_alignment_free(a);
}

#define TEXT(path, bytes)                                                                                         \
	{                                                                                                         \
		path, bytes, sizeof(bytes) - 1                                                                    \
	}

static void
test_files(void **state)
{
	static const uint32_t same[] = {0, 1, 2}, new_one[] = {0, SL_NO_FILE},
			      none[] = {SL_NO_FILE, SL_NO_FILE, SL_NO_FILE};

	(void)state;
	{ /* a function goes to another file, which is new */
		struct version old = {{TEXT("a.c", "void f(void) { x(); }\nvoid g(void) { y(); }\n")}, 1};
		struct version new = {{TEXT("a.c", "void g(void) { y(); }\n"),
				       TEXT("b.c", "void f(void)\n{\n\tx();\n}\n")},
				      2};

		expect_files(&old, &new, new_one, "~=f");
	}
	{ /* … and is changed there */
		struct version old = {{TEXT("a.c", "void f(void) { x(); w(); }\nvoid g(void) { y(); }\n")}, 1};
		struct version new = {{TEXT("a.c", "void g(void) { y(); }\n"),
				       TEXT("b.c", "void f(void)\n{\n\tx();\nv();\n}\n")},
				      2};

		expect_files(&old, &new, new_one, "b.c:4 ~f");
	}
	{ /* a header and its guard are renamed */
		struct version old = {{TEXT("src/a.h", "#ifndef A_H\n#define A_H\nint a;\n#endif\n"),
				       TEXT("src/c.c", "#include \"a.h\"\n")},
				      2};
		struct version new = {{TEXT("src/b.h", "#ifndef B_H\n#define B_H\nint a;\n#endif\n"),
				       TEXT("src/c.c", "#include \"b.h\"\n")},
				      2};

		expect_files(&old, &new, same, "");
	}
	{ /* another header is included */
		struct version old = {{TEXT("a.h", "int a;\n"), TEXT("c.c", "#include \"a.h\"\n")}, 2};
		struct version new = {{TEXT("a.h", "int a;\n"), TEXT("c.c", "#include \"b.h\"\n")}, 2};

		expect_files(&old, &new, same, "c.c:1 -");
	}
	{ /* nothing in common */
		struct version old = {{TEXT("a.c", "int a;\n")}, 1},
			       new = {{TEXT("b.c", "void f(void) { }\n")}, 1};

		expect_files(&old, &new, none, "1 f -a");
	}
}

static void
test_counterparts(void **state)
{
	static const char old_text[] = "int a;\nvoid f(void)\n{\n\tx();\n\ty();\n}\n";
	static const char new_text[] = "void f(void)\n{\n\tx();\n\tz(); /* new */\n\ty();\n}\n\nint a;\n";
	static const uint32_t back[] = {0, 2, 3, 4, 0, 5, 6, 0, 1}, forth[] = {0, 8, 1, 2, 3, 5, 6};
	struct sl_text old = {"old.c", old_text, sizeof(old_text) - 1},
		       new = {"new.c", new_text, sizeof(new_text) - 1};
	uint32_t pair = 0, line;
	struct sl_alignment *a = sl_align(&old, 1, &new, 1, &pair);
	const char *path;

	(void)state;
	for (uint32_t i = 1; i <= 8; i++) {
		assert_int_equal(sl_alignment_back(a, "new.c", i, &path, &line), back[i] != 0);
		if (back[i]) {
			assert_string_equal(path, "old.c");
			assert_int_equal(line, back[i]);
		}
	}
	for (uint32_t i = 1; i <= 6; i++) {
		assert_true(sl_alignment_forth(a, "old.c", i, &path, &line));
		assert_string_equal(path, "new.c");
		assert_int_equal(line, forth[i]);
	}
	assert_false(sl_alignment_back(a, "new.c", 100, &path, &line));
	assert_true(sl_alignment_back(a, "other.c", 100, &path, &line));
	assert_int_equal(line, 100);
	assert_null(sl_alignment_function(a, 0, 7));
	assert_string_equal(sl_alignment_function(a, 0, 4)->name, "f");
	assert_int_equal(sl_alignment_function(a, 0, 4)->old_first, 2);
	sl_alignment_free(a);
}

/* ---- properties ---- */

struct source {
	char *bytes;
	size_t size;
	struct sl_lexemes lexemes;
	struct sl_units units;
};

static void
source_init(struct source *s, char *bytes, size_t size)
{
	s->bytes = bytes;
	s->size = size;
	sl_lexemes_init(&s->lexemes, bytes, size);
	sl_units_init(&s->units, &s->lexemes, false);
}

static void
source_release(struct source *s)
{
	sl_units_release(&s->units);
	sl_lexemes_release(&s->lexemes);
	free(s->bytes);
}

static char *
read_all(const char *path, size_t *size)
{
	FILE *f = fopen(path, "r");
	char *bytes;

	assert_non_null(f);
	assert_int_equal(fseek(f, 0, SEEK_END), 0);
	*size = (size_t)ftell(f);
	rewind(f);
	bytes = malloc(*size + 1);
	assert_non_null(bytes);
	assert_int_equal(fread(bytes, 1, *size, f), *size);
	fclose(f);
	return bytes;
}

/* A file that is made of another's tokens, and which line each of them came to. */
struct made {
	FILE *out;
	char *bytes;
	size_t size;
	unsigned line;
	uint32_t *lines;
};

static void
made_start(struct made *m, const struct source *s)
{
	*m = (struct made){.line = 1, .lines = calloc(s->lexemes.count + 1, sizeof(*m->lines))};
	m->out = open_memstream(&m->bytes, &m->size);
	assert_non_null(m->out);
	assert_non_null(m->lines);
}

static void
put(struct made *m, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		m->line += text[i] == '\n';
	fwrite(text, 1, length, m->out);
}

/* What may stand between two tokens. */
static void
put_blank(struct made *m, struct sl_rng *rng, bool in_line)
{
	static const char *const blanks[] = {" ",  "\t",   " /* a \" b */ ", " \\\n ",
					     "\n", "\n\n", " // it's\n",     "\r\n  "};
	const char *blank = blanks[sl_rng_below(rng, 8) ? 0 : sl_rng_below(rng, in_line ? 4 : 8)];

	put(m, blank, strlen(blank));
}

/* Is it `#define F(`, where no blank may stand? */
static bool
is_glued(const struct source *s, size_t i)
{
	const struct sl_lexeme *t = s->lexemes.items;

	return i >= 3 && t[i - 3].kind == SL_LEXEME_DIRECTIVE && sl_lexeme_is(&t[i - 2], "define") &&
	       sl_lexeme_is(&t[i], "(") && t[i].text == t[i - 1].text + t[i - 1].length;
}

/* A token, with its local variable renamed: each function has its own number for the new names. */
static void
put_token(struct made *m, const struct source *s, size_t i, const char *rename)
{
	const struct sl_lexeme *t = &s->lexemes.items[i];

	m->lines[i] = m->line;
	if (rename && s->units.local[i]) {
		char name[64];
		int size = snprintf(name, sizeof(name), "%s%u", rename, s->units.local[i]);

		put(m, name, (size_t)size);
	} else {
		put(m, t->text, t->length);
	}
}

/* The functions in another order, other blanks, and local variables with other names. */
static void
rewrite(struct made *m, const struct source *s, struct sl_rng *rng)
{
	size_t count = s->units.count;
	uint32_t *order = calloc(count + 1, sizeof(*order));
	uint32_t last = UINT32_MAX;

	assert_non_null(order);
	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	for (uint32_t i = 0; i < count; i++)
		if (s->units.items[i].kind == SL_UNIT_FUNCTION) {
			if (last != UINT32_MAX && sl_rng_below(rng, 4) == 0) {
				uint32_t other = order[last];

				order[last] = order[i];
				order[i] = other;
			}
			last = i;
		}
	for (uint32_t k = 0; k < count; k++) {
		const struct sl_unit *u = &s->units.items[order[k]];
		const char *rename = sl_rng_below(rng, 2) ? "renamed_" : NULL;
		bool directive = false;

		put(m, "\n", 1);
		for (size_t i = 0; i < u->count; i++) {
			uint32_t token = s->units.order[u->first + i];
			uint8_t kind = s->lexemes.items[token].kind;

			if (kind == SL_LEXEME_DIRECTIVE)
				put(m, "\n", 1);
			directive |= kind == SL_LEXEME_DIRECTIVE;
			put_token(m, s, token, rename);
			directive &= kind != SL_LEXEME_END;
			if (kind == SL_LEXEME_END)
				put(m, "\n", 1);
			else if (i + 1 < u->count && !is_glued(s, s->units.order[u->first + i + 1]))
				put_blank(m, rng, directive);
		}
	}
	fclose(m->out);
	free(order);
}

static struct sl_alignment *
align_made(const char *path, const struct source *s, const struct made *m)
{
	static const uint32_t pair = 0;
	static struct sl_text old, new; /* as long as the alignment: one at a time */

	old = (struct sl_text){path, s->bytes, s->size};
	new = (struct sl_text){path, m->bytes, m->size};
	return sl_align(&old, 1, &new, 1, &pair);
}

static void
check_harmless(const char *path, const struct source *s, struct sl_rng *rng)
{
	struct made m;
	struct sl_alignment *a;

	made_start(&m, s);
	rewrite(&m, s, rng);
	a = align_made(path, s, &m);
	if (a->changed_lines || a->gone_count || a->other_count) {
		for (uint32_t i = 1; i <= a->files[0].line_count; i++)
			if (a->files[0].lines[i].change != SL_LINE_SAME)
				print_error("%s: line %u is said to have changed\n", path, i);
		fail();
	}
	for (size_t i = 0; i < a->function_count; i++)
		assert_false(a->functions[i].changed);
	/* each token's line has the token's line as its counterpart, if it stands first on it */
	for (size_t i = 1; i < s->lexemes.count; i++)
		if (m.lines[i] != m.lines[i - 1] && s->lexemes.items[i].kind == SL_LEXEME_NAME) {
			const char *old_path;
			uint32_t line;

			assert_true(sl_alignment_back(a, path, m.lines[i], &old_path, &line));
		}
	sl_alignment_free(a);
	free(m.bytes);
	free(m.lines);
}

enum edit { REPLACE, INSERT, EDITS };

/*
 * Can the token be the place of the edit? To replace: a name that is no local variable, or a number, in a function's body. To insert
 * behind: the end of a statement, where a line ends.
 */
static bool
fits(const struct source *s, size_t i, enum edit edit)
{
	const struct sl_lexeme *t = s->lexemes.items;
	const struct sl_unit *u = &s->units.items[s->units.of[i]];

	if (u->kind != SL_UNIT_FUNCTION || i < u->last || i + 1 == s->lexemes.count ||
	    s->units.of[i + 1] != s->units.of[i])
		return false;
	if (edit == REPLACE)
		return !s->units.local[i] && t[i].kind == SL_LEXEME_NUMBER;
	return sl_lexeme_is(&t[i], ";") && t[i + 1].line > t[i].line && t[i + 1].kind != SL_LEXEME_DIRECTIVE &&
	       !sl_lexeme_among(&t[i + 1], "else while");
}

static void
check_edit(const char *path, const struct source *s, struct sl_rng *rng)
{
	enum edit edit = (enum edit)sl_rng_below(rng, EDITS);
	size_t place = SIZE_MAX, seen = 0;
	struct made m;
	struct sl_alignment *a;
	unsigned line;

	bool directive = false; /* in a preprocessor line, which an edit would end */

	for (size_t i = 0; i < s->lexemes.count; i++) {
		if (s->lexemes.items[i].kind == SL_LEXEME_DIRECTIVE || s->lexemes.items[i].kind == SL_LEXEME_END)
			directive = s->lexemes.items[i].kind == SL_LEXEME_DIRECTIVE;
		if (!directive && fits(s, i, edit) && sl_rng_below(rng, (uint32_t)++seen) == 0)
			place = i;
	}
	if (place == SIZE_MAX)
		return;
	made_start(&m, s);
	/* up to there as it is, then the edit, then the rest */
	{
		const struct sl_lexeme *t = &s->lexemes.items[place];
		size_t at = (size_t)(t->text - s->bytes);

		if (t->text < s->bytes || t->text > s->bytes + s->size)
			abort();
		put(&m, s->bytes, edit == REPLACE ? at : at + 1);
		if (edit == INSERT)
			put(&m, "\n", 1);
		line = m.line;
		put(&m, edit == REPLACE ? "4711" : "inserted(a, 1);", edit == REPLACE ? 4 : 15);
		at += t->length;
		put(&m, s->bytes + at, s->size - at);
		fclose(m.out);
	}
	a = align_made(path, s, &m);
	for (uint32_t i = 1; i <= a->files[0].line_count; i++)
		if ((a->files[0].lines[i].change != SL_LINE_SAME) != (i == line)) {
			print_error("%s: line %u, not just %u\n", path, i, line);
			fail();
		}
	assert_non_null(sl_alignment_function(a, 0, line));
	for (size_t i = 0; i < a->function_count; i++)
		assert_int_equal(a->functions[i].changed, &a->functions[i] == sl_alignment_function(a, 0, line));
	assert_int_equal(a->gone_count + a->other_count, 0);
	sl_alignment_free(a);
	free(m.bytes);
	free(m.lines);
}

static unsigned sources_seen;

static int
check_source(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	struct sl_rng rng = sl_rng_derive(20261118, sources_seen);
	struct source s;
	size_t size;
	char *bytes;

	(void)status;
	(void)walk;
	if (type != FTW_F || strcmp(strrchr(path, '.') ? strrchr(path, '.') : "", ".c") != 0)
		return 0;
	sources_seen++;
#ifdef RANDOM_PROGRAMS /* under sanitizers: some of them */
	if (sources_seen % 8)
		return 0;
#endif
	bytes = read_all(path, &size);
	source_init(&s, bytes, size);
	check_harmless(path, &s, &rng);
	for (int i = 0; i < 3; i++)
		check_edit(path, &s, &rng);
	source_release(&s);
	return 0;
}

static void
test_own_sources(void **state)
{
	(void)state;
	assert_int_equal(nftw(SL_SOURCE_ROOT "/src", check_source, 16, 0), 0);
	assert_true(sources_seen > 300);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tokens),      cmocka_unit_test(test_token_lines),
		cmocka_unit_test(test_units),       cmocka_unit_test(test_locals),
		cmocka_unit_test(test_no_change),   cmocka_unit_test(test_changes),
		cmocka_unit_test(test_files),       cmocka_unit_test(test_counterparts),
		cmocka_unit_test(test_own_sources),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
