// What training controls know of a database before the first draw: spans, stretches of tags, where the root stands,
// names of joints.
#include "control/moment.h"

#include "base/error.h"
#include "base/memory.h"

int ami_spans_from(const ami_spans *spans, int frame)
{
    int lo = 0, hi = spans->count;
    while (lo < hi) {
        int middle = (lo + hi) / 2;
        if (spans->items[middle].stop <= frame) {
            lo = middle + 1;
        } else {
            hi = middle;
        }
    }
    return lo < spans->count ? lo : -1;
}

const ami_span *ami_motion_span(const ami_motion *motion, int frame)
{
    int at = ami_spans_from(&motion->spans, frame);
    return at >= 0 && motion->spans.items[at].start <= frame ? &motion->spans.items[at] : NULL;
}

// ---------------------------------------------------------------------------------------------
// Stretches

/// Whether a frame belongs to a stretch.
typedef bool (*frame_test)(const void *user, int frame);

/// The stretches inside a span that pass the test and have at least `least` frames; out NULL only counts them.
static int find_stretches(ami_span *out, ami_span span, frame_test test, const void *user, int least)
{
    int count = 0, start = span.start;
    for (int f = span.start; f <= span.stop; f++) {
        if (f < span.stop && test(user, f)) {
            continue;
        }
        if (f - start >= least) {
            if (out) {
                out[count] = (ami_span){ start, f };
            }
            count++;
        }
        start = f + 1;
    }
    return count;
}

/// Of all spans. Counts first, then places.
static am_result make_stretches(ami_spans *out, const ami_motion *m, const ami_spans *within, frame_test test,
                                const void *user, int least, am_error *err)
{
    for (int pass = 0; pass < 2; pass++) {
        int count = 0;
        for (int i = 0; i < within->count; i++) {
            count += find_stretches(out->items ? out->items + count : NULL, within->items[i], test, user, least);
        }
        out->count = count;
        if (pass == 0) {
            out->items = ami_alloc_array(&m->alloc, (size_t)count + 1, sizeof *out->items);
        }
        if (!out->items) {
            return ami_fail_memory(err, ((size_t)count + 1) * sizeof *out->items);
        }
    }
    return AM_OK;
}

static void free_stretches(const ami_motion *m, ami_spans *spans)
{
    ami_release(&m->alloc, spans->items, ((size_t)spans->count + 1) * sizeof *spans->items);
}

static bool is_kept(const void *user, int frame) { return !user || !((const bool *)user)[frame]; }

static am_result make_spans(ami_motion *m, const bool *excluded, am_error *err)
{
    const am_db *db = m->db;
    ami_span *ranges = ami_alloc_array(&m->alloc, (size_t)db->range_count, sizeof *ranges);
    if (!ranges) {
        return ami_fail_memory(err, (size_t)db->range_count * sizeof *ranges);
    }
    for (int i = 0; i < db->range_count; i++) {
        ranges[i] = (ami_span){ db->ranges[i].start, db->ranges[i].stop };
    }
    const ami_spans all = { ranges, db->range_count };
    am_result result = make_stretches(&m->spans, m, &all, is_kept, excluded, 1, err);
    ami_release(&m->alloc, ranges, (size_t)db->range_count * sizeof *ranges);
    return result;
}

typedef struct tag_test {
    const am_db *db;
    int tag;
} tag_test;

static bool has_tag(const void *user, int frame)
{
    const tag_test *test = user;
    return (test->db->tags[frame] >> test->tag & 1u) != 0;
}

/// Over a tenth of a second, as far as the range goes.
static bool is_slow(const void *user, int frame)
{
    const am_db *db = user;
    int half = (int)(0.05f * db->fps + 0.5f);
    int a = ami_db_clamp(db, frame, -(half < 1 ? 1 : half)), b = ami_db_clamp(db, frame, half < 1 ? 1 : half);
    float way = am_v3_distance(db->root_positions[a], db->root_positions[b]);
    return way * db->fps < AMI_STAND_MPS * (float)(b > a ? b - a : 1);
}

