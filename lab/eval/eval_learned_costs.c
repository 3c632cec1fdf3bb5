// The cost of matching and of its networks: table 3 of the paper, and the growth with the number of frames.
#include "bench_search.h"
#include "eval_learned.h"
#include "learned_cost.h"

#include "data/search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { weight_kinds = 3, rounds = 300, questions = 200, most_sizes = 3 };

static const char *const kind_names[weight_kinds] = { "lmm fp32", "lmm fp16", "lmm int8" };
static const am_net_weights kinds[weight_kinds] = { AM_NET_FP32, AM_NET_FP16, AM_NET_INT8 };
// Microseconds that a frame may take on one core.
static const double frame_bounds[weight_kinds] = { 40.0, (double)INFINITY, 25.0 };

/// The networks with each kind of weights. A model that is no packed character is taken as it is, alone.
typedef struct variants {
    am_model *models[weight_kinds];
    int count;
    double part_us[weight_kinds][3]; ///< D, S, P
    double frame_us[weight_kinds];   ///< of the source
} variants;

static const char *const part_names[3] = { "decompressor", "stepper", "projector" };

static double part_mb(const learned_part *p)
{
    return p->part >= 0 ? (double)p->model->parts[p->part].bytes / 1e6 : 0.0;
}

double learned_poses_mb(const am_db *db, int frames)
{
    return (double)frames * (db->joint_count * 16.0 + db->moving_count * 12.0 + 28.0 + 1.0) / 1e6;
}

static double zero_to_empty(double x) { return x > 0.0 ? x : (double)NAN; }

static double mb_of(const am_model *model, const char *name)
{
    const learned_part part = { .model = model, .part = am_model_find(model, name) };
    return part_mb(&part);
}

static double time_of(const am_model *model, const char *name, am_error *err)
{
    am_net_def def;
    am_net_def_init(&def);
    learned_part part = { .model = model, .part = am_model_find(model, name) };
    def.model = model;
    def.part = part.part;
    if (part.part < 0 || am_net_create(&part.net, &def, err) != AM_OK) {
        return (double)NAN;
    }
    const double us = learned_time(&part, err);
    am_net_destroy(part.net);
    return us;
}

/// The least of many times ten frames.
static am_result time_frames(variants *v, am_error *err)
{
    learned_walker walkers[weight_kinds];
    am_result result = AM_OK;
    memset(walkers, 0, sizeof walkers);
    for (int k = 0; k < weight_kinds && k < v->count && result == AM_OK; k++) {
        v->frame_us[k] = (double)INFINITY;
        result = learned_walker_begin(&walkers[k], v->models[k], err);
    }
    for (int r = 0; r < rounds && result == AM_OK; r++) { // in turn, so that all run under the same load
        for (int k = 0; k < weight_kinds && k < v->count; k++) {
            v->frame_us[k] = fmin(v->frame_us[k], learned_ten_frames(&walkers[k], r));
        }
    }
    for (int k = 0; k < weight_kinds && k < v->count; k++) {
        learned_walker_end(&walkers[k]);
    }
    return result;
}

static am_result make_variants(const learned *l, variants *v, am_error *err)
{
    size_t size = 0;
    am_result result = AM_OK;
    *v = (variants){ 0 };
    if (!am_model_attached(l->model, AM_LEARNED_CHARACTER, &size)) {
        return AM_OK;
    }
    for (; v->count < weight_kinds && result == AM_OK; v->count += result == AM_OK) {
        result = learned_convert(&v->models[v->count], l->model, kinds[v->count], err);
    }
    for (int k = 0; k < weight_kinds && k < v->count && result == AM_OK && l->e->timings; k++) {
        for (int p = 0; p < 3; p++) {
            v->part_us[k][p] = time_of(v->models[k], part_names[p], err);
        }
    }
    return result == AM_OK && l->e->timings ? time_frames(v, err) : result;
}

static void free_variants(variants *v)
{
    for (int k = 0; k < weight_kinds; k++) {
        am_model_close(v->models[k]);
    }
}

// ---------------------------------------------------------------------------------------------
// Table 3

static void cost_row(ami_tables *t, const char *name, const double mb[6], const double us[4])
{
    double total = 0.0;
    ami_tables_row(t);
    ami_tables_text(t, name);
    for (int i = 0; i < 6; i++) {
        ami_tables_number(t, zero_to_empty(mb[i]));
        total += mb[i];
    }
    ami_tables_number(t, total);
    for (int i = 0; us && i < 4; i++) {
        ami_tables_number(t, zero_to_empty(us[i]));
    }
}

