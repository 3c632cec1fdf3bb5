// Build stages over pieces: rate, reference skeleton, ground root, contacts, tags, and the mirrored clips.
#include "build/build_internal.h"

#include "base/batch.h"
#include "base/error.h"

#include <stdio.h>
#include <string.h>

float ami_build_source_frame(const ami_building *b, const ami_piece *piece, int frame)
{
    const am_import_clip *source = &b->import.clips[piece->source];
    const float tempo = piece->tempo > 0.0f ? piece->tempo : 1.0f;
    float at = (float)piece->source_first + (float)frame * tempo * (source->fps / b->fps);
    float round = (float)source->diagnosis.loop_frames;
    return round > 0.0f ? at - round * floorf(at / round) : at;
}

/// One block for everything that goes with a piece's frames.
static am_result make_room(const ami_building *b, ami_piece *piece, am_error *err)
{
    size_t frames = (size_t)piece->clip->frame_count;
    size_t custom = (size_t)b->config.schema.custom_count;
    ami_layout layout = { 0 };
    for (int pass = 0; pass < 2; pass++) {
        piece->root_positions = ami_layout_take(&layout, frames, sizeof(am_vec3));
        piece->root_rotations = ami_layout_take(&layout, frames, sizeof(am_quat));
        piece->contacts = ami_layout_take(&layout, frames, 1);
        piece->tags = ami_layout_take(&layout, frames, sizeof(uint64_t));
        piece->hips = ami_layout_take(&layout, frames, sizeof(float));
        piece->toes = ami_layout_take(&layout, frames, sizeof(float));
        piece->custom = custom ? ami_layout_take(&layout, frames * custom, sizeof(float)) : NULL;
        if (pass == 0) {
            piece->block_size = layout.size;
            piece->block = layout.overflow ? NULL : ami_alloc_zero(&b->alloc, layout.size);
            if (!piece->block) {
                return ami_fail_memory(err, layout.size);
            }
            layout = (ami_layout){ piece->block, 0, false };
        }
    }
    return AM_OK;
}

/// Replaces *clip by what `made` holds, when the step went well.
static am_result take(am_clip **clip, am_clip *made, am_result result)
{
    if (result == AM_OK) {
        am_clip_destroy(*clip);
        *clip = made;
    }
    return result;
}

static am_result match_rate(const ami_building *b, ami_piece *piece, am_error *err)
{
    if (piece->clip->fps == b->fps) {
        return AM_OK;
    }
    am_clip *made = NULL;
    am_result result = am_clip_resample(&made, piece->clip, b->fps, &b->alloc, err);
    return take(&piece->clip, made, result);
}

static am_result match_skeleton(const ami_building *b, ami_piece *piece, am_error *err)
{
    const am_import_clip *source = &b->import.clips[piece->source];
    if (!b->config.retarget) {
        return AM_OK; // am_db_create refuses another skeleton
    }
    am_retarget_def def = am_retarget_def_default();
    def.reference = b->reference_clip->skeleton;
    def.reference_roles = &b->roles;
    def.roles = &source->roles;
    def.reference_floor_m = b->config.floor_m;
    am_clip *made = NULL;
    am_result result = am_clip_retarget(&made, piece->clip, &def, &b->alloc, err);
    return take(&piece->clip, made, result);
}

/// Keeps the skeleton and moves to the common floor: the hips go up or down by the clip's own error.
static am_result match_floor(const ami_building *b, ami_piece *piece, am_error *err)
{
    am_clip *clip = piece->clip;
    if (b->config.retarget || b->config.floor == AMI_FLOOR_NONE || clip->moving_count < 1 || clip->moving[0] != 0) {
        return AM_OK;
    }
    float floor_m = 0.0f;
    am_result result = am_floor_find(&floor_m, clip, &b->import.clips[piece->source].roles, &b->alloc, err);
    for (int f = 0; f < clip->frame_count && result == AM_OK; f++) {
        clip->translations[(size_t)f * (size_t)clip->moving_count].y += b->config.floor_m - floor_m;
    }
    return result;
}

