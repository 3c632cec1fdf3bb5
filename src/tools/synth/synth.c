// am_synth_make: runs the stages of synth.h one after another, then writes each frame into a clip and its ground
// truth.
#include "synth/synth.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/rng.h"

#include <string.h>

static const char *const kind_names[AM_SYNTH_KIND_COUNT] = {
    "stand",    "walk",       "jog",  "run",    "turn", "curve",  "strafe",
    "backward", "start_stop", "jump", "crouch", "sit",  "wander", "corner",
};
static const char *const tag_names[AM_SYNTH_TAG_COUNT] = {
    "idle", "walk", "jog", "run", "turn", "strafe", "backward", "jump", "creep", "sit",
};

const char *am_synth_kind_name(am_synth_kind kind)
{
    return (int)kind >= 0 && kind < AM_SYNTH_KIND_COUNT ? kind_names[kind] : "none";
}

const char *am_synth_tag_name(am_synth_tag tag)
{
    return (int)tag >= 0 && tag < AM_SYNTH_TAG_COUNT ? tag_names[tag] : "none";
}

am_synth_def am_synth_def_default(void)
{
    am_synth_def def = { .kind = AM_SYNTH_WALK, .fps = 60.0f, .side = 1.0f, .seed = 1, .cookie = AM_COOKIE };
    return def;
}

/// Fastest that a kind's gait stays human at.
static float fastest(am_synth_kind kind)
{
    switch (kind) {
    case AM_SYNTH_STRAFE:
    case AM_SYNTH_BACKWARD:
        return 1.2f;
    case AM_SYNTH_CROUCH:
        return 1.3f;
    default:
        return 5.5f;
    }
}

/// Fastest turn, rad/s: people take sharp corners at 200 degrees per second.
static float fastest_turn(am_synth_kind kind) { return kind == AM_SYNTH_CORNER ? 4.0f : 2.5f; }

static am_result check_def(const am_synth_def *def, am_error *err)
{
    if (!def || def->cookie != AM_COOKIE) {
        return ami_fail(err, AM_ERR_DEF, "initialise the synth def with am_synth_def_default()");
    }
    if ((int)def->kind < 0 || def->kind >= AM_SYNTH_KIND_COUNT) {
        return ami_fail(err, AM_ERR_DEF, "there is no kind of motion number %d", (int)def->kind);
    }
    if (!(def->fps >= 10.0f) || !(def->fps <= 480.0f)) {
        return ami_fail(err, AM_ERR_RANGE, "the rate is %g frames per second; give 10 to 480", (double)def->fps);
    }
    if (!(def->seconds == 0.0f || def->seconds >= 0.5f) || !(def->seconds <= 3600.0f)) {
        return ami_fail(err, AM_ERR_RANGE, "the length is %g s; give 0.5 to 3600, or 0 for the kind's own",
                        (double)def->seconds);
    }
    if (!(def->speed == 0.0f || def->speed >= 0.2f) || !(def->speed <= fastest(def->kind))) {
        return ami_fail(err, AM_ERR_RANGE, "the speed is %g m/s; give %s 0.2 to %g m/s, or 0 for its own",
                        (double)def->speed, kind_names[def->kind], (double)fastest(def->kind));
    }
    float most = fastest_turn(def->kind);
    if (!(def->turn == 0.0f || def->turn >= 0.1f) || !(def->turn <= most)) {
        return ami_fail(err, AM_ERR_RANGE,
                        "the turn is %g rad/s (%g degrees per second); give %s 0.1 to %g (6 to %.0f degrees), or 0 "
                        "for the kind's own",
                        (double)def->turn, (double)(def->turn / AM_DEG), kind_names[def->kind], (double)most,
                        (double)(most / AM_DEG));
    }
    if (def->kind == AM_SYNTH_CURVE && def->speed * def->turn > 4.0f) {
        return ami_fail(err, AM_ERR_RANGE, "%g m/s at %g rad/s is too sharp a curve; keep their product within 4",
                        (double)def->speed, (double)def->turn);
    }
    if (!(def->side == 1.0f || def->side == -1.0f)) {
        return ami_fail(err, AM_ERR_RANGE, "the side is %g; give 1 (left) or -1 (right)", (double)def->side);
    }
    return AM_OK;
}

// ---------------------------------------------------------------------------------------------
// Truth

static am_synth_tag tag_of(const synth_scene *scene, const synth_state *s, double t)
{
    for (int i = 0; i < scene->plan.act_count; i++) {
        const synth_act *what = &scene->plan.acts[i];
        bool jump = what->kind == ACT_JUMP;
        double seconds = jump ? ami_synth_jump(what).end : SYNTH_SIT_DOWN_S + (double)what->seconds + SYNTH_SIT_UP_S;
        if (t >= what->t && t <= what->t + seconds) {
            return jump ? AM_SYNTH_TAG_JUMP : AM_SYNTH_TAG_SIT;
        }
    }
    if (s->crouch > 0.5f) {
        return AM_SYNTH_TAG_CREEP;
    }
    if (s->speed < 0.15f) {
        return am_abs(s->turn) > 0.2f ? AM_SYNTH_TAG_TURN : AM_SYNTH_TAG_IDLE;
    }
    if (am_abs(s->left) > am_abs(s->forward)) {
        return AM_SYNTH_TAG_STRAFE;
    }
    if (s->forward < 0.0f) {
        return AM_SYNTH_TAG_BACKWARD;
    }
    return s->forward < 2.0f ? AM_SYNTH_TAG_WALK : s->forward < 3.0f ? AM_SYNTH_TAG_JOG : AM_SYNTH_TAG_RUN;
}

