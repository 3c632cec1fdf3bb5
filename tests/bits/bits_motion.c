// Subjects of the bits program: operations on clips and procedural motion.
#include "bits/bits.h"

// ---------------------------------------------------------------------------------------------
// Motion: a small body that steps, sways and turns, through every operation on clips

#define BODY_JOINTS 12
#define BODY_FRAMES 150

static am_clip *make_body(float size)
{
    static const int16_t parents[BODY_JOINTS] = { -1, 0, 1, 2, 3, 0, 5, 6, 7, 0, 9, 9 };
    static const int16_t moving[1] = { 0 };
    static const char *const names[BODY_JOINTS] = { "Hips",     "LeftUpLeg",  "LeftLeg",  "LeftFoot",
                                                    "LeftToe",  "RightUpLeg", "RightLeg", "RightFoot",
                                                    "RightToe", "Chest",      "LeftArm",  "RightArm" };
    am_vec3 offsets[BODY_JOINTS] = { { 0, 0.95f, 0 },      { 0.09f, -0.05f, 0 }, { 0, -0.42f, 0.01f },
                                     { 0, -0.4f, -0.01f }, { 0, -0.06f, 0.13f }, { -0.1f, -0.05f, 0 },
                                     { 0, -0.41f, 0.01f }, { 0, -0.4f, -0.02f }, { 0, -0.07f, 0.12f },
                                     { 0, 0.4f, 0.02f },   { 0.17f, 0.1f, 0 },   { -0.17f, 0.1f, 0 } };
    for (int j = 0; j < BODY_JOINTS; j++) {
        offsets[j] = am_v3_scale(offsets[j], size);
    }
    am_clip_def def = am_clip_def_default();
    def.joint_count = BODY_JOINTS;
    def.frame_count = BODY_FRAMES;
    def.fps = 30.0f;
    def.parents = parents;
    def.offsets = offsets;
    def.names = names;
    def.moving = moving;
    def.moving_count = 1;
    am_clip *clip = NULL;
    if (am_clip_create(&clip, &def, NULL) != AM_OK) {
        return NULL;
    }
    for (int f = 0; f < BODY_FRAMES; f++) {
        float t = (float)f / 30.0f;
        am_quat *q = clip->rotations + (size_t)f * BODY_JOINTS;
        for (int j = 0; j < BODY_JOINTS; j++) {
            float swing = am_max(am_sin(6.0f * t + (j > 4 ? AM_PI : 0.0f)), 0.0f);
            float bend = j == 1 || j == 5 ? -0.6f : j == 2 || j == 6 ? 1.2f : j == 9 ? 0.1f : -0.2f;
            q[j] = am_quat_from_scaled_axis(am_v3(bend * swing, 0.02f * swing, 0.03f * (float)(j - 5) * swing));
        }
        q[0] = am_quat_from_heading(0.4f * t);
        clip->translations[f] = am_v3(0.05f * t, 0.95f * size, 0.1f * t);
    }
    return clip;
}

static am_roles body_roles(void)
{
    static const int8_t joints[AM_ROLE_COUNT] = { 0, -1, 9,  -1, -1, 1,  2,  3,  4,  5, 6,
                                                  7, 8,  -1, 10, -1, -1, -1, 11, -1, -1 };
    am_roles roles;
    for (int r = 0; r < AM_ROLE_COUNT; r++) {
        roles.joint[r] = joints[r];
    }
    return roles;
}

static void put_clip(digest *d, const am_clip *clip)
{
    for (int i = 0; clip && i < clip->frame_count * clip->skeleton->joint_count; i++) {
        put_quat(d, clip->rotations[i]);
    }
    for (int i = 0; clip && i < clip->frame_count * clip->moving_count; i++) {
        put_v3(d, clip->translations[i]);
    }
    put(d, clip ? clip->fps : NAN); // a refusal shows
}

void bits_clips(digest *d)
{
    am_clip *clip = make_body(1.0f);
    am_clip *made[3] = { NULL, NULL, NULL };
    int16_t map[BODY_JOINTS];
    am_mirror_map(map, clip->skeleton);
    am_clip_convert(&made[0], clip, 0.7f, am_quat_from_heading(0.3f), 0.0f, NULL, NULL);
    am_clip_resample(&made[1], clip, 77.0f, NULL, NULL);
    am_clip_mirror(&made[2], clip, map, NULL, NULL);
    for (int i = 0; i < 3; i++) {
        put_clip(d, made[i]);
        am_clip_destroy(made[i]);
    }
    am_clip_destroy(clip);
}

void bits_ground(digest *d)
{
    static am_vec3 positions[BODY_FRAMES];
    static am_quat rotations[BODY_FRAMES];
    static uint8_t contacts[BODY_FRAMES];
    am_clip *clip = make_body(1.0f);
    am_roles roles = body_roles();
    am_root_def root = am_root_def_default();
    am_contact_def contact = am_contact_def_default();
    float floor_m = NAN;
    am_root_track(positions, rotations, clip, &roles, &root, NULL, NULL);
    am_floor_find(&floor_m, clip, &roles, NULL, NULL);
    am_contacts_find(contacts, clip, &roles, &contact, NULL, NULL);
    for (int f = 0; f < BODY_FRAMES; f++) {
        put_v3(d, positions[f]);
        put_quat(d, rotations[f]);
        put(d, (float)contacts[f]);
    }
    put(d, floor_m);
    am_clip_destroy(clip);
}

void bits_retarget(digest *d)
{
    am_clip *clip = make_body(0.85f);
    am_clip *reference = make_body(1.0f);
    am_roles roles = body_roles();
    am_retarget_def def = am_retarget_def_default();
    def.reference = reference->skeleton;
    def.reference_roles = &roles;
    def.roles = &roles;
    am_clip *made = NULL;
    am_clip_retarget(&made, clip, &def, NULL, NULL);
    put_clip(d, made);
    am_clip_destroy(made);
    am_clip_destroy(clip);
    am_clip_destroy(reference);
}

void bits_synth(digest *d)
{
    am_synth_def def = am_synth_def_default();
    def.kind = AM_SYNTH_WANDER; // goes through nearly all of it
    def.seconds = 40.0f;
    am_synth synth;
    if (am_synth_make(&synth, &def, NULL) == AM_OK) {
        put_clip(d, synth.clip);
    }
    am_synth_free(&synth);
}
