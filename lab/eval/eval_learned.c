// amble eval learned: the cost of the networks of Learned Motion Matching and how close they come to the database,
// with the paper's own figures beside them (table 3, section 6.3).
#include "eval_learned.h"

#include "database.h"
#include "places.h"

#include "method/sources.h"
#include "net/build.h"
#include "report/metrics_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// Opening

static am_result open_part(learned_part *out, const am_model *model, const char *name, bool needed, am_error *err)
{
    *out = (learned_part){ .model = model, .part = model ? am_model_find(model, name) : -1 };
    if (out->part < 0) {
        if (needed) {
            cli_error(err, AM_ERR_KEY, NULL, "the model has no part '%s'; train it with a recipe of configs/recipes",
                      name);
            return AM_ERR_KEY;
        }
        return AM_OK;
    }
    am_net_def def;
    am_net_def_init(&def);
    def.model = model;
    def.part = out->part;
    return am_net_create(&out->net, &def, err);
}

/// The Compressor is seldom a part of the model itself: it may be in another one, or nowhere.
static am_result open_parts(learned *l, am_error *err)
{
    const eval *e = l->e;
    if (!e->model && !cli_model_find(l->model_path, sizeof l->model_path, "locomotion.amnet")) {
        cli_error(err, AM_ERR_OPEN, NULL, "models/locomotion.amnet was not found; give --model");
        return AM_ERR_OPEN;
    }
    if (e->model) {
        snprintf(l->model_path, sizeof l->model_path, "%s", e->model);
    }
    am_result result = am_model_open(&l->model, l->model_path, NULL, err);
    if (result == AM_OK && e->compressor) {
        result = am_model_open(&l->compressor_model, e->compressor, NULL, err);
    }
    if (result == AM_OK && e->ablation) {
        result = am_model_open(&l->ablation_model, e->ablation, NULL, err);
    }
    if (result == AM_OK) {
        const am_model *from = l->compressor_model ? l->compressor_model : l->model;
        result = open_part(&l->compressor, from, "compressor", l->compressor_model != NULL, err);
    }
    if (result == AM_OK) {
        result = open_part(&l->decompressor, l->model, "decompressor", true, err);
    }
    if (result == AM_OK) {
        result = open_part(&l->stepper, l->model, "stepper", false, err);
    }
    if (result == AM_OK) {
        result = open_part(&l->projector, l->model, "projector", false, err);
    }
    if (result == AM_OK) {
        result = open_part(&l->ablation, l->ablation_model, "decompressor", l->ablation_model != NULL, err);
    }
    if (result == AM_OK) {
        result = open_part(&l->ablation_compressor, l->ablation_model, "compressor", l->ablation_model != NULL, err);
    }
    return result;
}

/// Whether a network, where there is one, reads inputs of these sizes (second 0: one input) and gives `out` numbers.
static bool has_sizes(const learned_part *p, int first, int second, int out)
{
    const am_net *net = p->net;
    return !net || (ami_net_input_count(net) == (second > 0 ? 2 : 1) && am_net_input_size(net, 0) == first &&
                    (second == 0 || am_net_input_size(net, 1) == second) && ami_net_output_count(net) == 1 &&
                    am_net_output_size(net, 0) == out);
}

/// A Compressor, where there is one, with its Decompressor, which may read latents alone.
static bool pair_fits(const learned *l, const learned_part *compressor, const learned_part *decompressor)
{
    const int inputs = ami_net_input_count(decompressor->net), x = l->db->features.count;
    const int latent = am_net_input_size(decompressor->net, inputs - 1), y = l->layout.count;
    return has_sizes(compressor, y + 15 * l->db->joint_count, 0, latent) &&
           (inputs == 1 ? has_sizes(decompressor, latent, 0, y) : has_sizes(decompressor, x, latent, y));
}

