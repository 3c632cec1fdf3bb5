/// Procedural clips as points of a body, which a test bends as it likes, and captured motion to measure them against.
#ifndef AMBLE_TEST_PLAYED_H
#define AMBLE_TEST_PLAYED_H

#include "support/check.h"
#include "support/synth_db.h"

#include "report/body.h"

/// A clip's points, which a test bends as it likes.
typedef struct played {
    am_synth synth;
    am_vec3 *points;
    am_vec3 *targets;
    float *room;
    am_motion motion;
} played;

static am_db *shared_db;
static am_reference *shared_reference;

static inline int open_all(void **state)
{
    (void)state;
    am_error err = { 0 };
    shared_db = synth_db_make(false, &err);
    am_reference_def def = am_reference_def_default();
    def.db = shared_db;
    return shared_db && am_reference_create(&shared_reference, &def, &err) == AM_OK ? 0 : -1;
}

static inline int close_all(void **state)
{
    (void)state;
    am_reference_destroy(shared_reference);
    am_db_close(shared_db);
    return 0;
}

static inline void play(played *p, am_synth_kind kind, float seconds, uint64_t seed)
{
    am_error err = { 0 };
    am_synth_def def = am_synth_def_default();
    def.kind = kind;
    def.seconds = seconds;
    def.seed = seed;
    def.fps = 60.0f;
    check_ok(am_synth_make(&p->synth, &def, &err), &err);
    const am_clip *clip = p->synth.clip;
    size_t frames = (size_t)clip->frame_count;
    p->points = calloc(frames * AM_POINT_COUNT, sizeof *p->points);
    p->targets = calloc(frames, sizeof *p->targets);
    p->room = calloc(frames, sizeof *p->room);
    p->motion = (am_motion){ .points = p->points,
                             .frames = clip->frame_count,
                             .fps = clip->fps,
                             .body = am_body_find(clip->skeleton, &p->synth.roles) };
    for (int f = 0; f < clip->frame_count; f++) {
        am_transform pose[AM_MAX_JOINTS];
        am_clip_local(clip, f, pose);
        am_fk(pose, pose, clip->skeleton->parents, clip->skeleton->joint_count);
        am_body_take(p->points + (size_t)f * AM_POINT_COUNT, &p->motion.body, pose);
        p->targets[f] = p->synth.truth[f].velocity;
    }
    p->motion.floor = am_motion_floor(&p->motion, p->room);
}

static inline void stop_playing(played *p)
{
    am_synth_free(&p->synth);
    free(p->points);
    free(p->targets);
    free(p->room);
}

static inline am_vec3 *point(played *p, int frame, int which)
{
    return &p->points[(size_t)frame * AM_POINT_COUNT + (size_t)which];
}

/// Moves every point of a frame, or those above the ankles alone.
static inline void shift(played *p, int frame, am_vec3 by, bool upper)
{
    for (int i = 0; i < AM_POINT_COUNT; i++) {
        bool foot = (i >= AM_POINT_LEFT_ANKLE && i <= AM_POINT_RIGHT_TOE) || i >= AM_POINT_LEFT_HEEL;
        if (!upper || !foot) {
            *point(p, frame, i) = am_v3_add(*point(p, frame, i), by);
        }
    }
}

/// One pose from a frame on, carried along.
static inline void freeze(played *p, int first, am_vec3 velocity)
{
    for (int f = first + 1; f < p->motion.frames; f++) {
        memcpy(point(p, f, 0), point(p, first, 0), AM_POINT_COUNT * sizeof(am_vec3));
        shift(p, f, am_v3_scale(velocity, (float)(f - first) / p->motion.fps), false);
    }
}

#endif
