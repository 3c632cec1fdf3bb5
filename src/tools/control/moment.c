// The functions of training controls: a clip around one of its frames, and draws.
#include "control/moment.h"

static ami_moment *moment_of(void *context) { return context; }

bool ami_moment_at(ami_moment *out, const ami_motion *motion, int frame, am_rng *rng)
{
    const ami_span *span = ami_motion_span(motion, frame);
    if (!span) {
        return false;
    }
    int zero = motion->db->ranges[am_db_range_of(motion->db, frame)].start;
    *out = (ami_moment){ .motion = motion, .frame = frame, .zero = zero, .span = *span, .rng = rng };
    out->earliest = out->latest = ami_moment_now(out);
    return true;
}

// ---------------------------------------------------------------------------------------------
// Times and frames

static float time_of(const ami_moment *m, int frame) { return (float)(frame - m->zero) / m->motion->db->fps; }

float ami_moment_now(const ami_moment *moment) { return time_of(moment, moment->frame); }

/// The frame at or before a time and how far it is to the next. Times are floats: what is within 1/500 of a frame of
/// a frame is that frame, and within 1/100 of the span's ends inside it. False beyond.
static bool frame_at(ami_moment *m, float time, int *frame, float *on)
{
    float at = time * m->motion->db->fps + (float)(m->zero - m->span.start);
    int last = m->span.stop - 1 - m->span.start;
    if (!(at > -0.01f) || at > (float)last + 0.01f) {
        return false;
    }
    m->earliest = am_min(m->earliest, time);
    m->latest = am_max(m->latest, time);
    at = am_clamp(at, 0.0f, (float)last);
    int whole = (int)(at + 0.002f);
    float rest = at - (float)whole;
    *frame = m->span.start + whole;
    *on = rest > 0.002f && whole < last ? rest : 0.0f;
    return true;
}

// ---------------------------------------------------------------------------------------------
// Joints

/// From the joint up to the ground root: only its own chain.
static am_transform joint_in(const ami_motion *motion, int joint, int frame)
{
    const am_db *db = motion->db;
    am_transform at = am_transform_identity();
    for (int j = joint; j >= 0; j = db->skeleton->parents[j]) {
        at = am_transform_mul(ami_db_joint(db, frame, j, motion->moving[j]), at);
    }
    return am_transform_mul(ami_db_root(db, frame), at);
}

bool ami_moment_joint(ami_moment *m, int joint, float time, am_transform *out)
{
    int frame;
    float on;
    if (!frame_at(m, time, &frame, &on)) {
        return false;
    }
    *out = joint_in(m->motion, joint, frame);
    if (on > 0.0f) {
        am_transform next = joint_in(m->motion, joint, frame + 1);
        out->translation = am_v3_lerp(out->translation, next.translation, on);
        out->rotation = am_quat_nlerp(out->rotation, next.rotation, on);
    }
    return true;
}

bool ami_moment_velocity(ami_moment *m, int joint, float time, am_vec3 *out)
{
    float step = 1.0f / m->motion->db->fps;
    am_transform at, before, after;
    if (!ami_moment_joint(m, joint, time, &at)) {
        return false;
    }
    float earliest = m->earliest, latest = m->latest;
    bool has_before = ami_moment_joint(m, joint, time - step, &before);
    bool has_after = ami_moment_joint(m, joint, time + step, &after);
    m->earliest = earliest; // neighbours are no times that were asked about
    m->latest = latest;
    before = has_before ? before : at;
    after = has_after ? after : at;
    float seconds = step * (float)((has_before ? 1 : 0) + (has_after ? 1 : 0));
    *out =
        seconds > 0.0f ? am_v3_scale(am_v3_sub(after.translation, before.translation), 1.0f / seconds) : am_v3_zero();
    return true;
}