static void network_rows(const learned *l, const variants *v)
{
    for (int k = 0; k < weight_kinds && k < v->count; k++) {
        const am_model *m = v->models[k];
        const double *us = v->part_us[k];
        cost_row(l->e->tables, kind_names[k],
                 (double[6]){ 0, 0, 0, mb_of(m, part_names[0]), mb_of(m, part_names[1]), mb_of(m, part_names[2]) },
                 l->e->timings ? (double[4]){ us[0], us[1], us[2], us[0] + us[1] + us[2] / 10.0 } : NULL);
    }
}

static void add_table_3(const learned *l, const variants *v, am_error *err)
{
    const am_db *db = l->db;
    ami_tables *t = l->e->tables;
    const double frames = (double)db->frame_count;
    const double x = frames * db->features.count * 4.0 / 1e6, z = frames * l->latent * 4.0 / 1e6;
    const double d = v->count > 0 ? mb_of(v->models[0], part_names[0]) : part_mb(&l->decompressor);
    const bool timings = l->e->timings;
    const double d_us = v->count > 0 || !timings ? v->part_us[0][0] : learned_time(&l->decompressor, err);
    const double find_us = timings && !l->alone ? learned_search_time(l, err) : 0.0;
    ami_tables_begin(t, "table 3",
                     "memory in MB and microseconds of one thread; one search or projection in ten frames");
    static const char *const columns[] = { "method", "x",     "y",    "z",    "d",    "s",
                                           "p",      "total", "d_us", "s_us", "p_us", "frame_us" };
    for (int i = 0; i < (timings ? 12 : 8); i++) {
        ami_tables_column(t, columns[i], i == 0 ? -1 : i < 8 ? 2 : 1);
    }
    const double mm_us[4] = { 0, 0, find_us, find_us / 10.0 };
    const double dmm_us[4] = { d_us, 0, find_us, d_us + find_us / 10.0 };
    if (!l->alone) {
        cost_row(t, "mm", (double[6]){ x, learned_poses_mb(db, db->frame_count), 0, 0, 0, 0 },
                 timings ? mm_us : NULL);
        cost_row(t, "dmm", (double[6]){ x, 0, z, d, 0, 0 }, timings ? dmm_us : NULL);
    }
    network_rows(l, v);
    cost_row(t, "paper: mm", (double[6]){ 9.4, 42.7, 0, 0, 0, 0 }, timings ? (double[4]){ 0, 0, 90, 9 } : NULL);
    cost_row(t, "paper: dmm", (double[6]){ 9.4, 0, 11.1, 0.9, 0, 0 }, timings ? (double[4]){ 85, 0, 90, 94 } : NULL);
    cost_row(t, "paper: lmm", (double[6]){ 0, 0, 0, 0.9, 1.2, 3.2 },
             timings ? (double[4]){ 85, 100, 127, 197 } : NULL);
    if (!l->alone) {
        ami_tables_note(
            t, "Here %d frames of %d joints with %d features (the paper: 89,480 frames of 28 joints with 27).",
            db->frame_count, db->joint_count, db->features.count);
    }
    ami_tables_note(
        t, "P is the search in rows without a Projector. Arithmetic is exact; weights are fp32 unless a row says "
           "otherwise. Single networks are timed on random inputs, which have fewer zeros than those in play.");
    ami_tables_plot(t, "total", 0);
}

// ---------------------------------------------------------------------------------------------
// Growing with the frames

/// What matching takes over the first `n` frames.
typedef struct growth {
    int n;
    double x_mb, index_mb, y_mb, z_mb;
    double search_us;
} growth;

/// Mean time of a search for the body of one frame with the trajectory of another, each the better of two.
static double time_search(const am_index *index, am_search_work *work, const float *asked, int stride)
{
    double sum = 0.0;
    for (int q = 0; q < questions; q++) {
        double least = (double)INFINITY;
        for (int k = 0; k < 2; k++) {
            am_hit hit;
            ami_search search = ami_search_default();
            search.k = 1;
            search.x = asked + (size_t)q * (size_t)stride;
            const double begun = cli_now_us(NULL);
            ami_index_search(index, &hit, &search, work);
            least = fmin(least, cli_now_us(NULL) - begun);
        }
        sum += least;
    }
    return sum / questions;
}