static am_result find_track(const ami_building *b, ami_piece *piece, am_error *err)
{
    const am_roles *roles = ami_build_roles(b, piece);
    am_result result = am_root_track(piece->root_positions, piece->root_rotations, piece->clip, roles,
                                     &b->config.root, &b->alloc, err);
    bool toes = roles->joint[AM_ROLE_LEFT_TOE] >= 0 && roles->joint[AM_ROLE_RIGHT_TOE] >= 0;
    if (result == AM_OK && toes) {
        am_contact_def contacts = b->config.contacts;
        contacts.floor_m = b->config.floor == AMI_FLOOR_CLIP ? b->config.floor_m : NAN;
        result = am_contacts_find(piece->contacts, piece->clip, roles, &contacts, &b->alloc, err);
    }
    return result;
}

const am_roles *ami_build_roles(const ami_building *b, const ami_piece *piece)
{
    return b->config.retarget ? &b->roles : &b->import.clips[piece->source].roles;
}

am_result ami_build_fill_piece(const ami_building *b, ami_piece *piece, am_error *err)
{
    am_result result = make_room(b, piece, err);
    result = result == AM_OK ? find_track(b, piece, err) : result;
    result = result == AM_OK ? ami_build_measure_piece(b, piece, err) : result;
    if (result == AM_OK) {
        ami_build_custom_piece(b, piece);
    }
    return result;
}

static void retarget_item(void *context, int item)
{
    ami_building *b = context;
    ami_piece *piece = &b->pieces[item];
    am_error *err = &piece->error;
    am_result result = match_rate(b, piece, err);
    result = result == AM_OK ? match_skeleton(b, piece, err) : result;
    result = result == AM_OK ? match_floor(b, piece, err) : result;
    if (result == AM_OK) {
        ami_build_fill_piece(b, piece, err);
    }
}

am_result ami_build_first_error(ami_building *b, int first)
{
    for (int p = first; p < b->piece_count; p++) {
        ami_piece *piece = &b->pieces[p];
        if (piece->error.code != AM_OK) {
            am_result code = piece->error.code;
            return ami_fail(b->err, code, "clip '%s': %s", piece->name, piece->error.text);
        }
    }
    return AM_OK;
}

static am_result list_pieces(ami_building *b)
{
    int count = 0;
    for (int i = 0; i < b->import.count; i++) {
        count += ami_build_hides(b, i) ? 0 : b->import.clips[i].pieces.count;
    }
    if (count == 0) {
        return ami_fail(b->err, AM_ERR_EMPTY, "no usable motion is left of %d files; amble import says what is wrong",
                        b->import.count);
    }
    b->piece_room = (size_t)count; // bending and mirroring make more
    b->pieces = ami_alloc_array(&b->alloc, b->piece_room, sizeof *b->pieces);
    if (!b->pieces) {
        return ami_fail_memory(b->err, b->piece_room * sizeof *b->pieces);
    }
    for (int i = 0; i < b->import.count; i++) {
        am_import_clip *source = &b->import.clips[i];
        for (int p = 0; p < source->pieces.count && !ami_build_hides(b, i); p++) {
            ami_piece *piece = &b->pieces[b->piece_count++];
            piece->source = i;
            piece->piece = p;
            piece->clip = source->pieces.items[p];
            source->pieces.items[p] = NULL; // the piece owns it now
            piece->source_first = source->first_frames[p];
            am_piece_name(piece->name, sizeof piece->name, source->name, p, source->pieces.count);
        }
    }
    return AM_OK;
}

/// The skeleton that all pieces get: the reference clip's, made symmetrical when mirrored twins are wanted.
static am_result choose_skeleton(ami_building *b)
{
    while (b->import.clips[b->reference].pieces.count == 0 && b->reference + 1 < b->import.count) {
        b->reference++; // without a named reference the first usable clip is the reference
    }
    am_import_clip *source = &b->import.clips[b->reference];
    if (source->pieces.count == 0) {
        return ami_fail(b->err, AM_ERR_EMPTY,
                        "no usable motion is left; amble import shows what is wrong with the files");
    }
    b->roles = source->roles;
    const am_clip *clip = source->pieces.items[0];
    am_mirror_map(b->mirror_map, clip->skeleton);
    if (b->config.mirror && b->config.retarget) {
        return am_skeleton_symmetric(&b->reference_clip, clip, b->mirror_map, &b->alloc, b->err);
    }
    am_clip_def def = am_clip_def_like(clip);
    def.alloc = &b->alloc;
    return am_clip_create(&b->reference_clip, &def, b->err);
}