/// Where the joint looks that was turned to +z in the rest pose; over the ground.
static am_vec3 facing_of(const ami_motion *motion, int joint, am_quat rotation)
{
    am_quat turned = joint >= 0 ? am_quat_mul(rotation, motion->forward[joint]) : rotation;
    return am_v3_normalize_or(am_v3_ground(am_quat_rotate(turned, am_v3(0.0f, 0.0f, 1.0f))), am_v3_zero());
}

static int joint_of(const ami_moment *m, const ami_expr_value *name)
{
    return m->motion->name_joints[(int)name->number[0]];
}

static void call_position(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)count;
    am_transform at = { 0 };
    out->missing = !ami_moment_joint(context, joint_of(context, a), a[1].number[0], &at);
    ami_expr_set_vector(out, at.translation);
}

static void call_rotation(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)count;
    am_transform at = am_transform_identity();
    out->missing = !ami_moment_joint(context, joint_of(context, a), a[1].number[0], &at);
    ami_expr_set_rotation(out, at.rotation);
}

static void call_height(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)count;
    am_transform at = { 0 };
    out->missing = !ami_moment_joint(context, joint_of(context, a), a[1].number[0], &at);
    ami_expr_set_number(out, at.translation.y);
}

static void call_facing(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)count;
    int joint = joint_of(context, a);
    am_transform at = am_transform_identity();
    out->missing = !ami_moment_joint(context, joint, a[1].number[0], &at);
    am_vec3 facing = facing_of(moment_of(context)->motion, joint, at.rotation);
    out->missing |= am_v3_length2(facing) == 0.0f; // straight up or down
    ami_expr_set_vector(out, facing);
}

static void call_velocity(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)count;
    am_vec3 v = { 0 };
    out->missing = !ami_moment_velocity(context, joint_of(context, a), a[1].number[0], &v);
    ami_expr_set_vector(out, v);
}

static void call_direction(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    am_vec3 v = { 0 };
    out->missing = !ami_moment_velocity(context, joint_of(context, a), a[1].number[0], &v);
    v = am_v3_ground(v);
    if (am_v3_length2(v) < 0.01f) { // below 0.1 m/s, as the feature of trajectories
        call_facing(context, out, a, count);
    } else {
        ami_expr_set_vector(out, am_v3_normalize_or(v, v));
    }
}

// ---------------------------------------------------------------------------------------------
// The clip and its tags

static void call_now(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)a;
    (void)count;
    ami_expr_set_number(out, ami_moment_now(context));
}

static void call_start(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)a;
    (void)count;
    ami_expr_set_number(out, time_of(context, moment_of(context)->span.start));
}

static void call_end(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)a;
    (void)count;
    ami_expr_set_number(out, time_of(context, moment_of(context)->span.stop - 1));
}

/// The stretch that holds the frame or comes next within its span; NULL for none.
static const ami_span *next_stretch(const ami_moment *m, const ami_spans *spans)
{
    int at = ami_spans_from(spans, m->frame);
    return at >= 0 && spans->items[at].start < m->span.stop ? &spans->items[at] : NULL;
}

/// The stretch that holds the frame or came last within its span; NULL for none.
static const ami_span *last_stretch(const ami_moment *m, const ami_spans *spans)
{
    int at = ami_spans_from(spans, m->frame);
    at = at < 0 ? spans->count - 1 : spans->items[at].start > m->frame ? at - 1 : at;
    return at >= 0 && spans->items[at].start >= m->span.start ? &spans->items[at] : NULL;
}

static const ami_spans *tag_spans(const ami_moment *m, const ami_expr_value *name)
{
    return &m->motion->tags[(int)name->number[0]];
}

/// The stand that holds the frame at a time, or the next one; NULL for none. Without a time: from now on.
static const ami_span *next_stand(ami_moment *m, const ami_expr_value *a, int count, int *from)
{
    ami_moment at = *m;
    float on;
    *from = m->frame;
    if (count > 0 && !frame_at(m, a[0].number[0], from, &on)) {
        return NULL;
    }
    at.frame = *from;
    return next_stretch(&at, &m->motion->stands);
}

