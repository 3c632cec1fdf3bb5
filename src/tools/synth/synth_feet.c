// The position of a foot at any time. In stance it rolls about its heel or its ball, each fixed on the floor; in
// swing the ankle follows a curve that starts and ends with the velocity of the rolling, so that nothing jerks at
// lift-off and landing.
#include "synth/synth.h"

/// A foot in its own vertical plane: pitch with toes up positive, and its rate.
typedef struct roll {
    float pitch, rate;
} roll;

static roll roll_at(const synth_stance *s, double t)
{
    roll r = { 0.0f, 0.0f };
    if (t < s->flat) {
        float seconds = (float)(s->flat - s->down);
        float u = am_clamp((float)(s->flat - t) / seconds, 0.0f, 1.0f);
        // From the heel it slaps down with a speed that the floor stops; onto the heel it sinks gently.
        float end = s->pitch_down > 0.0f ? 0.6f : 0.0f;
        r.pitch = s->pitch_down * u * (end + u * (1.8f - 2.0f * end + u * (end - 0.8f)));
        r.rate = -s->pitch_down * (end + u * (3.6f - 4.0f * end + 3.0f * u * (end - 0.8f))) / seconds;
    } else if (t > s->rise) {
        float seconds = (float)(s->lift - s->rise);
        float u = am_clamp((float)(t - s->rise) / seconds, 0.0f, 1.0f);
        r.pitch = s->pitch_lift * 0.5f * u * u * (1.0f + u);
        r.rate = s->pitch_lift * 0.5f * u * (2.0f + 3.0f * u) / seconds;
    }
    return r;
}

/// A point of the foot relative to the ankle (up, ahead) after pitching.
typedef struct sagittal {
    float up, ahead;
} sagittal;

static sagittal pitched(float up, float ahead, float pitch)
{
    float sine, cosine;
    am_sincos(pitch, &sine, &cosine);
    sagittal p = { up * cosine + ahead * sine, ahead * cosine - up * sine };
    return p;
}

/// Ankle of a rolling foot in its own plane: height over the floor and distance ahead of the flat foot's ankle,
/// with velocities.
typedef struct ankle_motion {
    sagittal at, speed;
} ankle_motion;

static ankle_motion roll_ankle(roll r)
{
    float pivot = r.pitch > 0.0f ? -BODY_HEEL_M : BODY_BALL_M;
    float down = BODY_SOLE_M - BODY_ANKLE_M;
    sagittal arm = pitched(down, pivot, r.pitch);
    ankle_motion m;
    m.at.up = BODY_SOLE_M - arm.up;
    m.at.ahead = pivot - arm.ahead;
    // d(arm)/d(pitch) = (ahead, -up): the arm turned by a right angle.
    m.speed.up = -arm.ahead * r.rate;
    m.speed.ahead = arm.up * r.rate;
    return m;
}

static am_quat foot_rotation(float yaw, float pitch)
{
    return am_quat_mul(am_quat_from_heading(yaw), am_quat_from_axis_angle(am_v3(1.0f, 0.0f, 0.0f), -pitch));
}

/// Ankle in the world for a rolling foot.
static am_vec3 ankle_in_world(const synth_stance *s, sagittal at)
{
    float sine, cosine;
    am_sincos(s->yaw, &sine, &cosine);
    double ahead = (double)(at.ahead - BODY_BALL_M);
    return am_v3((float)(s->x + ahead * (double)sine), at.up, (float)(s->z + ahead * (double)cosine));
}

static synth_foot stance_foot(const synth_stance *s, double t)
{
    roll r = roll_at(s, t);
    ankle_motion m = roll_ankle(r);
    synth_foot foot;
    foot.ankle = ankle_in_world(s, m.at);
    foot.rotation = foot_rotation(s->yaw, r.pitch);
    // Rolling over the ball the toes stay flat; rolling over the heel they are held up a little.
    foot.toe = r.pitch < 0.0f ? -r.pitch : 0.35f * r.pitch;
    foot.reaching = t < s->flat || (t > s->lift - 0.08 && s->pitch_lift > -10.0f * AM_DEG);
    foot.swing = foot.free = 0.0f;
    foot.ball_fixed = r.pitch <= 0.0f;
    foot.heel_fixed = r.pitch >= 0.0f;
    foot.ball_height = m.at.up + pitched(BODY_SOLE_M - BODY_ANKLE_M, BODY_BALL_M, r.pitch).up;
    return foot;
}

// ---------------------------------------------------------------------------------------------
// Swing

/// Smooth maximum: exceeds both by at most a quarter of k.
static float smooth_max(float a, float b, float k)
{
    float gap = am_max(k - am_abs(a - b), 0.0f) / (k > 1e-6f ? k : 1e-6f);
    return am_max(a, b) + 0.25f * k * gap * gap;
}

/// A hump over [0, 1] of height 1 that rises and sets without a slope, with its top at 0.4: a lifted foot is
/// highest early, while the leg folds.
static float hump(float u) { return u * u * (1.0f - u) * (1.0f - u) * (1.0f - u) * 28.9352f; }

