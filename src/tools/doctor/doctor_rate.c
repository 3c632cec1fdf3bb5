// Finds the true frame rate. A body in the air falls at 9.81 m/s2 whatever the header says: the curvature of the
// centre of mass over flights gives the rate to a few percent. Without jumps, steps decide factors of two: a walk
// without flight cannot be faster than a pendulum of a leg's length allows (Froude number 0.5; Alexander 1989), no
// run makes six steps per second, and nobody takes long regular steps on straight legs at only one per second.
#include "doctor/examine.h"

#include "data/filter.h"
#include "base/error.h"
#include "base/memory.h"

typedef struct track {
    float com;      // height of the centre of mass, m
    float hip;      // height of the hips, m
    float clear;    // height of the lowest joint above the floor, m
    float high;     // height of the higher toe above where feet usually stand, m
    am_vec3 hips;   // on the ground
    am_vec3 feet;   // from the right ankle to the left, on the ground
    am_vec3 across; // from the right hip to the left, on the ground
} track;

typedef struct rate_exam {
    const am_clip *clip;
    track *tracks; // [frame]
    float *values; // [2 * frame] scratch
    int frames;
    int toes[2];
    float usual;      // clearance in the lower quarter of the frames, m
    float leg;        // m
    float hip_height; // mean height of the hip joints above the lower ankle, in legs
} rate_exam;

// ---------------------------------------------------------------------------------------------
// Tracks

// Segments of the body and their share of its mass, from de Leva (1996) with trunk parts together.
static const struct {
    am_role from, to;
    float mass;
} segments[] = {
    { AM_ROLE_HIPS, AM_ROLE_CHEST, 0.497f },
    { AM_ROLE_HEAD, AM_ROLE_HEAD, 0.081f },
    { AM_ROLE_LEFT_UP_LEG, AM_ROLE_LEFT_LEG, 0.100f },
    { AM_ROLE_RIGHT_UP_LEG, AM_ROLE_RIGHT_LEG, 0.100f },
    { AM_ROLE_LEFT_LEG, AM_ROLE_LEFT_FOOT, 0.0465f },
    { AM_ROLE_RIGHT_LEG, AM_ROLE_RIGHT_FOOT, 0.0465f },
    { AM_ROLE_LEFT_FOOT, AM_ROLE_LEFT_FOOT, 0.0145f },
    { AM_ROLE_RIGHT_FOOT, AM_ROLE_RIGHT_FOOT, 0.0145f },
    { AM_ROLE_LEFT_ARM, AM_ROLE_LEFT_FOREARM, 0.028f },
    { AM_ROLE_RIGHT_ARM, AM_ROLE_RIGHT_FOREARM, 0.028f },
    { AM_ROLE_LEFT_FOREARM, AM_ROLE_LEFT_HAND, 0.022f },
    { AM_ROLE_RIGHT_FOREARM, AM_ROLE_RIGHT_HAND, 0.022f },
};

static float mass_height(const am_transform *model, const am_roles *roles)
{
    float sum = 0.0f;
    float mass = 0.0f;
    for (int i = 0; i < (int)(sizeof segments / sizeof segments[0]); i++) {
        int a = roles->joint[segments[i].from];
        int b = roles->joint[segments[i].to];
        if (a >= 0 && b >= 0) {
            sum += segments[i].mass * 0.5f * (model[a].translation.y + model[b].translation.y);
            mass += segments[i].mass;
        }
    }
    return mass > 0.0f ? sum / mass : model[0].translation.y;
}

static void take_tracks(rate_exam *x, const am_roles *roles, float floor)
{
    am_transform model[AM_MAX_JOINTS];
    const int16_t *r = roles->joint;
    const am_skeleton *s = x->clip->skeleton;
    for (int f = 0; f < x->frames; f++) {
        am_clip_local(x->clip, f, model);
        am_fk(model, model, s->parents, s->joint_count);
        track *t = &x->tracks[f];
        float lowest = model[0].translation.y;
        for (int j = 1; j < s->joint_count; j++) {
            lowest = am_min(lowest, model[j].translation.y);
        }
        am_vec3 left = model[r[AM_ROLE_LEFT_UP_LEG]].translation;
        am_vec3 right = model[r[AM_ROLE_RIGHT_UP_LEG]].translation;
        am_vec3 ankles = am_v3_sub(model[r[AM_ROLE_LEFT_FOOT]].translation, model[r[AM_ROLE_RIGHT_FOOT]].translation);
        t->com = mass_height(model, roles);
        t->hip = model[0].translation.y;
        t->clear = lowest - floor;
        t->high = am_max(model[x->toes[0]].translation.y, model[x->toes[1]].translation.y);
        t->hips = am_v3_ground(model[0].translation);
        t->feet = am_v3_ground(ankles);
        t->across = am_v3_ground(am_v3_sub(left, right));
        float low_ankle =
            am_min(model[r[AM_ROLE_LEFT_FOOT]].translation.y, model[r[AM_ROLE_RIGHT_FOOT]].translation.y);
        x->hip_height += (0.5f * (left.y + right.y) - low_ankle) / ((float)x->frames * x->leg);
        x->values[f] = t->clear;
    }
    // Steps need the usual height of the feet, flights the lowest.
    ami_sort_floats(x->values, x->frames);
    x->usual = ami_quantile(x->values, x->frames, 0.25f);
    for (int f = 0; f < x->frames; f++) {
        x->tracks[f].high -= floor + x->usual;
    }
}