/// Sizes of networks that belong together, and to the database.
static am_result check_fit(const learned *l, am_error *err)
{
    const int x = l->db->features.count, both = x + l->latent;
    if (!pair_fits(l, &l->compressor, &l->decompressor) ||
        (l->ablation.net && !pair_fits(l, &l->ablation_compressor, &l->ablation)) ||
        !has_sizes(&l->stepper, x, l->latent, both) || !has_sizes(&l->projector, x, 0, both)) {
        cli_error(err, AM_ERR_FORMAT, NULL, "the networks do not fit the database; give its --config");
        return AM_ERR_FORMAT;
    }
    if (ami_net_input_count(l->decompressor.net) == 1 && (l->stepper.net || l->projector.net)) {
        cli_error(err, AM_ERR_FORMAT, NULL,
                  "the model has a Stepper or a Projector, but its Decompressor reads no features");
        return AM_ERR_FORMAT;
    }
    return AM_OK;
}

/// The held_out of the recipe that the model carries, 0 when it says nothing.
static int held_out_of(const am_model *model)
{
    am_json_doc *doc = NULL;
    am_error err = { 0 };
    int held_out = 0;
    if (am_json_parse(&doc, model->recipe, strlen(model->recipe), "recipe", NULL, &err) == AM_OK) {
        const am_json *stages = am_json_get(am_json_root(doc), "stages");
        for (const am_json *s = stages ? stages->first : NULL; s && held_out == 0; s = s->next) {
            am_json_read_int(doc, s, "held_out", false, &held_out, 0, 1 << 20, &err);
        }
    }
    am_json_free(doc);
    return held_out;
}

/// The networks of a whole character without the data that they were trained on.
static am_result open_alone(learned *l, am_error *err)
{
    am_result result = open_parts(l, err);
    size_t size = 0;
    const void *image = result == AM_OK ? am_model_attached(l->model, AM_LEARNED_CHARACTER, &size) : NULL;
    if (result == AM_OK && (!image || l->e->compressor || l->e->ablation)) {
        cli_error(err, AM_ERR_EMPTY, l->model_path,
                  "without the motion capture only a whole character can be played; docs/data.md says how to "
                  "get the capture, --config NAME names another database");
        return AM_ERR_EMPTY;
    }
    return result == AM_OK ? am_db_from_memory(&l->db, image, size, AM_LEARNED_CHARACTER, NULL, err) : result;
}

am_result learned_own(const learned *l, am_db_measures *out, am_error *err)
{
    if (!l->alone) {
        return am_db_measure(out, l->db, NULL, err);
    }
    ami_learned_def def = ami_learned_def_default();
    am_source *source = NULL;
    def.model = l->model;
    am_result result = ami_learned_create(&source, &def, err);
    result = result == AM_OK ? ami_source_measure(out, source, NULL, err) : result;
    ami_source_destroy(source);
    return result;
}

static am_result open_all(learned *l, am_error *err)
{
    const eval *e = l->e;
    l->config = e->config ? e->config : "locomotion_gaits";
    l->alone = !e->config && !cli_database_has_data(l->config);
    if (l->alone) {
        eval_without_capture(l->e, "The networks alone, without matching beside them");
    }
    am_result result =
        l->alone ? open_alone(l, err) : cli_database_open(&l->db, l->config, e->tasks, e->progress, err);
    if (result == AM_OK && !l->alone) {
        result = open_parts(l, err);
    }
    if (result != AM_OK) {
        return result;
    }
    l->layout = ami_pose_layout_of(l->db->joint_count, l->db->moving_count);
    l->latent = am_net_input_size(l->decompressor.net, ami_net_input_count(l->decompressor.net) - 1);
    result = check_fit(l, err);
    if (!l->compressor.net) {
        return result;
    }
    l->held_out = held_out_of(l->compressor.model);
    l->z = malloc((size_t)l->db->frame_count * (size_t)l->latent * sizeof *l->z);
    if (result == AM_OK && !l->z) {
        cli_error(err, AM_ERR_MEMORY, NULL, "out of memory for the latent numbers");
        result = AM_ERR_MEMORY;
    }
    return result == AM_OK ? learned_latent(l, &l->compressor, l->z, l->latent, err) : result;
}

static void close_all(learned *l)
{
    const learned_part *parts[] = { &l->compressor, &l->decompressor,        &l->stepper,
                                    &l->projector,  &l->ablation_compressor, &l->ablation };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        am_net_destroy(parts[i]->net);
    }
    am_model_close(l->model);
    am_model_close(l->compressor_model);
    am_model_close(l->ablation_model);
    am_db_close(l->db);
    free(l->z);
}

// ---------------------------------------------------------------------------------------------
// Decompressor

