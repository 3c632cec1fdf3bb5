// amble eval fields, table `push_steps`: whether pushes on chest and hips are answered by steps, and whether planted
// feet stay until then.
#include "eval_fields.h"

#include "data/filter.h"

#include <math.h>
#include <stdlib.h>

static const double most_slide_cm = 3.0;
static const double least_share = 0.9;

/// Standing or walking characters.
typedef struct kind {
    int count, beyond, answered, without, steps;
    double slide_p95_cm, slide_max_cm, usual_slide_cm, added_max_cm, balance_s;
} kind;

/// In balance again after one or two steps. The step that a walk is taking counts: it lands where the body falls to.
static bool is_answered(const lab_push_trial *t)
{
    return t->balance.balance_s < INFINITY && t->balance.steps >= 1 && t->balance.steps <= 2;
}

static kind sum_up(const lab_push_trial *trials, int count, bool walks, float *room)
{
    kind k = { 0 };
    float usual = 0.0f;
    for (int i = 0; i < count; i++) {
        const lab_push_trial *t = &trials[i];
        if (t->walks != walks) {
            continue;
        }
        // Weight shifts of an idle motion leave the feet a little by themselves.
        bool beyond = t->balance.beyond_cm > t->usual_balance.beyond_cm + 1.0f;
        room[k.count++] = t->balance.slide_cm;
        usual = fmaxf(usual, t->usual_balance.slide_cm);
        k.beyond += beyond;
        k.answered += beyond && is_answered(t);
        k.without += beyond && t->balance.balance_s < INFINITY && t->balance.steps == 0;
        // What a walk's feet do by themselves as they leave the ground is no fault of the push.
        k.added_max_cm = fmax(k.added_max_cm, (double)(t->balance.slide_cm - t->usual_balance.slide_cm));
        k.steps += beyond ? t->balance.steps : 0;
        k.balance_s += beyond && t->balance.balance_s < INFINITY ? (double)t->balance.balance_s : 0.0;
    }
    ami_sort_floats(room, k.count);
    k.slide_p95_cm = k.count > 0 ? (double)ami_quantile(room, k.count, 0.95f) : 0.0;
    k.slide_max_cm = k.count > 0 ? (double)room[k.count - 1] : 0.0;
    k.usual_slide_cm = (double)usual;
    k.balance_s /= k.beyond > 0 ? k.beyond : 1;
    return k;
}

static void add_row(const fields *f, const fields_steps *row, const lab_push_trial *trials, float *room)
{
    ami_tables *t = f->e->tables;
    for (int walks = 0; walks < 2; walks++) {
        kind k = sum_up(trials, row->count, walks != 0, room);
        // A passive field does not stand: its feet slide without a push.
        bool bound = f->real && row->stepped && k.usual_slide_cm < 2.0 * most_slide_cm;
        double share = k.beyond > 0 ? (double)k.answered / k.beyond : 1.0;
        ami_tables_row(t);
        ami_tables_text(t, row->set);
        ami_tables_text(t, row->controller);
        ami_tables_text(t, row->stepped ? "steps" : "blend");
        ami_tables_text(t, walks ? "walking" : "standing");
        ami_tables_number(t, k.count);
        ami_tables_number(t, k.slide_p95_cm);
        ami_tables_number(t, k.slide_max_cm);
        ami_tables_number(t, k.usual_slide_cm);
        bound ? ami_tables_bounded(t, k.added_max_cm, most_slide_cm) : ami_tables_number(t, k.added_max_cm);
        ami_tables_number(t, k.beyond);
        bound ? ami_tables_bounded(t, 1.0 - share, 1.0 - least_share) : ami_tables_number(t, 1.0 - share);
        ami_tables_number(t, k.without);
        ami_tables_number(t, k.beyond > 0 ? (double)k.steps / k.beyond : 0.0);
        ami_tables_number(t, k.balance_s);
    }
}

am_result fields_steps_add(const fields *f, const fields_steps *rows, int count, am_error *err)
{
    static const ami_column columns[] = { { "data", -1 },        { "controller", -1 }, { "answer", -1 },
                                          { "motion", -1 },      { "pushes", 0 },      { "slide_p95_cm", 1 },
                                          { "slide_max_cm", 1 }, { "unpushed_cm", 1 }, { "added_cm", 1 },
                                          { "beyond", 0 },       { "unanswered", 2 },  { "without", 0 },
                                          { "steps", 1 },        { "balance_s", 2 } };
    ami_tables *t = f->e->tables;
    int most = 1;
    for (int i = 0; i < count; i++) {
        most = rows[i].count > most ? rows[i].count : most;
    }
    float *room = calloc((size_t)most, sizeof *room);
    if (!room) {
        return cli_error(err, AM_ERR_MEMORY, NULL, "out of memory for %d pushes", most);
    }
    ami_tables_begin(t, "push_steps", "random pushes of 100 to 400 N for 0.1 s on chest or hips");
    ami_tables_columns(t, columns, (int)(sizeof columns / sizeof *columns));
    for (int i = 0; i < count; i++) {
        add_row(f, &rows[i], rows[i].trials, room);
    }
    ami_tables_note(t,
                    "slide: way of a planted foot on the ground before it lifts; unpushed_cm: the largest of the "
                    "same motion without the push; added_cm: the largest that a push adds to it. beyond: pushes that "
                    "carry the extrapolated centre of mass farther from the feet than the motion itself does; "
                    "unanswered: the share of them that is not in balance again after one or two steps; the step "
                    "that a walk is taking counts. without: how many of these are in balance without a step. steps, "
                    "balance_s: their means.");
    free(room);
    return AM_OK;
}