// ---------------------------------------------------------------------------------------------
// Flights

typedef struct flight {
    float ratio; // true rate over the header's
    float range; // vertical range of the body, m
    float error; // of the parabola, as a share of the range
} flight;

static float height_of(const track *t, bool hips) { return hips ? t->hip : t->com; }

/// Least-squares parabola of the centre of mass or of the hips over frames a..b. False when it is not a flight: bent
/// the wrong way, its top outside, flat, or not a parabola.
static bool fit_parabola(flight *out, const rate_exam *x, int a, int b, float flat, bool hips)
{
    float centre = 0.5f * (float)(a + b);
    float count = (float)(b - a + 1);
    float s2 = 0.0f, s4 = 0.0f, y0 = 0.0f, y1 = 0.0f, y2 = 0.0f;
    float base = height_of(&x->tracks[a], hips); // heights from here, so that sums stay small
    float low = 0.0f, high = 0.0f;
    for (int f = a; f <= b; f++) {
        float u = (float)f - centre;
        float y = height_of(&x->tracks[f], hips) - base;
        s2 += u * u;
        s4 += u * u * u * u;
        y0 += y;
        y1 += u * y;
        y2 += u * u * y;
        low = am_min(low, y);
        high = am_max(high, y);
    }
    float bend = (count * y2 - s2 * y0) / (count * s4 - s2 * s2);
    float slope = y1 / s2;
    float level = (y0 - bend * s2) / count;
    float error = 0.0f;
    for (int f = a; f <= b; f++) {
        float u = (float)f - centre;
        float miss = height_of(&x->tracks[f], hips) - base - (bend * u * u + slope * u + level);
        error += miss * miss;
    }
    out->range = high - low;
    out->error = sqrtf(error / count) / am_max(out->range, 1e-6f);
    if (!(bend < 0.0f) || am_abs(slope) > -0.9f * bend * count || out->range < flat || out->error > 0.03f) {
        return false;
    }
    out->ratio = sqrtf(9.81f / (-2.0f * bend)) / x->clip->fps;
    return true;
}

/// A body falls by its centre of mass, generated motion often by its hips: the better parabola decides.
static bool fit_flight(flight *out, const rate_exam *x, int a, int b, float flat)
{
    flight hips;
    if (!fit_parabola(out, x, a, b, flat, false)) {
        return false;
    }
    if (fit_parabola(&hips, x, a, b, flat, true) && hips.error < 0.25f * out->error) {
        *out = hips;
    }
    return true;
}

/// Flights in which every joint is at least `clear` above the floor. Ratios go to x->values, ascending; the best
/// range to *range.
static int find_flights(rate_exam *x, float clear, float flat, float *range)
{
    int count = 0;
    *range = 0.0f;
    for (int f = 1; f < x->frames; f++) {
        if (x->tracks[f].clear < clear) {
            continue;
        }
        int first = f;
        while (f < x->frames && x->tracks[f].clear >= clear) {
            f++;
        }
        flight found;
        bool inside = first > 1 && f < x->frames && f - first >= 4; // whole, between two supports
        if (inside && fit_flight(&found, x, first, f - 1, flat)) {
            int at = count++;
            while (at > 0 && x->values[at - 1] > found.ratio) {
                x->values[at] = x->values[at - 1];
                at--;
            }
            x->values[at] = found.ratio;
            *range = am_max(*range, found.range);
        }
    }
    return count;
}

