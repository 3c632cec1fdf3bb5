// Describes files as JSON: databases, schemas, clips and networks.
#include <amble/tools/describe.h>
#include <amble/tools/network.h>
#include <amble/tools/schema.h>

#include <string.h>

// ---------------------------------------------------------------------------------------------
// Databases and schemas

void am_db_count_tags(const am_db *db, int *counts)
{
    memset(counts, 0, AM_MAX_TAGS * sizeof *counts);
    for (int f = 0; f < db->frame_count; f++) {
        for (int t = 0; t < db->tag_count; t++) {
            counts[t] += (int)((db->tags[f] >> t) & 1u);
        }
    }
}

int am_db_count_clips(const am_db *db)
{
    int most = -1;
    for (int r = 0; r < db->range_count; r++) {
        most = db->ranges[r].source > most ? db->ranges[r].source : most;
    }
    return most + 1;
}

static void write_channels(am_json_writer *writer, const am_schema *schema)
{
    am_json_begin_array(writer, "channels");
    for (int c = 0; c < schema->channel_count; c++) {
        const am_channel *channel = &schema->channels[c];
        am_json_begin_object(writer, NULL);
        am_json_string(writer, "name", channel->name);
        am_json_string(writer, "kind", am_feature_name((am_feature)channel->kind));
        am_json_integer(writer, "first", channel->first);
        am_json_integer(writer, "dims", channel->dims);
        am_json_number(writer, "weight", (double)channel->weight);
        am_json_end_object(writer);
    }
    am_json_end_array(writer);
}

void am_schema_describe(am_json_writer *writer, const am_schema *schema)
{
    am_json_string(writer, "kind", "schema");
    am_json_integer(writer, "features", schema->pca_count ? schema->pca_count : schema->raw_count);
    am_json_integer(writer, "features_raw", schema->raw_count);
    write_channels(writer, schema);
}

void am_db_describe(am_json_writer *writer, const am_db *db)
{
    int counts[AM_MAX_TAGS];
    am_db_count_tags(db, counts);
    am_json_string(writer, "kind", "database");
    am_json_string(writer, "name", db->name);
    am_json_integer(writer, "frames", db->frame_count);
    am_json_integer(writer, "joints", db->joint_count);
    am_json_integer(writer, "features", db->features.count);
    am_json_integer(writer, "bytes", (int64_t)db->image_size);
    am_json_integer(writer, "clips", am_db_count_clips(db));
    am_json_hash(writer, "hash", db->hash);
    am_json_number(writer, "fps", (double)db->fps);
    am_json_integer(writer, "ranges", db->range_count);
    am_json_integer(writer, "features_raw", db->features.raw_count);
    am_json_string(writer, "precision", db->precision == AM_PRECISION_COMPACT ? "compact" : "float");
    am_json_begin_object(writer, "tags");
    for (int t = 0; t < db->tag_count; t++) {
        am_json_integer(writer, db->tag_names[t], counts[t]);
    }
    am_json_end_object(writer);
    write_channels(writer, db->features.schema);
}

// ---------------------------------------------------------------------------------------------
// Clips

void am_clips_describe(am_json_writer *writer, const am_clips *clips)
{
    am_json_string(writer, "kind", "motion");
    am_json_begin_array(writer, "clips");
    for (int i = 0; i < clips->count; i++) {
        const am_clip *clip = clips->items[i];
        am_json_begin_object(writer, NULL);
        am_json_string(writer, "name", clip->name);
        am_json_integer(writer, "frames", clip->frame_count);
        am_json_number(writer, "fps", (double)clip->fps);
        am_json_integer(writer, "joints", clip->skeleton->joint_count);
        am_json_integer(writer, "moving", clip->moving_count);
        am_json_hash(writer, "hash", am_clip_hash(clip));
        am_json_end_object(writer);
    }
    am_json_end_array(writer);
}

// ---------------------------------------------------------------------------------------------
// What the doctor found

void am_import_clip_describe(am_json_writer *w, const am_import_clip *e)
{
    am_json_string(w, "file", e->path);
    if (e->error.code != AM_OK) {
        char text[1024];
        am_error_format(&e->error, text, sizeof text);
        am_json_string(w, "error", text);
        return;
    }
    const am_diagnosis *d = &e->diagnosis;
    if (e->clip_count > 1) {
        am_json_string(w, "clip", e->raw->name);
    }
    am_json_number(w, "fps", (double)d->fps);
    am_json_number(w, "fps_true", (double)d->fps_true);
    am_json_integer(w, "frames", e->raw->frame_count);
    am_json_number(w, "unit_m", (double)d->unit_m);
    am_json_string(w, "up", d->up);
    am_json_string(w, "facing", d->facing);
    am_json_number(w, "floor_m", (double)d->floor_m);
    am_json_bool(w, "rest_usable", !d->rest_is_pose);
    am_json_begin_object(w, "joints");
    for (int r = 0; r < AM_ROLE_COUNT; r++) {
        if (d->roles.joint[r] >= 0) {
            am_json_string(w, am_role_name((am_role)r), e->raw->skeleton->names[d->roles.joint[r]]);
        }
    }
    am_json_end_object(w);
    am_json_begin_array(w, "warnings");
    for (int i = 0; i < d->finding_count; i++) {
        am_json_begin_object(w, NULL);
        am_json_string(w, "code", d->findings[i].code);
        am_json_string(w, "text", d->findings[i].text);
        am_json_integer(w, "frame", d->findings[i].frame);
        am_json_integer(w, "last", d->findings[i].last);
        am_json_bool(w, "serious", d->findings[i].serious);
        am_json_end_object(w);
    }
    am_json_end_array(w);
    if (e->left_out) {
        am_json_bool(w, "left_out", true);
    }
}

