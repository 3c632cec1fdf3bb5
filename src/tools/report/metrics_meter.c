// Measures of poses, one after another: slide, skate, jitter, penetration, joint travel, bends at transitions.
#include <amble/tools/metrics.h>

#include "base/error.h"
#include "base/memory.h"
#include "actor/post.h"

#include <string.h>

#define FRAMES_PER_S 60.0 ///< what "a frame" means in every measure
#define SLOW_MPS 0.2      ///< a toe slower than this counts as planted
#define LOW_M 0.2f        ///< and lower than this
#define SKATE_M 0.03f     ///< a toe this near the ground touches it

enum { sides = 2, no_bend = -1 };

struct am_meter {
    am_alloc alloc;
    size_t block_size;
    int joint_count;
    int toes[sides], ankles[sides];
    am_vec3 heels[sides]; ///< in the ankle's space
    am_floor floor;
    double bend_limit;
    am_vec3 *last, *before_last; ///< [joint]
    float last_dt;
    int past;    ///< poses in a row, up to 2
    int touched; ///< coming windows of three poses that a transition lies in
    double bend; ///< of the last three poses, cm
    int64_t frames, steps, windows, slide_count, skates, depth_count, bend_count, sharp_count;
    double slide, jitter, depth;
    double travel, ways, transition_bend;
};

am_meter_def am_meter_def_default(void)
{
    am_meter_def def = { .cookie = AM_COOKIE };
    return def;
}

static void find_feet(am_meter *m, const am_meter_def *def)
{
    static const am_role roles[sides][2] = { { AM_ROLE_LEFT_FOOT, AM_ROLE_LEFT_TOE },
                                             { AM_ROLE_RIGHT_FOOT, AM_ROLE_RIGHT_TOE } };
    for (int s = 0; s < sides; s++) {
        m->ankles[s] = def->roles->joint[roles[s][0]];
        m->toes[s] = def->roles->joint[roles[s][1]];
        if (m->ankles[s] >= 0 && m->toes[s] >= 0) {
            m->heels[s] = ami_heel_offset(def->skeleton, m->ankles[s], m->toes[s]);
        }
    }
}

am_result am_meter_create(am_meter **out, const am_meter_def *def, am_error *err)
{
    *out = NULL;
    if (!def || def->cookie != AM_COOKIE || !def->skeleton || !def->roles) {
        return ami_fail(err, AM_ERR_DEF,
                        "initialise the meter def with am_meter_def_default() and give it a skeleton and roles");
    }
    am_alloc alloc = ami_alloc_or_default(def->alloc);
    size_t joints = (size_t)def->skeleton->joint_count;
    ami_layout sketch = { 0 };
    ami_layout_take(&sketch, 1, sizeof(am_meter));
    ami_layout_take(&sketch, 2 * joints, sizeof(am_vec3));
    uint8_t *block = ami_alloc_zero(&alloc, sketch.size);
    if (!block) {
        return ami_fail_memory(err, sketch.size);
    }
    ami_layout place = { block, 0, false };
    am_meter *m = ami_layout_take(&place, 1, sizeof *m);
    m->last = ami_layout_take(&place, 2 * joints, sizeof(am_vec3));
    m->before_last = m->last + joints;
    m->alloc = alloc;
    m->block_size = sketch.size;
    m->joint_count = def->skeleton->joint_count;
    m->floor = def->floor;
    m->bend_limit = def->bend_limit_cm;
    m->bend = no_bend;
    find_feet(m, def);
    *out = m;
    return AM_OK;
}

void am_meter_destroy(am_meter *m)
{
    if (m) {
        am_alloc alloc = m->alloc;
        ami_release(&alloc, m, m->block_size);
    }
}

void am_meter_cut(am_meter *m)
{
    m->past = 0;
    m->touched = 0;
    m->bend = no_bend;
}

static double depth_below(float floor, float height) { return (double)am_max(floor - height, 0.0f) * 100.0; }

static void add_depths(am_meter *m, const am_transform *world)
{
    for (int s = 0; s < sides; s++) {
        if (m->toes[s] >= 0) {
            m->depth += depth_below(m->floor.toe_m, world[m->toes[s]].translation.y);
            m->depth_count++;
        }
        if (m->toes[s] >= 0 && m->ankles[s] >= 0) {
            m->depth += depth_below(m->floor.heel_m, am_transform_point(world[m->ankles[s]], m->heels[s]).y);
            m->depth_count++;
        }
    }
}

