// Tags of a build: automatic ones first, then those of the tag file.
#include "build/build_internal.h"

#include "base/error.h"
#include "data/filter.h"
#include "data/tags.h"
#include "base/os.h"

#include <stdio.h>
#include <string.h>

// Frames on the ground below this speed show how high the hips of an upright body are: the 75th percentile, since
// sets with crouches and crawls have few upright ones.
#define UPRIGHT_MPS 2.0f
#define UPRIGHT_SHARE 0.75f
#define UPRIGHT_LEAST 0.9f  // of thigh + shin: a set of crawls alone
#define UPRIGHT_USUAL 1.09f // where no contacts are known: CMU

static int find_name(const ami_building *b, const char *name)
{
    for (int t = 0; t < b->tag_count; t++) {
        if (strcmp(b->tag_names[t], name) == 0) {
            return t;
        }
    }
    return -1;
}

/// "left" <-> "right" within a name; false when it has neither.
static bool swap_sides(char *out, size_t size, const char *name)
{
    const char *left = strstr(name, "left");
    const char *right = strstr(name, "right");
    const char *at = left ? left : right;
    if (!at) {
        return false;
    }
    snprintf(out, size, "%.*s%s%s", (int)(at - name), name, left ? "right" : "left", at + (left ? 4 : 5));
    return true;
}

static am_result read_sheet(ami_building *b)
{
    char path[1024];
    if (!b->config.tags || b->def->clips_dir) {
        return AM_OK;
    }
    if (!am_path_beside(path, sizeof path, b->def->config_path, b->config.tags)) {
        return ami_fail(b->err, AM_ERR_LIMIT, "the path of the tag file is too long");
    }
    am_file file;
    am_result result = am_file_open(&file, path, b->err);
    if (result == AM_OK) {
        result = am_tag_sheet_read(&b->sheet, (const char *)file.data, file.size, path, &b->alloc, b->err);
        am_file_close(&file);
    }
    return result;
}

/// A row for a clip that no set has is a typing error.
static am_result check_rows(ami_building *b)
{
    for (int r = 0; r < b->sheet.row_count; r++) {
        const char *clip = b->sheet.rows[r].clip;
        bool found = false;
        for (int i = 0; i < b->import.count && !found; i++) {
            found = strcmp(b->import.clips[i].name, clip) == 0;
        }
        for (int n = 0; n < b->summary.note_count && !found; n++) {
            found = strcmp(b->summary.notes[n].clip, clip) == 0;
        }
        if (!found) {
            return ami_fail(b->err, AM_ERR_KEY, "the tag file '%s' names a clip '%s' that was not found",
                            b->config.tags, clip);
        }
    }
    return AM_OK;
}

am_result ami_build_name_tags(ami_building *b)
{
    am_result result = read_sheet(b);
    result = result == AM_OK ? check_rows(b) : result;
    if (result != AM_OK) {
        return result;
    }
    for (int t = 0; t < AM_AUTO_TAG_COUNT; t++) {
        snprintf(b->tag_names[b->tag_count++], AM_NAME_SIZE, "%s", ami_auto_tag_name((am_auto_tag)t));
    }
    // Tags of the schema come even when no row uses them: with --clips the tag file is not read.
    const am_schema *schema = &b->config.schema;
    for (int t = 0; t < schema->tag_count + b->sheet.name_count; t++) {
        bool own = t < schema->tag_count;
        const char *name = own ? schema->tag_names[t] : b->sheet.names[t - schema->tag_count];
        int found = find_name(b, name);
        if (found < 0) {
            if (b->tag_count == AM_MAX_TAGS) {
                return ami_fail(b->err, AM_ERR_LIMIT, "more than %d tags with the %d automatic ones", AM_MAX_TAGS,
                                AM_AUTO_TAG_COUNT);
            }
            found = b->tag_count++;
            snprintf(b->tag_names[found], AM_NAME_SIZE, "%s", name);
        }
        if (!own) {
            b->sheet_tags[t - schema->tag_count] = found;
        }
    }
    for (int t = 0; t < b->tag_count; t++) {
        char other[AM_NAME_SIZE];
        int twin = swap_sides(other, sizeof other, b->tag_names[t]) ? find_name(b, other) : -1;
        b->mirror_tags[t] = twin >= 0 ? twin : t;
    }
    return AM_OK;
}

uint64_t ami_build_mirror_tags(const ami_building *b, uint64_t tags)
{
    uint64_t out = 0;
    for (int t = 0; t < b->tag_count; t++) {
        out |= ((tags >> t) & 1u) << b->mirror_tags[t];
    }
    return out;
}

static void apply_rows(const ami_building *b, ami_piece *piece)
{
    const am_import_clip *source = &b->import.clips[piece->source];
    for (int r = 0; r < b->sheet.row_count; r++) {
        const am_tag_row *row = &b->sheet.rows[r];
        if (strcmp(row->clip, source->name) != 0) {
            continue;
        }
        uint64_t bit = (uint64_t)1 << b->sheet_tags[row->tag];
        int last = row->last < 0 ? source->frame_count - 1 : row->last;
        for (int f = 0; f < piece->clip->frame_count; f++) {
            int at = (int)floorf(ami_build_source_frame(b, piece, f) + 0.5f);
            piece->tags[f] |= at >= row->first && at <= last ? bit : 0;
        }
    }
}

