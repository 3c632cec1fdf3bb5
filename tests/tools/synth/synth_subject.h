/// Synthetic clips of every kind with the places of all their joints, for the tests of synth.
#ifndef AMBLE_TEST_MAKE_SYNTH_SUBJECT_H
#define AMBLE_TEST_MAKE_SYNTH_SUBJECT_H

#include "support/check.h"

#include <amble/tools/clip.h>
#include <amble/tools/synth.h>

#define SOLE_M 0.025f // height of the toe joint in the rest pose

/// What the tests look at, for every kind at its default and at other speeds and sides.
static const struct {
    am_synth_kind kind;
    float speed, turn, side;
} cases[] = {
    { AM_SYNTH_STAND, 0.0f, 0.0f, 1.0f },      { AM_SYNTH_WALK, 0.0f, 0.0f, 1.0f },
    { AM_SYNTH_WALK, 0.5f, 0.0f, 1.0f },       { AM_SYNTH_WALK, 1.8f, 0.0f, 1.0f },
    { AM_SYNTH_JOG, 0.0f, 0.0f, 1.0f },        { AM_SYNTH_RUN, 0.0f, 0.0f, 1.0f },
    { AM_SYNTH_RUN, 5.0f, 0.0f, 1.0f },        { AM_SYNTH_TURN, 0.0f, 0.0f, 1.0f },
    { AM_SYNTH_TURN, 0.0f, 2.2f, -1.0f },      { AM_SYNTH_CURVE, 0.0f, 0.0f, 1.0f },
    { AM_SYNTH_CURVE, 3.0f, 0.8f, -1.0f },     { AM_SYNTH_STRAFE, 0.0f, 0.0f, 1.0f },
    { AM_SYNTH_STRAFE, 1.2f, 0.0f, -1.0f },    { AM_SYNTH_BACKWARD, 0.0f, 0.0f, 1.0f },
    { AM_SYNTH_BACKWARD, 1.2f, 0.0f, 1.0f },   { AM_SYNTH_START_STOP, 0.0f, 0.0f, 1.0f },
    { AM_SYNTH_START_STOP, 3.5f, 0.0f, 1.0f }, { AM_SYNTH_JUMP, 0.0f, 0.0f, 1.0f },
    { AM_SYNTH_CROUCH, 0.0f, 0.0f, 1.0f },     { AM_SYNTH_CROUCH, 1.3f, 0.0f, 1.0f },
    { AM_SYNTH_SIT, 0.0f, 0.0f, 1.0f },        { AM_SYNTH_WANDER, 0.0f, 0.0f, 1.0f },
};
enum { case_count = sizeof cases / sizeof cases[0], joints = 22 };

/// One clip with the model-space transforms of all its frames.
typedef struct subject {
    am_synth synth;
    am_transform *model; // [frame][joint]
    int frames;
    char name[64];
} subject;

static inline am_synth_def def_of(int index)
{
    am_synth_def def = am_synth_def_default();
    def.kind = cases[index].kind;
    def.speed = cases[index].speed;
    def.turn = cases[index].turn;
    def.side = cases[index].side;
    return def;
}

static inline subject make(const am_synth_def *def)
{
    subject s;
    am_error err = { 0 };
    check_ok(am_synth_make(&s.synth, def, &err), &err);
    s.frames = s.synth.clip->frame_count;
    assert_int_equal(s.synth.clip->skeleton->joint_count, joints);
    s.model = malloc((size_t)s.frames * joints * sizeof(am_transform));
    assert_non_null(s.model);
    for (int f = 0; f < s.frames; f++) {
        am_transform *row = s.model + (size_t)f * joints;
        am_clip_local(s.synth.clip, f, row);
        am_fk(row, row, s.synth.clip->skeleton->parents, joints);
    }
    snprintf(s.name, sizeof s.name, "%s %.1f m/s", am_synth_kind_name(def->kind), (double)def->speed);
    return s;
}

static inline void destroy(subject *s)
{
    free(s->model);
    am_synth_free(&s->synth);
}

static inline am_vec3 place(const subject *s, int frame, int joint)
{
    return s->model[frame * joints + joint].translation;
}

static inline int role(const subject *s, int which) { return s->synth.roles.joint[which]; }

/// Calls the check on every case.
static inline void on_all(void (*check)(const subject *s, const am_synth_def *def))
{
    for (int i = 0; i < case_count; i++) {
        am_synth_def def = def_of(i);
        subject s = make(&def);
        check(&s, &def);
        destroy(&s);
    }
}

/// Longest way of a toe joint from where its stance began.
static inline float toe_slide(const subject *s)
{
    float worst = 0.0f;
    for (int side = 0; side < 2; side++) {
        int toe = role(s, side ? AM_ROLE_RIGHT_TOE : AM_ROLE_LEFT_TOE), begun = -1;
        for (int f = 0; f < s->frames; f++) {
            if (!(s->synth.truth[f].contacts & (AM_SYNTH_LEFT_TOE << side))) {
                begun = -1;
                continue;
            }
            begun = begun < 0 ? f : begun;
            worst = am_max(worst, am_v3_distance(place(s, f, toe), place(s, begun, toe)));
        }
    }
    return worst;
}

#endif