static am_synth_truth truth_at(const synth_scene *scene, double t)
{
    synth_state s = ami_synth_state(&scene->path, t);
    am_synth_truth truth = { 0 };
    for (int foot = LEFT; foot <= RIGHT; foot++) {
        synth_foot f = ami_synth_foot_at(&scene->steps, foot, t);
        unsigned bits = (f.ball_fixed ? AM_SYNTH_LEFT_TOE : 0u) | (f.heel_fixed ? AM_SYNTH_LEFT_HEEL : 0u);
        truth.contacts = (uint8_t)(truth.contacts | (bits << foot));
    }
    int at = (int)(t * SYNTH_RATE + 0.5);
    float phase = scene->steps.phase[at < scene->path.count ? at : scene->path.count - 1];
    truth.phase = phase - (float)(int)phase;
    truth.velocity = am_v3(s.vx, 0.0f, s.vz);
    truth.speed = am_v3_length(truth.velocity);
    truth.heading = am_wrap_angle(s.heading);
    truth.turn = s.turn;
    truth.tag = (uint8_t)tag_of(scene, &s, t);
    return truth;
}

// ---------------------------------------------------------------------------------------------

static bool build_scene(synth_scene *scene, ami_arena *arena, const am_synth_def *def)
{
    am_rng root = ami_rng_make(def->seed);
    am_rng plan = ami_rng_fork(&root, 0), feet = ami_rng_fork(&root, 1), idle = ami_rng_fork(&root, 2);
    am_rng sway = ami_rng_fork(&root, 3);
    scene->plan.arena = arena;
    ami_synth_plan(&scene->plan, def, &plan);
    for (size_t i = 0; i < sizeof scene->idle.phase / sizeof scene->idle.phase[0]; i++) {
        scene->idle.phase[i] = am_rng_float(&idle);
    }
    return !scene->plan.failed && ami_synth_path(&scene->path, &scene->plan) &&
           ami_synth_steps(&scene->steps, &scene->plan, &scene->path, &feet) &&
           ami_synth_tracks(&scene->tracks, &scene->plan, &scene->path, &scene->steps, &sway);
}

/// Rotations keep to one half of the sphere from frame to frame, so that channels can be compared and blended.
static void sample_frames(am_synth *out, const synth_scene *scene)
{
    am_clip *clip = out->clip;
    am_transform local[J_COUNT];
    for (int f = 0; f < clip->frame_count; f++) {
        double t = scene->plan.begin + (double)f / (double)clip->fps;
        ami_synth_pose(local, scene, t);
        am_quat *row = clip->rotations + (size_t)f * J_COUNT;
        for (int j = 0; j < J_COUNT; j++) {
            row[j] = f ? am_quat_nearest(local[j].rotation, row[j - J_COUNT]) : am_quat_abs(local[j].rotation);
        }
        clip->translations[f] = local[J_HIPS].translation;
        out->truth[f] = truth_at(scene, t);
    }
}

static am_result fill(am_synth *out, const synth_scene *scene, const am_synth_def *def, am_error *err)
{
    am_clip_def clip = am_clip_def_default();
    ami_synth_figure(&clip);
    clip.alloc = &out->alloc;
    clip.fps = def->fps;
    clip.frame_count = (int)(scene->plan.length * (double)def->fps + 0.5) + 1;
    clip.name = def->name ? def->name : kind_names[def->kind];
    am_result result = am_clip_create(&out->clip, &clip, err);
    if (result != AM_OK) {
        return result;
    }
    size_t size = (size_t)clip.frame_count * sizeof(am_synth_truth);
    out->truth = ami_alloc_zero(&out->alloc, size);
    if (!out->truth) {
        return ami_fail_memory(err, size);
    }
    out->roles = ami_synth_roles();
    sample_frames(out, scene);
    return AM_OK;
}

am_result am_synth_make(am_synth *out, const am_synth_def *def, am_error *err)
{
    memset(out, 0, sizeof *out);
    am_result result = check_def(def, err);
    if (result != AM_OK) {
        return result;
    }
    out->alloc = ami_alloc_or_default(def->alloc);
    out->kind = def->kind;
    ami_arena arena = ami_arena_make(&out->alloc);
    synth_scene scene = { 0 };
    if (build_scene(&scene, &arena, def)) {
        result = fill(out, &scene, def, err);
    } else {
        result = ami_fail(err, AM_ERR_MEMORY, "out of memory for the plan of %s", kind_names[def->kind]);
    }
    ami_arena_free(&arena);
    if (result != AM_OK) {
        am_synth_free(out);
    }
    return result;
}

void am_synth_free(am_synth *synth)
{
    if (synth->clip) {
        ami_release(&synth->alloc, synth->truth, (size_t)synth->clip->frame_count * sizeof(am_synth_truth));
        am_clip_destroy(synth->clip);
    }
    memset(synth, 0, sizeof *synth);
}