/// By gravity: 1 when the header is right or flights are not conclusive. Clear flights are accurate to a few percent.
static float ratio_by_flight(rate_exam *x, bool *told, bool *sure)
{
    float range = 0.0f;
    int count = find_flights(x, 0.08f, 0.015f, &range);
    if (count > 0) {
        // Jumps of 15 cm give the rate within 8 % in 80 clips; little hops within 30 %.
        *sure = range > 0.15f;
        float limit = *sure ? 1.15f : 1.43f;
        float ratio = x->values[count / 2];
        *told = true;
        return ratio > limit || ratio * limit < 1.0f ? ratio : 1.0f;
    }
    // Runs with low feet: several flights that agree on a factor of about two.
    count = find_flights(x, 0.04f, 0.02f, &range);
    float middle = count > 0 ? x->values[count / 2] : 1.0f;
    bool agree = count >= 2 && x->values[count - 1] < 1.35f * x->values[0];
    bool far = middle < 0.65f || (middle > 1.6f && middle < 2.8f && count >= 3);
    *told = agree && (far || (middle > 0.8f && middle < 1.25f));
    return agree && far ? middle : 1.0f;
}

// ---------------------------------------------------------------------------------------------
// Steps

typedef struct steps {
    int count;
    float frames; // of one step, median
    float way;    // of the hips in one step, median, m
    bool regular;
    float flies;  // share of frames with both feet well off the ground
    float stands; // share of frames in a stride with both on it: walks have a fifth, runs none
} steps;

/// Direction of the hips around frame f: over the quarter metre before and after. Zero when they do not move.
static am_vec3 going(const rate_exam *x, int f)
{
    int a = f;
    int b = f;
    am_vec3 here = x->tracks[f].hips;
    while (a > 0 && f - a < 240 && am_v3_distance(x->tracks[a].hips, here) < 0.25f) {
        a--;
    }
    while (b + 1 < x->frames && b - f < 240 && am_v3_distance(x->tracks[b].hips, here) < 0.25f) {
        b++;
    }
    am_vec3 way = am_v3_sub(x->tracks[b].hips, x->tracks[a].hips);
    return am_v3_length(way) > 0.3f ? am_v3_normalize_or(way, am_v3_zero()) : am_v3_zero();
}

/// Steps forward: the feet pass each other along the direction of the hips. The count is limited: a minute is enough.
static steps find_steps(rate_exam *x)
{
    enum { MOST = 400 };
    steps out = { 0 };
    float *frames = x->values;
    float *ways = x->values + x->frames;
    int last = -1;
    float before = 0.0f;
    float widest = 0.0f;
    int going_on = 0;
    int up = 0;
    int down = 0;
    for (int f = 0; f < x->frames && out.count < MOST; f++) {
        const track *t = &x->tracks[f];
        am_vec3 way = going(x, f);
        am_vec3 facing = am_v3_cross(am_v3_normalize_or(t->across, am_v3_zero()), am_v3(0.0f, 1.0f, 0.0f));
        if (am_v3_dot(facing, way) < 0.75f) {
            last = -1;
            before = 0.0f;
            continue;
        }
        float apart = am_v3_dot(t->feet, way);
        widest = am_max(widest, am_abs(apart));
        going_on++;
        up += t->clear - x->usual > 0.05f;
        down += t->high < 0.05f && am_abs(apart) > 0.45f * x->leg;
        if (before * apart < 0.0f) {
            float gone = last >= 0 ? am_v3_distance(t->hips, x->tracks[last].hips) : 0.0f;
            if (widest > 0.3f * x->leg && gone > 0.4f * x->leg) {
                frames[out.count] = (float)(f - last);
                ways[out.count++] = gone;
            }
            last = f;
            widest = 0.0f;
        }
        before = apart != 0.0f ? apart : before;
    }
    out.flies = going_on > 0 ? (float)up / (float)going_on : 0.0f;
    out.stands = going_on > 0 ? (float)down / (float)going_on : 0.0f;
    if (out.count > 0) {
        ami_sort_floats(frames, out.count);
        ami_sort_floats(ways, out.count);
        out.frames = frames[out.count / 2];
        out.way = ways[out.count / 2];
        out.regular = frames[out.count * 3 / 4] < 1.35f * frames[out.count / 4];
    }
    return out;
}

