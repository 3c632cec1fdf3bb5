// Operators 6.2: an encoder of controls beside a vector made by hand, the encoding of eight numbers (figure 12).
#include "behaviours_courses.h"
#include "operators_tables.h"

#include <amble/tools/network.h>

#include "base/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// 6.2.1: by hand

static bool is_zero(const am_control *control, int at)
{
    return control->numbers[at] == 0.0f && control->numbers[at + 1] == 0.0f && control->numbers[at + 2] == 0.0f;
}

static void put(am_control *control, int at, am_vec3 v)
{
    control->numbers[at] = v.x;
    control->numbers[at + 1] = v.y;
    control->numbers[at + 2] = v.z;
}

/// What configs/controls/operators/by_hand.json does in training: what was not asked for is where the character is
/// and faces, and flags say so.
void operators_by_hand(const behaviours *b, am_control *control, am_transform root)
{
    const am_vec3 faces = am_quat_rotate(root.rotation, am_v3(0.0f, 0.0f, 1.0f));
    int target, facing, trajectory, faced;
    if (ami_control_find(b->schema, "target", &target, NULL) < 0 ||
        ami_control_find(b->schema, "facing", &facing, NULL) < 0 ||
        ami_control_find(b->schema, "faced", &faced, NULL) < 0 ||
        ami_control_find(b->schema, "trajectory[0].position", &trajectory, NULL) < 0) {
        return;
    }
    const bool to = !is_zero(control, target), with_facing = to && !is_zero(control, facing);
    (void)am_control_choose(control, "task", to ? "target" : "trajectory", NULL);
    control->numbers[faced] = with_facing ? 1.0f : 0.0f;
    if (!to) {
        put(control, target, root.translation);
    }
    if (!with_facing) {
        put(control, facing, faces);
    }
    for (int i = 0; i < b->parts[BEHAVIOUR_TRAJECTORY].count && to; i++) {
        char path[40];
        int at;
        for (int k = 0; k < 2; k++) {
            snprintf(path, sizeof path, "trajectory[%d].%s", i, k ? "facing" : "position");
            if (ami_control_find(b->schema, path, &at, NULL) >= 0) {
                put(control, at, k ? faces : root.translation);
            }
        }
    }
}

/// Rows of what a network of both tasks does.
static am_result tasks_of(const operators_shelf *s, const char *file, const char *name, am_error *err)
{
    am_model *model = NULL;
    am_result result = operators_open(s, file, &model, err);
    if (result != AM_OK || !model) {
        return result;
    }
    behaviours b;
    char title[80];
    result = behaviours_open(&b, s->e, s->db, model, err);
    b.complete = strcmp(file, "by_hand") == 0 ? operators_by_hand : NULL;
    if (result == AM_OK) {
        snprintf(title, sizeof title, "6.2.1, %s", name);
        behaviours_table_named(&b, title, "both tasks of one network");
        result = behaviours_courses(&b, err);
        result = result == AM_OK ? behaviours_goals(&b, err) : result;
    }
    behaviours_close(&b);
    am_model_close(model);
    return result;
}

// ---------------------------------------------------------------------------------------------
// Figure 12: eight numbers

enum { codes = 8, futures = 400 };

typedef struct eight {
    const am_control_schema *schema;
    am_control *control;
    am_net *net;
    am_net_work *work;
} eight;

static void encode(eight *x, float out[codes])
{
    const am_transform root = am_transform_identity();
    ami_control_flatten(x->schema, ami_net_input(x->work, 0, 0, 0), x->control->numbers, &root);
    am_net_run(x->net, x->work, 1);
    am_net_get(x->work, 0, 0, out);
}

/// Both ways to ask for a future: places and facings after 0.2, 0.4, 0.7 and 1 s, in the character's frame.
static void encode_future(eight *x, const am_transform ahead[4], float out[2][codes])
{
    const am_vec3 forward = am_v3(0.0f, 0.0f, 1.0f);
    am_control_clear(x->control);
    ask_place(x->control, "target.target", ahead[3].translation);
    ask_place(x->control, "target.facing", am_quat_rotate(ahead[3].rotation, forward));
    encode(x, out[0]);
    am_control_clear(x->control);
    for (int i = 0; i < 4; i++) {
        ask_item(x->control, "trajectory", i, ".position", ahead[i].translation);
        ask_item(x->control, "trajectory", i, ".facing", am_quat_rotate(ahead[i].rotation, forward));
    }
    encode(x, out[1]);
}

static const float ahead_s[4] = { 0.2f, 0.4f, 0.7f, 1.0f };

/// On a circle: 1.2 m/s, turning by so many rad/s.
static void arc(am_transform ahead[4], float turn)
{
    for (int i = 0; i < 4; i++) {
        const float angle = turn * ahead_s[i], way = 1.2f * ahead_s[i];
        const float half = 0.5f * angle, chord = am_abs(half) > 1e-6f ? way * am_sin(half) / half : way;
        ahead[i].translation = am_v3(chord * am_sin(half), 0.0f, chord * am_cos(half));
        ahead[i].rotation = am_quat_from_heading(angle);
    }
}

