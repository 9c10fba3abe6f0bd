/*
 * Coverage as a picture in SVG, which every browser shows. Two panels side by side, over executions and over time;
 * the solid staircase is what was covered, the dashed one what was estimated.
 */
#include "report/cover/cover.h"

#include <inttypes.h>

enum { WIDTH = 960, HEIGHT = 360, PANEL = 400, LEFT = 60, TOP = 50, LOW = 250, GAP = 80 };

/* 1, 2 or 5 times a power of ten: about so many steps to the whole. */
static double
step_of(double whole, int steps)
{
	double rough = whole / steps, power = 1;

	while (power > rough && power > 1e-9)
		power /= 10;
	while (10 * power <= rough)
		power *= 10;
	return power * (rough > 5 * power ? 10 : rough > 2 * power ? 5 : rough > power ? 2 : 1);
}

static double
x_of(const struct sl_cover_growth *g, bool by_time)
{
	return by_time ? g->seconds : (double)g->execution;
}

static void
put_axes(FILE *out, int left, double x_most, double y_most, const char *unit)
{
	double step = step_of(x_most, 5), y_step = step_of(y_most, 5);

	fprintf(out, "<path d=\"M%d %d V%d H%d\" fill=\"none\" stroke=\"#444\"/>\n", left, TOP, TOP + LOW,
		left + PANEL);
	for (int i = 0; i * step <= x_most * 1.0001; i++)
		fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>\n",
			left + i * step / x_most * PANEL, TOP + LOW + 18, i * step);
	for (int i = 0; i * y_step <= y_most * 1.0001; i++) {
		double y = i * y_step;

		fprintf(out,
			"<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text><path d=\"M%d %.1f h%d\" stroke=\"#ddd\"/>\n",
			left - 6, TOP + LOW - y / y_most * LOW + 4, y, left, TOP + LOW - y / y_most * LOW, PANEL);
	}
	fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", left + PANEL / 2,
		TOP + LOW + 38, unit);
}

static void
put_stairs(FILE *out, const struct sl_cover_report *r, int left, double x_most, double y_most, bool by_time,
	   bool estimated)
{
	double y = 0;

	fprintf(out, "<path fill=\"none\" stroke=\"%s\" d=\"M%d %d",
		estimated ? "#999\" stroke-dasharray=\"5 4" : "#1f5fa8\" stroke-width=\"2", left, TOP + LOW);
	for (size_t i = 0; i < r->growth_count; i++) {
		y = estimated ? r->growth[i].estimated : r->growth[i].covered;
		fprintf(out, " H%.1f V%.1f", left + x_of(&r->growth[i], by_time) / x_most * PANEL,
			TOP + LOW - y / y_most * LOW);
	}
	fprintf(out, " H%d\"/>\n", left + PANEL);
}

static void
put_panel(FILE *out, const struct sl_cover_report *r, int left, bool by_time)
{
	double x_most = by_time ? r->seconds : (double)r->executions;
	double y_most = (double)(r->estimated ? r->estimated : 1) * 1.05;

	if (r->growth_count && x_most < x_of(&r->growth[r->growth_count - 1], by_time))
		x_most = x_of(&r->growth[r->growth_count - 1], by_time);
	if (x_most <= 0)
		x_most = 1;
	put_axes(out, left, x_most, y_most, by_time ? "seconds" : "executions");
	if (r->estimates)
		put_stairs(out, r, left, x_most, y_most, by_time, true);
	put_stairs(out, r, left, x_most, y_most, by_time, false);
}

/* Writes text with XML's own characters escaped. */
static void
put_text(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '&')
			fputs("&amp;", out);
		else if (*text == '<')
			fputs("&lt;", out);
		else if (*text == '>')
			fputs("&gt;", out);
		else if ((unsigned char)*text >= ' ')
			fputc(*text, out);
	}
}

/* The legend. */
static void
put_key(FILE *out)
{
	int right = LEFT + 2 * PANEL + GAP;

	fprintf(out,
		"<path d=\"M%d 20 h24\" stroke=\"#1f5fa8\" stroke-width=\"2\"/><text x=\"%d\" y=\"24\">covered</text>\n"
		"<path d=\"M%d 20 h24\" stroke=\"#999\" stroke-dasharray=\"5 4\"/><text x=\"%d\" y=\"24\">estimated</text>\n",
		right - 190, right - 160, right - 96, right - 66);
}

void
sl_cover_plot(FILE *out, const struct sl_cover_report *r)
{
	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" "
		"font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n<text x=\"%d\" y=\"24\" font-size=\"15\">",
		WIDTH, HEIGHT, LEFT);
	put_text(out, r->program);
	fputs(": ", out);
	put_text(out, r->what);
	fprintf(out, " covered by %s, %zu of %zu", r->strategy, r->covered, r->estimated);
	fputs("</text>\n", out);
	if (r->estimates)
		put_key(out);
	put_panel(out, r, LEFT, false);
	put_panel(out, r, LEFT + PANEL + GAP, true);
	fputs("</svg>\n", out);
}