static bool is_held_out(const learned *l, int range)
{
    return l->held_out > 0 && l->db->ranges[range].source % l->held_out == l->held_out - 1;
}

typedef enum part_of { ALL, TRAINED, HELD_OUT } part_of;

static void gather(const learned *l, const pose_score *scores, part_of which, pose_score *out)
{
    memset(out, 0, sizeof *out);
    for (int r = 0; r < l->db->range_count; r++) {
        if (which == ALL || (which == HELD_OUT) == is_held_out(l, r)) {
            pose_score_add(out, &scores[r]);
        }
    }
}

static double deviation_of(double sum, double squares, double count)
{
    const double mean = sum / count, variance = squares / count - mean * mean;
    return sqrt(variance > 0.0 ? variance : 0.0);
}

static void pose_row(const learned *l, const char *name, const pose_score *s, bool bounded)
{
    ami_tables *t = l->e->tables;
    if (s->count == 0) {
        return;
    }
    const double count = (double)s->count, bends = s->bends > 0 ? (double)s->bends : 1.0;
    const double mean = 100.0 * s->sum / count, deviation = 100.0 * deviation_of(s->sum, s->squares, count);
    const double ratio = s->own_jitter > 0.0 ? s->jitter / s->own_jitter : (double)NAN;
    const double none = (double)INFINITY;
    ami_tables_row(t);
    ami_tables_text(t, name);
    ami_tables_number(t, (double)s->frames);
    bounded ? ami_tables_bounded(t, mean, 1.2) : ami_tables_number(t, mean);
    bounded ? ami_tables_bounded(t, deviation, 1.1) : ami_tables_number(t, deviation);
    ami_tables_number(t, 100.0 * s->largest);
    ami_tables_number(t, 100.0 * s->jitter / bends);
    ami_tables_number(t, 100.0 * s->own_jitter / bends);
    bounded ? ami_tables_bounded(t, ratio, 1.2) : ami_tables_number(t, ratio);
    ami_tables_number(t, s->contacts > 0 ? (double)s->contacts_right / (double)s->contacts : none);
}

static void add_joints(const learned *l, const pose_score *s)
{
    ami_tables *t = l->e->tables;
    ami_tables_begin(t, "joints", "position error of each joint in character space over all frames, cm");
    ami_tables_column(t, "joint", -1);
    ami_tables_column(t, "mean_cm", 2);
    ami_tables_column(t, "deviation_cm", 2);
    const double frames = s->frames > 0 ? (double)s->frames : 1.0;
    for (int j = 0; j < l->db->joint_count; j++) {
        if (learned_counts(l->db, j)) {
            ami_tables_row(t);
            ami_tables_text(t, l->db->skeleton->names[j]);
            ami_tables_number(t, 100.0 * s->joint_sum[j] / frames);
            ami_tables_number(t, 100.0 * deviation_of(s->joint_sum[j], s->joint_squares[j], frames));
        }
    }
    ami_tables_plot(t, "mean_cm", 0);
}

/// Section 4.1: Compressor and Decompressor as a compression of poses, with or without features beside the latents.
static void add_compression(const learned *l, const pose_score *all)
{
    ami_tables *t = l->e->tables;
    const bool features = ami_net_input_count(l->decompressor.net) > 1;
    const double y = learned_poses_mb(l->db, l->db->frame_count), count = all->count > 0 ? (double)all->count : 1.0;
    const double z = (double)l->db->frame_count * l->latent * 4.0 / 1e6;
    const am_model_part *part = &l->decompressor.model->parts[l->decompressor.part];
    const double d = (double)part->parameters * 4.0 / 1e6; // the model itself may have other weights than fp32
    ami_tables_begin(t, "compression", "poses as latent numbers and a Decompressor");
    static const char *const columns[] = { "input", "y_mb", "z_mb", "d_mb", "ratio", "ratio_fp16", "mean_cm" };
    for (int i = 0; i < 7; i++) {
        ami_tables_column(t, columns[i], i == 0 ? -1 : 2);
    }
    ami_tables_row(t);
    ami_tables_text(t, features ? "features and latents" : "latents alone");
    const double cells[] = { y, z, d, y / (z + d), y / (z / 2.0 + d / 2.0), 100.0 * all->sum / count };
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
        ami_tables_number(t, cells[i]);
    }
    ami_tables_note(
        t,
        "y_mb: rotations as four floats, translations of moving joints, the root and contacts, without "
        "velocities. z_mb, d_mb and ratio are with fp32, ratio_fp16 with 16 bits for latents and weights. %s",
        features ? "The features that matching keeps anyway are not counted." : "");
}