static float even_hump(float u) { return 16.0f * u * u * (1.0f - u) * (1.0f - u); }

/// One horizontal coordinate of the ankle's swing. It sets off and arrives with a good acceleration, so that lift-off
/// and landing are crisp (a toe that leaves slowly seems to slide) and the leg need not stretch for a foot that
/// arrives long before the body.
static float swing_line(float from, float from_v, float to, float to_v, float seconds, float t)
{
    float push = (to - from) / (seconds * seconds);
    synth_end a = { 0.0f, from_v, 5.0f * push }, b = { to - from, to_v, -6.0f * push };
    return from + ami_synth_quintic(a, b, seconds, t);
}

static am_vec3 swing_ankle(const synth_stance *from, const synth_stance *to, roll off, roll on, float t)
{
    ankle_motion a = roll_ankle(off), b = roll_ankle(on);
    am_vec3 start = ankle_in_world(from, a.at), end = ankle_in_world(to, b.at);
    float s0, c0, seconds = (float)(to->down - from->lift);
    float rise = to->swing_height * (to->even_swing ? even_hump(t / seconds) : hump(t / seconds));
    am_sincos(from->yaw, &s0, &c0);
    am_vec3 at;
    at.x = swing_line(start.x, a.speed.ahead * s0, end.x, to->strike.x, seconds, t);
    at.z = swing_line(start.z, a.speed.ahead * c0, end.z, to->strike.z, seconds, t);
    synth_end low = { start.y, a.speed.up, 0.0f }, high = { end.y, to->strike.y, 0.0f };
    at.y = ami_synth_quintic(low, high, seconds, t) + rise;
    return at;
}

/// The foot's rotation at lift-off fades out, then the toes come up to meet the floor.
static float swing_pitch(roll off, roll on, float seconds, float u, float raise)
{
    float left = (1.0f - u) * (1.0f - u);
    float pitch = am_lerp(off.pitch, on.pitch, ami_synth_step(0.0f, 1.0f, u));
    pitch += off.rate * seconds * u * left * left * (1.0f - u);
    pitch -= on.rate * seconds * (1.0f - u) * u * u * u * u * u;
    pitch += raise * even_hump(u);
    return smooth_max(pitch, -80.0f * AM_DEG, 20.0f * AM_DEG);
}

static synth_foot swing_foot(const synth_stance *from, const synth_stance *to, double time)
{
    float seconds = (float)(to->down - from->lift), t = (float)(time - from->lift), u = t / seconds;
    roll off = roll_at(from, from->lift), on = roll_at(to, to->down);
    synth_foot foot = { 0 };
    foot.ankle = swing_ankle(from, to, off, on, t);
    float pitch = swing_pitch(off, on, seconds, u, to->toes_up);
    foot.rotation = foot_rotation(am_lerp(from->yaw, to->yaw, ami_synth_step(0.0f, 1.0f, u)), pitch);

    // Lift the whole foot where heel or ball would come too near to the floor.
    float down = BODY_SOLE_M - BODY_ANKLE_M;
    float ball = pitched(down, BODY_BALL_M, pitch).up, heel = pitched(down, -BODY_HEEL_M, pitch).up;
    float room = BODY_SOLE_M + 0.018f * even_hump(u);
    foot.ankle.y = smooth_max(foot.ankle.y, room - am_min(ball, heel), 0.03f * even_hump(u));
    foot.ball_height = foot.ankle.y + ball;
    foot.free = ami_synth_step(0.0f, 0.15f, u) * ami_synth_step(0.0f, 0.2f, 1.0f - u);
    foot.free *= ami_synth_step(0.05f, 0.15f, foot.ball_height - BODY_SOLE_M);
    foot.swing = ami_synth_step(0.0f, 0.25f, u) * ami_synth_step(0.0f, 0.06f, 1.0f - u);

    // Toes relax to straight as fast as the floor lets them, and come up before the landing.
    float ready = on.pitch > 0.0f ? 0.35f * on.pitch : -on.pitch;
    float relaxed = am_lerp(off.pitch < 0.0f ? -off.pitch : 0.35f * off.pitch, ready, ami_synth_step(0.0f, 0.7f, u));
    float lowest = am_asin(am_clamp((foot.ball_height - BODY_SOLE_M) / BODY_TOES_M, 0.0f, 1.0f));
    foot.toe = smooth_max(relaxed, -pitch - lowest, 0.3f * even_hump(u));
    return foot;
}

synth_foot ami_synth_foot_at(const synth_steps *steps, int foot, double t)
{
    const synth_stance *stances = steps->stances[foot];
    int low = 0, high = steps->stance_count[foot];
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (stances[middle].down <= t) {
            low = middle;
        } else {
            high = middle;
        }
    }
    if (t <= stances[low].lift || low + 1 == steps->stance_count[foot]) {
        return stance_foot(&stances[low], t);
    }
    return swing_foot(&stances[low], &stances[low + 1], t);
}