static am_result grow(const learned *l, const search_data *data, growth *g, am_error *err)
{
    am_db_range *ranges = calloc((size_t)data->range_count + 1, sizeof *ranges);
    float *asked = calloc((size_t)questions * (size_t)data->stride, sizeof *asked);
    am_index *index = NULL;
    am_search_work *work = NULL;
    am_result result = AM_OK;
    if (!ranges || !asked) {
        cli_error(err, AM_ERR_MEMORY, NULL, "out of memory for the evaluation");
        result = AM_ERR_MEMORY;
    }
    if (result == AM_OK) {
        am_db db = search_data_db(data, g->n, ranges);
        ami_index_def def = ami_index_def_default();
        def.db = &db;
        result = ami_index_create(&index, &def, err);
        result = result == AM_OK ? ami_search_work_create(&work, index, NULL, err) : result;
        if (result == AM_OK) {
            search_data_questions(data, g->n, 1, asked, questions);
            g->search_us = time_search(index, work, asked, data->stride);
            g->x_mb = (double)g->n * data->dims * 4.0 / 1e6;
            g->index_mb = (double)ami_index_bytes(index) / 1e6;
            g->y_mb = learned_poses_mb(l->db, g->n);
            g->z_mb = (double)g->n * l->latent * 4.0 / 1e6;
        }
        ami_search_work_destroy(work);
        ami_index_destroy(index);
    }
    free(ranges);
    free(asked);
    return result;
}

static void growth_row(ami_tables *t, const char *name, int frames, double mb, double search_us, double frame_us,
                       double bound)
{
    ami_tables_row(t);
    ami_tables_text(t, name);
    ami_tables_number(t, frames > 0 ? (double)frames : (double)NAN);
    ami_tables_number(t, mb);
    ami_tables_number(t, zero_to_empty(search_us));
    ami_tables_bounded(t, frame_us, bound);
}

static void growth_plots(ami_tables *t, const growth *g, int count, const variants *v, const double *network_mb)
{
    double n[most_sizes], mb[4][most_sizes], us[4][most_sizes];
    ami_curve memory[4], time[4];
    static const char *const names[4] = { "matching", "with the Decompressor", "networks fp32", "networks int8" };
    for (int i = 0; i < count; i++) {
        n[i] = g[i].n;
        mb[0][i] = g[i].x_mb + g[i].index_mb + g[i].y_mb;
        mb[1][i] = g[i].x_mb + g[i].index_mb + g[i].z_mb + mb_of(v->models[0], part_names[0]);
        mb[2][i] = network_mb[0];
        mb[3][i] = network_mb[2];
        us[0][i] = g[i].search_us / 10.0;
        us[1][i] = g[i].search_us / 10.0 + v->part_us[0][0];
        us[2][i] = v->frame_us[0];
        us[3][i] = v->frame_us[2];
    }
    for (int c = 0; c < 4; c++) {
        memory[c] = (ami_curve){ names[c], n, mb[c], NULL, count };
        time[c] = (ami_curve){ names[c], n, us[c], NULL, count };
    }
    ami_tables_curves(t, "Memory", "frames", "MB", memory, 4);
    ami_tables_curves(t, "A frame", "frames", "microseconds", time, 4);
}

static void add_growth_table(const learned *l, const growth *g, int count, const variants *v, int real)
{
    ami_tables *t = l->e->tables;
    double network_mb[weight_kinds];
    ami_tables_begin(t, "growth",
                     "memory and frame time of matching over more and more frames, next to the networks");
    static const char *const columns[] = { "method", "frames", "memory_mb", "search_us", "frame_us" };
    for (int i = 0; i < 5; i++) {
        ami_tables_column(t, columns[i], i == 0 ? -1 : i == 1 ? 0 : i == 2 ? 2 : 1);
    }
    const double none = (double)INFINITY;
    for (int i = 0; i < count; i++) {
        growth_row(t, "mm", g[i].n, g[i].x_mb + g[i].index_mb + g[i].y_mb, g[i].search_us, g[i].search_us / 10.0,
                   none);
    }
    for (int i = 0; i < count; i++) {
        growth_row(t, "dmm", g[i].n, g[i].x_mb + g[i].index_mb + g[i].z_mb + mb_of(v->models[0], part_names[0]),
                   g[i].search_us, g[i].search_us / 10.0 + v->part_us[0][0], none);
    }
    for (int k = 0; k < weight_kinds && k < v->count; k++) {
        network_mb[k] = (double)v->models[k]->image_size / 1e6;
        growth_row(t, kind_names[k], 0, network_mb[k], v->part_us[k][2], v->frame_us[k], frame_bounds[k]);
    }
    ami_tables_note(
        t,
        "Matching: X, its index and Y; with the Decompressor X, index, Z and D; the networks are the whole "
        "file for any number of frames. A frame is a tenth of a search (and the Decompressor), for the "
        "networks the whole step of the source with one projection in ten frames. Beyond %d frames: "
        "copies of the clips, moved and roughened.",
        real);
    growth_plots(t, g, count, v, network_mb);
}