/// The network trained with squares alone, by its own Compressor.
static am_result score_ablation(const learned *l, pose_score *scores, am_error *err)
{
    const int latent = am_net_output_size(l->ablation_compressor.net, 0);
    float *z = malloc((size_t)l->db->frame_count * (size_t)latent * sizeof *z);
    if (!z) {
        cli_error(err, AM_ERR_MEMORY, NULL, "out of memory for the latent numbers");
        return AM_ERR_MEMORY;
    }
    am_result result = learned_latent(l, &l->ablation_compressor, z, latent, err);
    if (result == AM_OK) {
        result = learned_poses(l, &l->ablation, z, latent, scores, err);
    }
    free(z);
    return result;
}

static void begin_poses(ami_tables *t)
{
    static const ami_column columns[] = { { "frames of", -1 },    { "frames", 0 },       { "mean_cm", 3 },
                                          { "deviation_cm", 3 },  { "largest_cm", 1 },   { "jitter_cm", 4 },
                                          { "own_jitter_cm", 4 }, { "jitter_times", 3 }, { "contacts_right", 4 } };
    ami_tables_begin(t, "decompressor",
                     "joint positions in character space against the database's, joints with a bone of their own");
    ami_tables_columns(t, columns, CLI_COUNT(columns));
}

static am_result add_poses(const learned *l, am_error *err)
{
    const size_t ranges = (size_t)l->db->range_count;
    pose_score *scores = calloc(2 * ranges, sizeof *scores), *sums = calloc(4, sizeof *sums);
    am_result result = AM_OK;
    if (!scores || !sums) {
        cli_error(err, AM_ERR_MEMORY, NULL, "out of memory for the scores");
        result = AM_ERR_MEMORY;
    }
    if (result == AM_OK) {
        result = learned_poses(l, &l->decompressor, l->z, l->latent, scores, err);
    }
    if (result == AM_OK && l->ablation.net) {
        result = score_ablation(l, scores + ranges, err);
    }
    if (result == AM_OK) {
        for (int i = 0; i < 3; i++) {
            gather(l, scores, (part_of)i, &sums[i]);
        }
        gather(l, scores + ranges, ALL, &sums[3]);
        begin_poses(l->e->tables);
        pose_row(l, "all clips", &sums[ALL], true);
        pose_row(l, "clips trained on", l->held_out > 0 ? &sums[TRAINED] : &sums[ALL], false);
        pose_row(l, "clips held out", &sums[HELD_OUT], false);
        pose_row(l, "mean squared error instead", &sums[3], false);
        ami_tables_row(l->e->tables);
        ami_tables_text(l->e->tables, "paper: terrain");
        ami_tables_number(l->e->tables, 170534);
        ami_tables_number(l->e->tables, 1.4);
        ami_tables_number(l->e->tables, 1.1);
        ami_tables_note(l->e->tables,
                        "jitter_cm is the mean second difference of all joints in the world, the root as "
                        "captured, in cm a frame squared at 60 Hz; jitter_times is against the same frames "
                        "as captured.");
        add_joints(l, &sums[ALL]);
        add_compression(l, &sums[ALL]);
    }
    free(scores);
    free(sums);
    return result;
}

// ---------------------------------------------------------------------------------------------
// Stepper and Projector

static am_result add_drift(const learned *l, am_error *err)
{
    ami_tables *t = l->e->tables;
    drift_score s;
    if (!l->stepper.net || !l->z) {
        return AM_OK;
    }
    const am_result result = learned_drift(l, &s, err);
    if (result != AM_OK) {
        return result;
    }
    ami_tables_begin(t, "stepper",
                     "features and poses after so long on its own results, against the clip that went on");
    static const ami_column columns[] = {
        { "seconds", 3 }, { "frames at 60 hz", 0 }, { "feature_rms", 3 }, { "place_cm", 2 }, { "still_cm", 2 }
    };
    ami_tables_columns(t, columns, CLI_COUNT(columns));
    for (int h = 0; h < learned_horizons; h++) {
        ami_tables_row(t);
        ami_tables_number(t, s.seconds[h]);
        ami_tables_number(t, s.seconds[h] * 60.0);
        ami_tables_number(t, s.x_error[h]);
        ami_tables_number(t, s.place_cm[h]);
        ami_tables_number(t, s.still_cm[h]);
    }
    ami_tables_note(t,
                    "Means over %d windows. feature_rms is in stored units: about one deviation a feature; still_cm "
                    "is the distance if the first pose were held.",
                    s.windows);
    return AM_OK;
}