/// By steps: 1 when they are human or too few.
static float ratio_by_steps(rate_exam *x)
{
    steps s = find_steps(x);
    if (s.count < 2 || !s.regular) {
        return 1.0f;
    }
    float rate = x->clip->fps / s.frames;       // steps per second
    float tempo = rate * sqrtf(x->leg / 9.81f); // in swings of a leg; walking 0.53, running 0.88
    float speed = rate * s.way;
    float froude = speed * speed / (9.81f * x->leg);
    float way = s.way / x->leg;
    // Steps much longer than the leg with hardly ever both feet down are a run's, at 0.7 to 1.15.
    if ((way > 1.1f && tempo > 1.4f) || (way > 1.2f && s.stands < 0.12f && tempo < 0.55f && s.count >= 3)) {
        return 0.88f / tempo;
    }
    if (s.count < 4) {
        return 1.0f;
    }
    if (tempo > 1.6f && way > 0.75f) {
        return 0.88f / tempo;
    }
    bool walks = s.flies < 0.03f;
    if (walks && s.stands > 0.20f && froude > 0.55f && tempo > 0.7f && way < 1.1f) {
        return 0.53f / tempo;
    }
    if (walks && s.stands > 0.1f && tempo < 0.28f && way > 0.7f && x->hip_height > 0.93f) {
        return 0.53f / tempo;
    }
    return 1.0f;
}

// ---------------------------------------------------------------------------------------------
// Verdict

/// The rate in use nearest to what was measured; the common three win near calls.
static float nearest_rate(float rate, bool common_only)
{
    static const float common[] = { 30.0f, 60.0f, 120.0f };
    static const float all[] = { 24.0f, 25.0f, 50.0f, 90.0f, 100.0f, 200.0f, 240.0f };
    float best = common[0];
    float best_miss = 1e9f;
    for (int i = 0; i < 10 && (i < 3 || !common_only); i++) {
        float candidate = i < 3 ? common[i] : all[i - 3];
        float miss = candidate > rate ? candidate / rate : rate / candidate;
        miss = i < 3 ? miss : miss * 1.05f;
        if (miss < best_miss) {
            best_miss = miss;
            best = candidate;
        }
    }
    return best;
}

static am_result judge(ami_exam *exam, rate_exam *x, am_error *err)
{
    am_diagnosis *out = exam->out;
    bool told = false;
    bool sure = false;
    float ratio = ratio_by_flight(x, &told, &sure);
    bool fell = ratio != 1.0f;
    if (!told) {
        ratio = ratio_by_steps(x);
    }
    if (ratio == 1.0f) {
        return AM_OK;
    }
    float rate = nearest_rate(out->fps * ratio, !sure);
    float change = rate / out->fps;
    if (change > 0.87f && change < 1.15f) {
        return AM_OK; // the nearest one is the header's
    }
    out->fps_true = rate;
    if (fell) {
        return ami_finding_add(
            out, "fps", -1, -1, false, err,
            "the header says %g Hz, but then jumps fall at %.1f m/s2: treated as %g Hz; give --fps if that is wrong",
            (double)out->fps, (double)(9.81f / (ratio * ratio)), (double)rate);
    }
    return ami_finding_add(out, "fps", -1, -1, false, err,
                           "the header says %g Hz, but then the steps are too %s for a "
                           "body: treated as %g Hz; give --fps if that is wrong",
                           (double)out->fps, ratio < 1.0f ? "fast" : "slow", (double)rate);
}

am_result ami_exam_rate(ami_exam *exam, am_error *err)
{
    am_diagnosis *out = exam->out;
    const int16_t *r = exam->roles.joint;
    if (exam->def->fps > 0.0f) {
        out->fps_true = exam->def->fps;
        return AM_OK;
    }
    rate_exam x = { .clip = exam->made, .frames = exam->made->frame_count, .leg = exam->leg * out->unit_m };
    if (r[AM_ROLE_LEFT_FOOT] < 0 || r[AM_ROLE_RIGHT_FOOT] < 0 || x.frames < 8) {
        return AM_OK;
    }
    x.toes[0] = r[AM_ROLE_LEFT_TOE] >= 0 ? r[AM_ROLE_LEFT_TOE] : r[AM_ROLE_LEFT_FOOT];
    x.toes[1] = r[AM_ROLE_RIGHT_TOE] >= 0 ? r[AM_ROLE_RIGHT_TOE] : r[AM_ROLE_RIGHT_FOOT];
    size_t size = (size_t)x.frames * (sizeof(track) + 2 * sizeof(float));
    void *block = ami_alloc_zero(&out->alloc, size);
    if (!block) {
        return ami_fail_memory(err, size);
    }
    x.tracks = block;
    x.values = (float *)(x.tracks + x.frames);
    float floor = 0.0f;
    am_result result = am_floor_find(&floor, exam->made, &exam->roles, &out->alloc, err);
    if (result == AM_OK) {
        take_tracks(&x, &exam->roles, floor);
        result = judge(exam, &x, err);
    }
    ami_release(&out->alloc, block, size);
    return result;
}
