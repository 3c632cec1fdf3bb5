// Tables as a page: the numbers, bars of the columns that matter, tracks from above.
#include "tables_parts.h"

#include "base/bytes.h"
#include "base/error.h"
#include "report/page.h"
#include "report/plot.h"

#include <string.h>

#define MOST_BARS 40

static bool put_cell(am_bytes *out, const ami_cell *cell, int digits)
{
    static const char *const classes[] = { "", " good", " bad" };
    char text[160];
    ami_cell_format(text, sizeof text, cell, digits);
    return ami_put_format(out, "<td class=\"%s%s\">", digits < 0 ? "" : "n", classes[cell->mark]) &&
           ami_put_escaped(out, text) && ami_put_text(out, "</td>");
}

static bool put_rows(am_bytes *out, const ami_table *table)
{
    bool ok = ami_put_text(out, "<div class=\"scroll\"><table><tr>");
    for (int c = 0; c < table->column_count && ok; c++) {
        ok = ami_put_format(out, "<th class=\"%s\">", table->digits[c] < 0 ? "" : "n") &&
             ami_put_escaped(out, table->columns[c]) && ami_put_text(out, "</th>");
    }
    ok = ok && ami_put_text(out, "</tr>");
    for (const ami_row *row = table->rows; row && ok; row = row->next) {
        ok = ami_put_text(out, "<tr>");
        for (int c = 0; c < table->column_count && ok; c++) {
            ok = put_cell(out, &row->cells[c], table->digits[c]);
        }
        ok = ok && ami_put_text(out, "</tr>");
    }
    return ok && ami_put_text(out, "</table></div>");
}

static bool put_plot(am_bytes *out, const ami_table *table, const ami_extra *extra)
{
    ami_bar_row bars[MOST_BARS];
    int count = 0;
    int at = 0;
    for (const ami_row *row = table->rows; row && count < MOST_BARS; row = row->next, at++) {
        const ami_cell *cell = &row->cells[extra->column];
        if (at < extra->rows_from || !cell->filled || cell->text || cell->number - cell->number != 0.0) {
            continue;
        }
        const char *label = row->cells[0].text;
        bars[count++] = (ami_bar_row){ label ? label : "", cell->number, cell->mark == AM_MARK_BAD };
    }
    return ami_put_text(out, "<section><h2>") && ami_put_escaped(out, table->columns[extra->column]) &&
           ami_put_text(out, "</h2>") && ami_plot_bar_rows(out, bars, count, table->digits[extra->column]) &&
           ami_put_text(out, "</section>");
}

static bool put_track(am_bytes *out, const ami_extra *extra)
{
    return ami_put_text(out, "<section><h2>") && ami_put_escaped(out, extra->text) && ami_put_text(out, "</h2>") &&
           ami_plot_track(out, extra->places, extra->place_count, extra->path, extra->path_count) &&
           ami_put_text(out, "</section>");
}

static bool put_curves(am_bytes *out, const ami_extra *extra)
{
    ami_curves plot = { extra->curves, extra->curve_count, extra->axes[0], extra->axes[1], extra->even };
    return ami_put_text(out, "<section><h2>") && ami_put_escaped(out, extra->text) && ami_put_text(out, "</h2>") &&
           ami_plot_curves(out, &plot) && ami_put_text(out, "</section>");
}

static bool put_table(am_bytes *out, const ami_table *table)
{
    bool ok = ami_put_text(out, "<section class=\"wide\"><h2>") && ami_put_escaped(out, table->name) &&
              ami_put_text(out, "</h2><p>") && ami_put_escaped(out, table->about) && ami_put_text(out, "</p>") &&
              put_rows(out, table);
    for (const ami_extra *extra = table->extras; extra && ok; extra = extra->next) {
        if (extra->kind == ami_extra_note) {
            ok = ami_put_text(out, "<p>") && ami_put_escaped(out, extra->text) && ami_put_text(out, "</p>");
        }
    }
    ok = ok && ami_put_text(out, "</section>");
    for (const ami_extra *extra = table->extras; extra && ok; extra = extra->next) {
        if (extra->kind == ami_extra_plot) {
            ok = put_plot(out, table, extra);
        } else if (extra->kind == ami_extra_track) {
            ok = put_track(out, extra);
        } else if (extra->kind == ami_extra_curves) {
            ok = put_curves(out, extra);
        }
    }
    return ok;
}

am_result ami_tables_page(am_bytes *out, const ami_tables *t, const char *title, const char *about, am_error *err)
{
    *out = ami_bytes_make(&t->alloc);
    bool ok = !t->failed &&
              ami_put_text(out, "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" "
                                "content=\"width=device-width\"><title>") &&
              ami_put_escaped(out, title) && ami_put_text(out, "</title>") && ami_put_text(out, ami_page_style) &&
              ami_put_text(out, "<main><h1>") && ami_put_escaped(out, title) && ami_put_text(out, "</h1><p>") &&
              ami_put_escaped(out, about) && ami_put_text(out, "</p><div class=\"grid\">");
    for (const ami_table *table = t->tables; table && ok; table = table->next) {
        ok = put_table(out, table);
    }
    ok = ok && ami_put_format(out, "</div><footer>Written by amble %s.</footer></main></html>\n", am_version());
    if (!ok) {
        am_bytes_free(out);
        return ami_fail_memory(err, out->size);
    }
    return AM_OK;
}