static void call_pause(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    ami_moment *m = context;
    int from;
    const ami_span *stand = next_stand(m, a, count, &from);
    int frame = !stand ? m->span.stop - 1 : stand->start > from ? stand->start : from;
    ami_expr_set_number(out, time_of(m, frame));
}

static void call_leave(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    ami_moment *m = context;
    int from;
    const ami_span *stand = next_stand(m, a, count, &from);
    out->missing = !stand;
    ami_expr_set_number(out, stand ? time_of(m, stand->stop - 1) : 0.0f);
}

static void call_next(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)count;
    const ami_moment *m = context;
    const ami_span *next = next_stretch(m, tag_spans(m, a));
    out->missing = !next;
    ami_expr_set_number(out, next ? time_of(m, next->start > m->frame ? next->start : m->frame) : 0.0f);
}

static void call_until(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)count;
    const ami_moment *m = context;
    const ami_span *next = next_stretch(m, tag_spans(m, a));
    out->missing = !next;
    ami_expr_set_number(out, next ? time_of(m, next->stop - 1) : 0.0f);
}

static void call_last(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)count;
    const ami_moment *m = context;
    const ami_span *last = last_stretch(m, tag_spans(m, a));
    out->missing = !last;
    ami_expr_set_number(out, last ? time_of(m, last->stop - 1 < m->frame ? last->stop - 1 : m->frame) : 0.0f);
}

static void call_since(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)count;
    const ami_moment *m = context;
    const ami_span *last = last_stretch(m, tag_spans(m, a));
    out->missing = !last;
    ami_expr_set_number(out, last ? time_of(m, last->start) : 0.0f);
}

static void call_tag(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    ami_moment *m = context;
    int frame = m->frame;
    float on;
    out->missing = count > 1 && !frame_at(m, a[1].number[0], &frame, &on);
    ami_expr_set_bool(out, (m->motion->db->tags[frame] >> (int)a[0].number[0] & 1u) != 0);
}

/// The first of the names that is a tag of the frame; without names, of those of the part that is set.
static void call_tag_of(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    const ami_moment *m = context;
    uint64_t tags = m->motion->db->tags[m->frame];
    for (int i = 0; i < count && !out->name; i++) {
        out->name = (tags >> (int)a[i].number[0] & 1u) != 0 ? a[i].name : NULL;
    }
    const ami_part_tags none = { 0 }, *part = m->parts && *m->part >= 0 ? &m->parts[*m->part] : &none;
    for (int i = 0; count == 0 && i < part->count && !out->name; i++) {
        bool has = part->tags[i] >= 0 && (tags >> part->tags[i] & 1u) != 0;
        out->name = has ? part->names[i] : NULL;
    }
    out->missing = !out->name;
}

// ---------------------------------------------------------------------------------------------
// Draws

static void call_uniform(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)count;
    float lo = a[0].number[0], hi = a[1].number[0];
    out->missing = hi < lo;
    ami_expr_set_number(out, am_rng_range(moment_of(context)->rng, lo, hi));
}

static void call_normal(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)count;
    ami_expr_set_number(out, a[0].number[0] + a[1].number[0] * am_rng_normal(moment_of(context)->rng));
}

static void call_chance(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)count;
    ami_expr_set_bool(out, am_rng_float(moment_of(context)->rng) < a[0].number[0]);
}

static void call_pick(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    *out = a[am_rng_below(moment_of(context)->rng, (uint32_t)count)];
}

static void call_noise(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)count;
    am_rng *rng = moment_of(context)->rng;
    am_vec3 noise;
    noise.x = a[1].number[0] * am_rng_normal(rng);
    noise.y = a[1].number[0] * am_rng_normal(rng);
    noise.z = a[1].number[0] * am_rng_normal(rng);
    ami_expr_set_vector(out, am_v3_add(ami_expr_vector(a), noise));
}