static am_result add_projection(const learned *l, am_error *err)
{
    static const struct {
        const char *name;
        float noise, swap;
    } kinds[] = { { "frames as they are", 0.0f, 0.0f },
                  { "noise up to 0.5", 0.5f, 0.0f },
                  { "noise up to 1", 1.0f, 0.0f },
                  { "another frame's targets", 0.0f, 1.0f } };
    static const char *const columns[] = { "queries",        "first",    "top_10",   "near_top_10", "true_distance",
                                           "found_distance", "off_data", "place_cm", "segment_cm" };
    ami_tables *t = l->e->tables;
    if (!l->projector.net || l->alone) {
        return AM_OK;
    }
    ami_tables_begin(t, "projector", "the frame nearest to its result against the true nearest frames");
    for (int i = 0; i < 9; i++) {
        ami_tables_column(t, columns[i], i == 0 ? -1 : i >= 7 ? 2 : 3);
    }
    am_result result = AM_OK;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && result == AM_OK; i++) {
        projection_score s;
        result = learned_projection(l, kinds[i].noise, kinds[i].swap, &s, err);
        const double cells[] = { s.first,          s.ten,      s.near_ten, s.true_distance,
                                 s.found_distance, s.off_data, s.place_cm, s.segment_cm };
        ami_tables_row(t);
        ami_tables_text(t, kinds[i].name);
        for (size_t c = 0; c < sizeof cells / sizeof cells[0]; c++) {
            ami_tables_number(t, cells[c]);
        }
    }
    ami_tables_note(
        t, "first and top_10: share of queries whose result lies nearest to the true nearest frame, or to one "
           "of the ten nearest; near_top_10 within a sixth of a second of one of them. Distances in stored "
           "units; off_data is how far the result lies from any frame; place_cm how far its pose lies from "
           "that of the true nearest frame; segment_cm the mean distance of the two over the ten frames until the "
           "next search, as both continue (figure 7's re-synchronised segments).");
    return result;
}

am_result eval_learned(eval *e, am_error *err)
{
    learned l = { .e = e };
    am_result result = open_all(&l, err);
    if (result == AM_OK) {
        result = learned_costs(&l, err);
    }
    if (result == AM_OK && l.z) {
        result = add_poses(&l, err);
    }
    if (result == AM_OK) {
        result = add_drift(&l, err);
    }
    if (result == AM_OK) {
        result = add_projection(&l, err);
    }
    if (result == AM_OK && l.stepper.net && l.projector.net) {
        result = learned_play(&l, err);
    }
    if (result == AM_OK && l.stepper.net && l.projector.net) {
        result = learned_endurance(&l, err);
    }
    if (result == AM_OK) {
        snprintf(e->title, sizeof e->title, "Learned motion matching");
        const char *model = e->model ? e->model : "models/locomotion.amnet";
        if (l.alone) {
            snprintf(e->about, sizeof e->about, "%s: %d features, %d latent numbers", model, l.db->features.count,
                     l.latent);
        } else {
            snprintf(e->about, sizeof e->about, "%s on %s: %d frames, %d features, %d latent numbers%s", model,
                     l.db->name, l.db->frame_count, l.db->features.count, l.latent,
                     l.model->database_hash == l.db->hash ? "" : " (trained on another database)");
        }
        if (!l.z && !l.alone) {
            ami_tables_note(e->tables,
                            "No errors of poses, no drift of the Stepper, no dmm: those want the latents of "
                            "all frames, which only a Compressor makes (--compressor).");
        }
    }
    if (result == AM_OK && e->keep) {
        result = eval_keep(e, l.model, l.db, err);
    }
    close_all(&l);
    return result;
}