// ---------------------------------------------------------------------------------------------
// Joints

static void name_joints(ami_motion *m)
{
    const am_db *db = m->db;
    int count = 0;
    m->joint_names[count] = "root";
    m->name_joints[count++] = -1;
    for (int r = 0; r < AM_ROLE_COUNT; r++) {
        if (db->roles.joint[r] >= 0) {
            m->joint_names[count] = am_role_name((am_role)r);
            m->name_joints[count++] = db->roles.joint[r];
        }
    }
    for (int j = 0; j < db->joint_count; j++) {
        m->joint_names[count] = db->skeleton->names[j];
        m->name_joints[count++] = (int16_t)j;
    }
    m->joint_name_count = count;
}

static void measure_joints(ami_motion *m)
{
    const am_db *db = m->db;
    for (int j = 0; j < db->joint_count; j++) {
        int parent = db->skeleton->parents[j];
        am_quat above = parent >= 0 ? am_quat_inv(m->forward[parent]) : am_quat_identity();
        m->forward[j] = am_quat_inv(am_quat_mul(above, db->skeleton->rests[j]));
        m->moving[j] = -1;
    }
    for (int i = 0; i < db->moving_count; i++) {
        m->moving[db->moving[i]] = (int16_t)i;
    }
}

static size_t most_names(const am_db *db) { return 1 + AM_ROLE_COUNT + (size_t)db->joint_count; }

static am_result make_joints(ami_motion *m, am_error *err)
{
    size_t names = most_names(m->db), joints = (size_t)m->db->joint_count;
    m->joint_names = ami_alloc_array(&m->alloc, names, sizeof *m->joint_names);
    m->name_joints = ami_alloc_array(&m->alloc, names, sizeof *m->name_joints);
    m->moving = ami_alloc_array(&m->alloc, joints, sizeof *m->moving);
    m->forward = ami_alloc_array(&m->alloc, joints, sizeof *m->forward);
    if (!m->joint_names || !m->name_joints || !m->moving || !m->forward) {
        return ami_fail_memory(err, names * sizeof *m->joint_names);
    }
    name_joints(m);
    measure_joints(m);
    return AM_OK;
}

// ---------------------------------------------------------------------------------------------

am_result ami_motion_create(ami_motion **out, const am_db *db, const bool *excluded, const am_alloc *alloc,
                            am_error *err)
{
    *out = NULL;
    am_alloc own = ami_alloc_or_default(alloc);
    ami_motion *m = ami_alloc_zero(&own, sizeof *m);
    if (!m) {
        return ami_fail_memory(err, sizeof *m);
    }
    m->alloc = own;
    m->db = db;
    am_result result = make_spans(m, excluded, err);
    for (int t = 0; t < db->tag_count && result == AM_OK; t++) {
        const tag_test test = { db, t };
        result = make_stretches(&m->tags[t], m, &m->spans, has_tag, &test, 1, err);
    }
    if (result == AM_OK) {
        result = make_stretches(&m->stands, m, &m->spans, is_slow, db, (int)(AMI_STAND_S * db->fps + 0.5f), err);
    }
    result = result == AM_OK ? make_joints(m, err) : result;
    if (result != AM_OK) {
        ami_motion_destroy(m);
        return result;
    }
    *out = m;
    return AM_OK;
}

void ami_motion_destroy(ami_motion *m)
{
    if (!m) {
        return;
    }
    am_alloc alloc = m->alloc;
    size_t names = most_names(m->db), joints = (size_t)m->db->joint_count;
    ami_release(&alloc, m->joint_names, names * sizeof *m->joint_names);
    ami_release(&alloc, m->name_joints, names * sizeof *m->name_joints);
    ami_release(&alloc, m->moving, joints * sizeof *m->moving);
    ami_release(&alloc, m->forward, joints * sizeof *m->forward);
    free_stretches(m, &m->spans);
    free_stretches(m, &m->stands);
    for (int t = 0; t < AM_MAX_TAGS; t++) {
        free_stretches(m, &m->tags[t]);
    }
    ami_release(&alloc, m, sizeof *m);
}