// ---------------------------------------------------------------------------------------------
// Networks

static void put_values(am_json_writer *writer, const am_net_graph *graph)
{
    static const char *const lists[3] = { "inputs", "outputs", "states" };
    for (int list = 0; list < 3; list++) {
        am_json_begin_array(writer, lists[list]);
        for (int v = 0; v < graph->value_count; v++) {
            const am_net_value *value = &graph->values[v];
            bool here = list == 0   ? value->role == AM_NET_INPUT
                        : list == 1 ? value->output >= 0
                                    : value->role == AM_NET_STATE;
            if (here) {
                am_json_begin_object(writer, NULL);
                am_json_string(writer, "name", value->name);
                am_json_integer(writer, "rows", value->rows);
                am_json_integer(writer, "width", value->width);
                am_json_end_object(writer);
            }
        }
        am_json_end_array(writer);
    }
}

static am_result put_part(am_json_writer *writer, const am_model *model, int p, am_error *err)
{
    const am_model_part *part = &model->parts[p];
    am_net_graph *graph = NULL;
    am_result result = am_model_graph(model, p, &graph, NULL, err);
    if (result != AM_OK) {
        return result;
    }
    am_json_begin_object(writer, NULL);
    am_json_string(writer, "name", part->name);
    am_json_integer(writer, "parameters", (int64_t)part->parameters);
    am_json_integer(writer, "bytes", (int64_t)part->bytes);
    am_json_string(writer, "weights", am_net_weights_name((am_net_weights)part->weights));
    am_json_integer(writer, "operations", part->op_count);
    put_values(writer, graph);
    if (part->weights != AM_NET_FP32) {
        am_json_number(writer, "error_rms", (double)part->error_rms);
        am_json_number(writer, "error_max", (double)part->error_max);
        am_json_integer(writer, "error_samples", part->error_samples);
    }
    am_json_end_object(writer);
    am_net_graph_destroy(graph);
    return AM_OK;
}

/// Value functions of motion fields are attachments, but are listed as parts.
static void put_values_of_field(am_json_writer *writer, const am_model *model)
{
    am_model_value head;
    for (int i = 0; i < model->attachment_count; i++) {
        if (!am_model_get_value(model, i, &head)) {
            continue;
        }
        am_json_begin_object(writer, NULL);
        am_json_string(writer, "name", "value");
        am_json_integer(writer, "parameters", (int64_t)head.anchors * head.cells);
        am_json_integer(writer, "bytes", (int64_t)model->attachments[i].size);
        am_json_string(writer, "weights", am_net_weights_name(head.weights));
        am_json_string(writer, "task", head.task);
        am_json_integer(writer, "every", head.every);
        am_json_integer(writer, "states", head.states);
        am_json_integer(writer, "anchors", head.anchors);
        am_json_begin_array(writer, "grid");
        for (int a = 0; a < head.axes; a++) {
            am_json_integer(writer, NULL, head.samples[a]);
        }
        am_json_end_array(writer);
        am_json_number(writer, "gamma", (double)head.gamma);
        am_json_number(writer, "weight", (double)head.weight);
        am_json_number(writer, "steer_deg_s", (double)(head.steer_rad_s / AM_DEG));
        am_json_number(writer, "steer_cost", (double)head.steer_cost);
        am_json_integer(writer, "k", head.k);
        am_json_number(writer, "bound", (double)head.bound);
        am_json_hash(writer, "database_hash", head.database_hash);
        am_json_end_object(writer);
    }
}

am_result am_model_describe(am_json_writer *writer, const am_model *model, am_error *err)
{
    am_json_string(writer, "kind", "network");
    am_json_begin_array(writer, "parts");
    am_result result = AM_OK;
    for (int p = 0; p < model->part_count && result == AM_OK; p++) {
        result = put_part(writer, model, p, err);
    }
    put_values_of_field(writer, model);
    am_json_end_array(writer);
    am_json_begin_array(writer, "attachments");
    for (int i = 0; i < model->attachment_count; i++) {
        am_json_begin_object(writer, NULL);
        am_json_string(writer, "name", model->attachments[i].name);
        am_json_integer(writer, "bytes", (int64_t)model->attachments[i].size);
        am_json_end_object(writer);
    }
    am_json_end_array(writer);
    am_json_string(writer, "recipe", model->recipe);
    am_json_hash(writer, "data_hash", model->data_hash);
    am_json_hash(writer, "database_hash", model->database_hash);
    am_json_hash(writer, "skeleton_hash", model->skeleton_hash);
    am_json_hash(writer, "hash", model->hash);
    am_json_integer(writer, "seed", (int64_t)model->seed);
    am_json_string(writer, "provenance", model->provenance);
    am_json_integer(writer, "bytes", (int64_t)model->image_size);
    return result;
}