/// Coefficients of correlation between the numbers of both tasks over captured futures, and how often the nearest of
/// ten targets is that of the trajectory's own future.
static void compare_futures(eight *x, const am_db *db, double *correlation, double *found)
{
    static float pairs[futures][2][codes];
    am_rng rng = ami_rng_make(3);
    for (int n = 0; n < futures; n++) {
        am_transform ahead[4];
        int f;
        do {
            f = (int)am_rng_below(&rng, (uint32_t)db->frame_count);
        } while (am_db_range_of(db, f) != am_db_range_of(db, f + 60 < db->frame_count ? f + 60 : 0));
        const am_quat turn = db->root_rotations[f];
        for (int i = 0; i < 4; i++) {
            const int at = f + (int)(ahead_s[i] * db->fps);
            ahead[i].translation = am_quat_unrotate(turn, am_v3_sub(db->root_positions[at], db->root_positions[f]));
            ahead[i].rotation = am_quat_mul(am_quat_inv(turn), db->root_rotations[at]);
        }
        encode_future(x, ahead, pairs[n]);
    }
    *correlation = 0.0;
    double deviation[codes];
    for (int i = 0; i < codes; i++) {
        double a = 0, b = 0, aa = 0, bb = 0, ab = 0;
        for (int n = 0; n < futures; n++) {
            const double u = (double)pairs[n][0][i], v = (double)pairs[n][1][i];
            a += u / futures;
            b += v / futures;
            aa += u * u / futures;
            bb += v * v / futures;
            ab += u * v / futures;
        }
        const double both = (aa - a * a) * (bb - b * b);
        *correlation += both > 0.0 ? (ab - a * b) / sqrt(both) / codes : 0.0;
        deviation[i] = sqrt(aa - a * a) + 1e-9;
    }
    int right = 0;
    for (int n = 0; n < futures; n++) {
        int best = 0;
        double least = (double)INFINITY;
        for (int k = 0; k < 10; k++) {
            const int other = (n + 37 * k) % futures;
            double d = 0.0;
            for (int i = 0; i < codes; i++) {
                const double e = (double)(pairs[n][1][i] - pairs[other][0][i]) / deviation[i];
                d += e * e;
            }
            best = d < least ? k : best;
            least = fmin(d, least);
        }
        right += best == 0;
    }
    *found = (double)right / futures;
}

static void eight_rows(const operators_shelf *s, eight *x)
{
    static const char *const ways[] = { "turning right", "turning left", "ahead" };
    static const float turns[] = { -1.2f, 1.2f, 0.0f };
    static double numbers[6][codes], places[codes];
    static char names[6][48];
    ami_curve curves[6];
    ami_tables *t = s->e->tables;
    for (int w = 0; w < 3; w++) {
        am_transform ahead[4];
        float out[2][codes];
        arc(ahead, turns[w]);
        encode_future(x, ahead, out);
        for (int task = 0; task < 2; task++) {
            const int r = 2 * w + task;
            snprintf(names[r], sizeof names[r], "%s, %s", ways[w], task ? "trajectory" : "target");
            ami_tables_row(t);
            ami_tables_text(t, names[r]);
            for (int i = 0; i < codes; i++) {
                ami_tables_number(t, (double)out[task][i]);
                numbers[r][i] = (double)out[task][i];
                places[i] = i + 1.0;
            }
            curves[r] = (ami_curve){ .name = names[r], .x = places, .y = numbers[r], .count = codes };
        }
    }
    ami_tables_lines(t, "the eight numbers (figure 12)", "number", "value", curves, 6);
    double correlation, found;
    compare_futures(x, s->db, &correlation, &found);
    ami_tables_note(
        t,
        "%d captured seconds, asked for as a target and as a trajectory: the numbers correlate by %.2f on "
        "average; the nearest of ten targets is the trajectory's own in %.0f %%, by chance in 10 %%",
        futures, correlation, 100.0 * found);
}

static am_result figure_12(const operators_shelf *s, am_error *err)
{
    am_model *model = NULL;
    eight x = { 0 };
    behaviours b = { 0 };
    ami_tables *t = s->e->tables;
    ami_tables_begin(t, "figure 12", "encodings of the same ways, asked for as targets and as trajectories");
    ami_tables_column(t, "way", -1);
    for (int i = 0; i < codes; i++) {
        char name[8];
        snprintf(name, sizeof name, "%d", i + 1);
        ami_tables_column(t, name, 2);
    }
    am_result result = operators_open(s, "eight", &model, err);
    if (result != AM_OK || !model) {
        return result;
    }
    am_net_def def;
    am_net_def_init(&def);
    def.model = model;
    def.part = am_model_find(model, "control_encoder");
    result = behaviours_open(&b, s->e, s->db, model, err);
    result = result == AM_OK ? am_net_create(&x.net, &def, err) : result;
    result = result == AM_OK ? am_net_work_create(&x.work, x.net, 1, NULL, err) : result;
    result = result == AM_OK ? am_control_create(&x.control, b.schema, NULL, err) : result;
    if (result == AM_OK && am_net_output_size(x.net, 0) == codes) {
        x.schema = b.schema;
        eight_rows(s, &x);
    }
    am_control_destroy(x.control);
    am_net_work_destroy(x.work);
    am_net_destroy(x.net);
    behaviours_close(&b);
    am_model_close(model);
    return result;
}

am_result operators_encoder(const operators_shelf *s, am_error *err)
{
    am_result result = tasks_of(s, "both", "encoder", err);
    result = result == AM_OK ? tasks_of(s, "by_hand", "by hand", err) : result;
    return result == AM_OK ? figure_12(s, err) : result;
}
