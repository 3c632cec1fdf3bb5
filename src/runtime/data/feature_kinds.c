// The table of feature kinds and what they share.
#include "data/feature_kinds.h"

#include "base/error.h"
#include <amble/tools/schema.h>

#include <stdio.h>
#include <string.h>

#define ROW(item, name) [item] = &ami_feature_##name,
static const ami_feature_kind *const kinds[AM_FEATURE_COUNT] = { AMI_FEATURE_KINDS(ROW) };

#define NAME(item, name) [item] = #name,
static const char *const kind_names[AM_FEATURE_COUNT] = { AMI_FEATURE_KINDS(NAME) };

const ami_feature_kind *ami_feature_of(int kind) { return kinds[kind]; }

const char *const *ami_feature_names(void) { return kind_names; }

const char *am_feature_name(am_feature kind)
{
    return (int)kind >= 0 && kind < AM_FEATURE_COUNT ? kind_names[kind] : "none";
}

am_result ami_schema_place(am_schema *schema, am_error *err)
{
    int first = 0;
    int custom = 0;
    for (int c = 0; c < schema->channel_count; c++) {
        am_channel *channel = &schema->channels[c];
        bool is_custom = channel->kind == AM_FEATURE_CUSTOM;
        channel->dims = kinds[channel->kind]->dims(channel);
        channel->first = first;
        channel->custom_first = is_custom ? custom : 0;
        first += channel->dims;
        custom += is_custom ? channel->dims : 0;
        if (first > AM_MAX_FEATURES) {
            return ami_fail(err, AM_ERR_LIMIT,
                            "channel '%s' brings the schema to %d features; at most %d are allowed", channel->name,
                            first, AM_MAX_FEATURES);
        }
    }
    schema->raw_count = first;
    schema->custom_count = custom;
    return AM_OK;
}

void ami_schema_roles(const am_schema *schema, bool *roles)
{
    memset(roles, 0, AM_ROLE_COUNT * sizeof *roles);
    roles[AM_ROLE_HIPS] = true;
    for (int c = 0; c < schema->channel_count; c++) {
        const am_channel *channel = &schema->channels[c];
        if (channel->role >= 0) {
            roles[channel->role] = true;
        }
        if (kinds[channel->kind]->uses & AMI_USES_FEET) {
            roles[AM_ROLE_LEFT_TOE] = true;
            roles[AM_ROLE_RIGHT_TOE] = true;
        }
    }
}

void ami_bake_frame(float *out, const am_schema *schema, const ami_bake *bake, int frame)
{
    for (int c = 0; c < schema->channel_count; c++) {
        const am_channel *channel = &schema->channels[c];
        kinds[channel->kind]->bake(out + channel->first, channel, bake, frame);
    }
}

int ami_bake_at(const ami_bake *bake, int frame, float seconds)
{
    // Nearest frame; floorf is exact everywhere.
    int at = frame + (int)floorf(seconds * bake->fps + 0.5f);
    return at < 0 ? 0 : at >= bake->frame_count ? bake->frame_count - 1 : at;
}

am_transform ami_bake_joint(const ami_bake *bake, int frame, int role)
{
    return bake->world[(size_t)frame * (size_t)bake->slot_count + (size_t)bake->slots[role]];
}

am_vec3 ami_bake_velocity(const ami_bake *bake, int frame, int role)
{
    int before = frame > 0 ? frame - 1 : frame;
    int after = frame + 1 < bake->frame_count ? frame + 1 : frame;
    if (after == before) {
        return am_v3_zero();
    }
    am_vec3 step =
        am_v3_sub(ami_bake_joint(bake, after, role).translation, ami_bake_joint(bake, before, role).translation);
    return am_v3_scale(step, bake->fps / (float)(after - before));
}

am_vec3 ami_bake_local_point(const ami_bake *bake, int frame, am_vec3 point)
{
    return am_quat_unrotate(bake->root_rotations[frame], am_v3_sub(point, bake->root_positions[frame]));
}

am_vec3 ami_bake_local_vector(const ami_bake *bake, int frame, am_vec3 vector)
{
    return am_quat_unrotate(bake->root_rotations[frame], vector);
}

void ami_put_axes(float *out, am_vec3 v, int axes)
{
    int at = 0;
    out[at++] = v.x;
    if (axes == 3) {
        out[at++] = v.y;
    }
    out[at] = v.z;
}

void ami_label_times(char *out, size_t size, const am_channel *channel, int dim, int axes)
{
    static const char *const names[4][3] = {
        { "", "", "" }, { "", "", "" }, { ".x", ".z", "" }, { ".x", ".y", ".z" }
    };
    char time[24] = "";
    int t = dim / axes;
    if (channel->time_count > 1 || (channel->time_count == 1 && channel->times[0] != 0.0f)) {
        snprintf(time, sizeof time, "@%.3g", (double)channel->times[t]);
    }
    snprintf(out, size, "%s%s", time, names[axes][dim % axes]);
}