am_result ami_build_retarget(ami_building *b)
{
    am_result result = choose_skeleton(b);
    b->fps = b->config.fps > 0.0f ? b->config.fps : b->import.clips[b->reference].fps;
    result = result == AM_OK ? list_pieces(b) : result;
    if (result == AM_OK) {
        result = ami_run_batches(&b->tasks, b->def->progress, "retarget", b->piece_count, retarget_item, b, b->err);
    }
    result = result == AM_OK ? ami_build_first_error(b, 0) : result;
    result = result == AM_OK ? ami_build_bend_pieces(b) : result;
    return result == AM_OK ? ami_build_tag_pieces(b) : result;
}

am_result ami_build_more_pieces(ami_building *b, int more)
{
    size_t room = (size_t)b->piece_count + (size_t)more;
    ami_piece *pieces = ami_alloc_array(&b->alloc, room, sizeof *pieces);
    if (!pieces) {
        return ami_fail_memory(b->err, room * sizeof *pieces);
    }
    memcpy(pieces, b->pieces, (size_t)b->piece_count * sizeof *pieces);
    ami_release(&b->alloc, b->pieces, b->piece_room * sizeof *pieces);
    b->pieces = pieces;
    b->piece_room = room;
    return AM_OK;
}

// ---------------------------------------------------------------------------------------------
// Mirror

static void mirror_frames(const ami_building *b, ami_piece *to, const ami_piece *from)
{
    size_t custom = (size_t)b->config.schema.custom_count;
    for (int f = 0; f < to->clip->frame_count; f++) {
        am_vec3 p = from->root_positions[f];
        am_quat q = from->root_rotations[f];
        unsigned c = from->contacts[f];
        to->root_positions[f] = am_v3(-p.x, p.y, p.z);
        to->root_rotations[f] = am_q(q.x, -q.y, -q.z, q.w);
        to->contacts[f] =
            (uint8_t)((c & AM_CONTACT_LEFT ? AM_CONTACT_RIGHT : 0) | (c & AM_CONTACT_RIGHT ? AM_CONTACT_LEFT : 0));
        to->tags[f] = ami_build_mirror_tags(b, from->tags[f]);
    }
    if (to->custom && from->custom) {
        // As they are: the custom channel's own "mirror" list turns them when features are baked.
        memcpy(to->custom, from->custom, (size_t)to->clip->frame_count * custom * sizeof(float));
    }
}

static void mirror_item(void *context, int item)
{
    ami_building *b = context;
    ami_piece *to = &b->pieces[b->piece_count / 2 + item];
    const ami_piece *from = &b->pieces[to->twin];
    am_result result = am_clip_mirror(&to->clip, from->clip, b->mirror_map, &b->alloc, &to->error);
    result = result == AM_OK ? make_room(b, to, &to->error) : result;
    if (result == AM_OK) {
        mirror_frames(b, to, from);
    }
}

am_result ami_build_mirror(ami_building *b)
{
    if (!b->config.mirror) {
        return AM_OK;
    }
    int count = b->piece_count;
    am_result result = ami_build_more_pieces(b, count);
    for (int i = 0; i < count && result == AM_OK; i++) {
        ami_piece twin = { .source = b->pieces[i].source,
                           .piece = b->pieces[i].piece,
                           .source_first = b->pieces[i].source_first,
                           .tempo = b->pieces[i].tempo,
                           .mirrored = true,
                           .twin = i };
        snprintf(twin.name, sizeof twin.name, "%.60s_m", b->pieces[i].name);
        b->pieces[b->piece_count++] = twin;
    }
    if (result == AM_OK) {
        result = ami_run_batches(&b->tasks, b->def->progress, "mirror", count, mirror_item, b, b->err);
    }
    return result == AM_OK ? ami_build_first_error(b, count) : result;
}