static am_result add_growth(const learned *l, const variants *v, am_error *err)
{
    growth sizes[most_sizes] = { { .n = 10000 }, { .n = 100000 }, { .n = 300000 } };
    search_data data = { 0 };
    am_result result = search_data_load(&data, NULL, l->config, false, sizes[most_sizes - 1].n, err);
    for (int i = 0; i < most_sizes && result == AM_OK; i++) {
        result = grow(l, &data, &sizes[i], err);
    }
    if (result == AM_OK) {
        add_growth_table(l, sizes, most_sizes, v, data.real_count);
    }
    search_data_free(&data);
    return result;
}

// ---------------------------------------------------------------------------------------------
// Training

/// Hours of training of the stage called `name`, from X.times.json beside X.amnet; 0 when the file does not have
/// them.
static double hours_of(const char *model, const char *name)
{
    char path[1100];
    am_json_doc *doc = NULL;
    am_error err = { 0 };
    double hours = 0.0;
    const size_t size = strlen(model);
    const int stem = size > 6 && strcmp(model + size - 6, ".amnet") == 0 ? (int)size - 6 : (int)size;
    if (snprintf(path, sizeof path, "%.*s.times.json", stem, model) < (int)sizeof path &&
        am_json_parse_file(&doc, path, NULL, &err) == AM_OK) {
        const am_json *stages = am_json_get(am_json_root(doc), "stages");
        for (const am_json *s = stages ? stages->first : NULL; s; s = s->next) {
            const char *stage = "";
            float seconds = 0.0f;
            am_json_read_string(doc, s, "name", false, &stage, &err);
            am_json_read_float(doc, s, "seconds", false, &seconds, 0.0f, 1e9f, &err);
            hours += strcmp(stage, name) == 0 ? (double)seconds / 3600.0 : 0.0;
        }
    }
    am_json_free(doc);
    return hours;
}

static void add_hours(const learned *l)
{
    ami_tables *t = l->e->tables;
    const double d = hours_of(l->e->compressor ? l->e->compressor : l->model_path, "decompressor");
    const double s = hours_of(l->model_path, "stepper"), p = hours_of(l->model_path, "projector");
    ami_tables_begin(t, "training", "hours of the run that made each network; Stepper and Projector side by side");
    static const char *const columns[] = { "method", "d", "s", "p", "total" };
    for (int i = 0; i < 5; i++) {
        ami_tables_column(t, columns[i], i == 0 ? -1 : 2);
    }
    const double rows[2][3] = { { d, s, p }, { 8.7, 6.1, 3.3 } };
    for (int r = 0; r < 2; r++) {
        ami_tables_row(t);
        ami_tables_text(t, r ? "paper: lmm" : "lmm");
        for (int i = 0; i < 3; i++) {
            ami_tables_number(t, zero_to_empty(rows[r][i]));
        }
        ami_tables_number(t, zero_to_empty(rows[r][0] + fmax(rows[r][1], rows[r][2])));
    }
    ami_tables_note(t,
                    "Ours are what X.times.json beside a model says, other work on the machine included; those of a "
                    "Compressor that was given are taken for the Decompressor.");
}

am_result learned_costs(const learned *l, am_error *err)
{
    variants v;
    am_result result = make_variants(l, &v, err);
    if (result == AM_OK) {
        add_table_3(l, &v, err);
        if (l->e->timings && v.count == weight_kinds && !l->alone) {
            result = add_growth(l, &v, err);
        }
    }
    if (result == AM_OK && l->e->timings) {
        add_hours(l);
    }
    free_variants(&v);
    return result;
}