// ---------------------------------------------------------------------------------------------

#define B AMI_EXPR_BOOL
#define N AMI_EXPR_NUMBER
#define V AMI_EXPR_VECTOR
#define Q AMI_EXPR_ROTATION
#define T AMI_EXPR_NAME
#define ANY AMI_EXPR_ANY

static const ami_expr_function functions[] = {
    { "position",
      V,
      2,
      2,
      { T, N },
      "position(joint, time): where a joint or the root is",
      call_position,
      "joint",
      false },
    { "facing",
      V,
      2,
      2,
      { T, N },
      "facing(joint, time): where it faces, over the ground",
      call_facing,
      "joint",
      false },
    { "direction",
      V,
      2,
      2,
      { T, N },
      "direction(joint, time): where it moves, over the ground; below 0.1 m/s where it faces",
      call_direction,
      "joint",
      false },
    { "velocity", V, 2, 2, { T, N }, "velocity(joint, time): in m/s", call_velocity, "joint", false },
    { "rotation", Q, 2, 2, { T, N }, "rotation(joint, time): its orientation", call_rotation, "joint", false },
    { "height", N, 2, 2, { T, N }, "height(joint, time): above y = 0", call_height, "joint", false },
    { "now", N, 0, 0, { N }, "the frame's time", call_now, NULL, false },
    { "start", N, 0, 0, { N }, "the clip's first time", call_start, NULL, false },
    { "end", N, 0, 0, { N }, "the clip's last time", call_end, NULL, false },
    { "pause",
      N,
      0,
      1,
      { N },
      "pause or pause(time): when the root stands next, or the clip's end",
      call_pause,
      NULL,
      false },
    { "leave",
      N,
      0,
      1,
      { N },
      "leave or leave(time): the last time of the stand that pause is in",
      call_leave,
      NULL,
      false },
    { "next", N, 1, 1, { T }, "next(tag): the first time from now on with the tag", call_next, "tag", false },
    { "until",
      N,
      1,
      1,
      { T },
      "until(tag): the last time of the stretch that next(tag) is in",
      call_until,
      "tag",
      false },
    { "last", N, 1, 1, { T }, "last(tag): the last time up to now with the tag", call_last, "tag", false },
    { "since",
      N,
      1,
      1,
      { T },
      "since(tag): the first time of the stretch that last(tag) is in",
      call_since,
      "tag",
      false },
    { "tag", B, 1, 2, { T, N }, "tag(name) or tag(name, time): whether the frame has it", call_tag, "tag", false },
    { "tag_of",
      T,
      0,
      AMI_EXPR_ARGUMENTS,
      { T },
      "tag_of(names...): the first that is a tag of the frame; tag_of(): of the part's own names",
      call_tag_of,
      "tag",
      false },
    { "uniform", N, 2, 2, { N }, "uniform(from, to): a number drawn between", call_uniform, NULL, true },
    { "normal", N, 2, 2, { N }, "normal(mean, deviation): a number drawn", call_normal, NULL, true },
    { "chance", B, 1, 1, { N }, "chance(p): true with this probability", call_chance, NULL, true },
    { "pick", ANY, 2, 16, { ANY }, "pick(a, b, ...): one of them, drawn", call_pick, NULL, true },
    { "noise",
      V,
      2,
      2,
      { V, N },
      "noise(vector, deviation): with a normal draw on each axis",
      call_noise,
      NULL,
      true },
};

#undef B
#undef N
#undef V
#undef Q
#undef T
#undef ANY

const ami_expr_function *ami_moment_functions(int *count)
{
    *count = (int)(sizeof functions / sizeof *functions);
    return functions;
}

void ami_moment_lists(ami_expr_names out[ami_moment_list_count], const ami_motion *motion)
{
    out[0] = (ami_expr_names){ "joint", motion->joint_names, motion->joint_name_count };
    out[1] = (ami_expr_names){ "tag", motion->db->tag_names, motion->db->tag_count };
}