/// One step of both toes.
static void add_toes(am_meter *m, const am_transform *world, double rate)
{
    bool skates = false;
    for (int s = 0; s < sides; s++) {
        if (m->toes[s] < 0) {
            continue;
        }
        am_vec3 now = world[m->toes[s]].translation;
        am_vec3 way = am_v3_sub(now, m->last[m->toes[s]]);
        double speed = (double)am_v3_length(way) * rate;
        double along = (double)am_v3_length(am_v3_ground(way)) * rate;
        if (now.y < LOW_M && speed < SLOW_MPS) {
            m->slide += along * 100.0 / FRAMES_PER_S;
            m->slide_count++;
        }
        skates = skates || (now.y < SKATE_M && along > SLOW_MPS);
    }
    m->skates += skates;
}

static void add_travel(am_meter *m, const am_transform *world, double rate)
{
    am_vec3 hips = am_v3_sub(world[0].translation, m->last[0]);
    float longest = 0.0f;
    double sum = 0.0;
    for (int j = 1; j < m->joint_count; j++) {
        float way = am_v3_length(am_v3_sub(am_v3_sub(world[j].translation, m->last[j]), hips));
        longest = am_max(longest, way);
        sum += (double)way;
    }
    double scale = rate * 100.0 / FRAMES_PER_S;
    double travel = (double)longest * scale;
    m->ways += m->joint_count > 1 ? sum / (m->joint_count - 1) * scale : 0.0;
    m->travel = travel > m->travel ? travel : m->travel;
}

/// Second differences of all joints: the change of velocity over the mean of the two steps' times.
static void add_bends(am_meter *m, const am_transform *world, float dt)
{
    double to = 1.0 / (double)dt;
    double from = 1.0 / (double)m->last_dt;
    double scale = 2.0 / ((double)dt + (double)m->last_dt) * 100.0 / (FRAMES_PER_S * FRAMES_PER_S);
    double largest = 0.0;
    double sum = 0.0;
    for (int j = 0; j < m->joint_count; j++) {
        am_vec3 a = am_v3_sub(m->last[j], m->before_last[j]);
        am_vec3 b = am_v3_sub(world[j].translation, m->last[j]);
        double x = (double)b.x * to - (double)a.x * from;
        double y = (double)b.y * to - (double)a.y * from;
        double z = (double)b.z * to - (double)a.z * from;
        double bend = sqrt(x * x + y * y + z * z) * scale;
        sum += bend;
        largest = bend > largest ? bend : largest;
    }
    m->jitter += sum / m->joint_count;
    m->windows++;
    m->bend = largest;
    if (m->touched > 0) {
        m->touched--;
        m->bend_count++;
        m->sharp_count += largest > m->bend_limit;
        m->transition_bend = largest > m->transition_bend ? largest : m->transition_bend;
    }
}

void am_meter_add(am_meter *m, const am_transform *world, float dt, bool transition)
{
    if (!(dt > 0.0f)) {
        return;
    }
    m->frames++;
    m->bend = no_bend;
    add_depths(m, world);
    // The jump lies in the step to this pose: in the window that ends here and in the next one.
    m->touched = transition ? 2 : m->touched;
    if (m->past > 0) {
        m->steps++;
        add_toes(m, world, 1.0 / (double)dt);
        add_travel(m, world, 1.0 / (double)dt);
    }
    if (m->past > 1) {
        add_bends(m, world, dt);
    }
    am_vec3 *oldest = m->before_last;
    m->before_last = m->last;
    m->last = oldest;
    for (int j = 0; j < m->joint_count; j++) {
        m->last[j] = world[j].translation;
    }
    m->last_dt = dt;
    m->past = m->past < 2 ? m->past + 1 : 2;
}

static double mean(double sum, int64_t count) { return count > 0 ? sum / (double)count : 0.0; }

am_quality am_meter_result(const am_meter *m)
{
    am_quality quality = {
        .frames = m->frames,
        .foot_slide_cm = mean(m->slide, m->slide_count),
        .skate_share = mean((double)m->skates, m->steps),
        .jitter_cm = mean(m->jitter, m->windows),
        .penetration_cm = mean(m->depth, m->depth_count),
        .joint_travel_cm = m->travel,
        .joint_mean_cm = mean(m->ways, m->steps),
        .transition_bend_cm = m->transition_bend,
        .transition_bend_share = mean((double)m->sharp_count, m->bend_count),
    };
    return quality;
}

double am_meter_bend(const am_meter *m) { return m->bend; }