static float leg_length(const am_skeleton *s, const am_roles *roles)
{
    float length = 0.0f;
    static const am_role parts[2] = { AM_ROLE_LEFT_LEG, AM_ROLE_LEFT_FOOT };
    for (int i = 0; i < 2; i++) {
        int joint = roles->joint[parts[i]];
        length += joint > 0 ? am_v3_length(s->offsets[joint]) : 0.0f;
    }
    return length;
}

static bool has_toes(const am_roles *roles)
{
    return roles->joint[AM_ROLE_LEFT_TOE] >= 0 && roles->joint[AM_ROLE_RIGHT_TOE] >= 0;
}

am_result ami_build_measure_piece(const ami_building *b, ami_piece *piece, am_error *err)
{
    const am_clip *clip = piece->clip;
    const am_roles *roles = ami_build_roles(b, piece);
    int left = roles->joint[AM_ROLE_LEFT_TOE];
    int right = roles->joint[AM_ROLE_RIGHT_TOE];
    bool toes = has_toes(roles);
    float floor_m = b->config.floor_m;
    if (b->config.floor == AMI_FLOOR_NONE && toes) {
        am_result result = am_floor_find(&floor_m, clip, roles, &b->alloc, err);
        if (result != AM_OK) {
            return result;
        }
    }
    am_transform pose[AM_MAX_JOINTS];
    for (int f = 0; f < clip->frame_count; f++) {
        am_clip_local(clip, f, pose);
        am_fk(pose, pose, clip->skeleton->parents, clip->skeleton->joint_count);
        piece->hips[f] = pose[roles->joint[AM_ROLE_HIPS]].translation.y - floor_m;
        piece->toes[f] = toes ? am_min(pose[left].translation.y, pose[right].translation.y) - floor_m : 0.0f;
    }
    return AM_OK;
}

static bool steps_at(const ami_piece *piece, int f, float fps)
{
    int next = f + 1 < piece->clip->frame_count ? f + 1 : f;
    float mps = am_v3_distance(piece->root_positions[f], piece->root_positions[next]) * fps;
    return piece->contacts[f] != 0 && mps < UPRIGHT_MPS;
}

/// Height of the hips over thigh + shin of people who stand and walk upright in the data. Where the hips joint lies
/// differs from rig to rig by a tenth of the leg.
static am_result find_upright(const ami_building *b, float *out)
{
    int total = 0;
    for (int p = 0; p < b->piece_count; p++) {
        total += b->pieces[p].clip->frame_count;
    }
    float *values = ami_alloc_array(&b->alloc, (size_t)total, sizeof *values);
    if (!values) {
        return ami_fail_memory(b->err, (size_t)total * sizeof *values);
    }
    int count = 0;
    for (int p = 0; p < b->piece_count; p++) {
        const ami_piece *piece = &b->pieces[p];
        float leg = leg_length(piece->clip->skeleton, ami_build_roles(b, piece));
        for (int f = 0; f < piece->clip->frame_count && leg > 0.0f; f++) {
            float ratio = piece->hips[f] / leg;
            if (steps_at(piece, f, b->fps) && ratio * 0.0f == 0.0f) {
                values[count++] = ratio;
            }
        }
    }
    ami_sort_floats(values, count);
    *out = count > 0 ? am_max(ami_quantile(values, count, UPRIGHT_SHARE), UPRIGHT_LEAST) : UPRIGHT_USUAL;
    ami_release(&b->alloc, values, (size_t)total * sizeof *values);
    return AM_OK;
}

/// A gait made in place is that gait throughout: the long flights of a sprint are no jumps, its bent knees no start.
static void forget_actions(ami_piece *piece)
{
    const uint64_t actions = 1ull << AM_TAG_JUMP | 1ull << AM_TAG_WINDUP | 1ull << AM_TAG_CREEP;
    for (int f = 0; f < piece->clip->frame_count; f++) {
        piece->tags[f] &= ~actions;
    }
}

am_result ami_build_tag_pieces(ami_building *b)
{
    float upright = 0.0f;
    am_result result = find_upright(b, &upright);
    for (int p = 0; p < b->piece_count && result == AM_OK; p++) {
        ami_piece *piece = &b->pieces[p];
        const am_roles *roles = ami_build_roles(b, piece);
        apply_rows(b, piece);
        am_auto_tag_input input = { piece->clip->frame_count,
                                    piece->clip->fps,
                                    piece->root_positions,
                                    piece->root_rotations,
                                    piece->hips,
                                    piece->toes,
                                    has_toes(roles) ? piece->contacts : NULL,
                                    upright * leg_length(piece->clip->skeleton, roles) };
        am_auto_tags(piece->tags, &input);
        if (b->import.clips[piece->source].diagnosis.in_place_mps > 0.0f) {
            forget_actions(piece);
        }
    }
    return result;
}
