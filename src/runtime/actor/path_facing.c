// The facing of a character on a path: along it, turned by the stick, or as DirectionNet predicts (LHMM VI-D to G).
//
// For the network a path carries one facing for each of its points. It is predicted repeatedly for the 2 s ahead of
// the character, from the 2 s behind it. Before the start of the path, its first point and the body's facing there
// are repeated, as in the paper. The past facings are the predicted ones, not the body's: a body that lags in a turn
// would look as if it walked sideways, and would keep doing so (36 instead of 33 degrees off on the paths of held-out
// clips).
#include "actor/actor.h"

// Predicted as often as a search takes place by default.
#define TELL_EVERY_S (1.0f / 6.0f)

enum { told_steps = AMI_DIRECTION_STEPS - AMI_DIRECTION_KNOWN };

static float own_heading(const am_actor *c) { return am_quat_heading(c->state->root.rotation); }

static bool is_told(const am_actor *c) { return c->path.head->facing == AM_PATH_FACING_NET && c->path.facings; }

/// An index before the present one on a lap: on the previous lap, where there was one.
static int behind(const ami_path *path, int i)
{
    if (path->laps > 0 && i < path->loop_first) {
        return i + path->count - path->loop_first;
    }
    return i > 0 ? i : 0;
}

float ami_path_told(const ami_path *path, const float *facings, float index)
{
    int i = (int)(index + 0.5f);
    return facings[ami_path_index(path, i < path->told_to ? i : path->told_to)];
}

/// Angle of the stick from 12 o'clock.
static float stick_angle(const ami_path *path)
{
    bool held = path->facing == AM_PATH_FACING_JOYSTICK && am_v3_length(path->stick) > 0.5f;
    return held ? am_atan2(path->stick.x, path->stick.z) : 0.0f;
}

float ami_path_tell(const am_actor *c, float heading, float index)
{
    const ami_path *path = c->path.head;
    return is_told(c) ? ami_path_told(path, c->path.facings, index) : am_wrap_angle(heading + stick_angle(path));
}

am_vec3 ami_path_turned(const am_actor *c, am_vec3 way)
{
    float s, co;
    am_sincos(am_wrap_angle(am_atan2(way.x, way.z) + stick_angle(c->path.head)), &s, &co);
    return am_v3(s, 0.0f, co);
}

void ami_path_facing_begin(am_actor *c)
{
    ami_path *path = c->path.head;
    float heading = own_heading(c);
    for (int i = 0; is_told(c) && i < path->count; i++) {
        c->path.facings[i] = heading;
    }
    path->told_s = 0.0f;
    path->told_to = path->context.at;
}

/// 2 s of points before the present and 2 s after it. Where the path ends the last point is repeated.
static void fill_window(const am_actor *c, ami_direction_window *w, float stride)
{
    const ami_path *path = c->path.head;
    for (int t = 0; t < AMI_DIRECTION_POINTS; t++) {
        float from = (float)path->context.at + (float)(t - (AMI_DIRECTION_KNOWN - 1)) * stride;
        int i = (int)floorf(from + 0.5f);
        i = i < path->context.at ? behind(path, i) : ami_path_index(path, i);
        w->x[t] = c->path.points[i].x;
        w->z[t] = c->path.points[i].z;
        if (t < AMI_DIRECTION_KNOWN) {
            w->facing[t] = c->path.facings[i];
        }
    }
}

/// Interpolates the predictions, made at 30 Hz, for the points between them.
static void keep_told(const am_actor *c, const ami_direction_window *w, float stride)
{
    ami_path *path = c->path.head;
    int count = (int)((float)told_steps * stride);
    // On a small lap the prediction would overwrite the points just passed.
    int lap = path->count - path->loop_first;
    count = path->loop_first >= 0 && count > lap / 2 ? lap / 2 : count;
    for (int i = 0; i <= count; i++) {
        float step = (float)i / stride;
        int t = AMI_DIRECTION_KNOWN - 1 + (int)step;
        int next = t + 1 < AMI_DIRECTION_STEPS ? t + 1 : t;
        float turn = am_wrap_angle(w->facing[next] - w->facing[t]);
        float facing = am_wrap_angle(w->facing[t] + turn * (step - floorf(step)));
        c->path.facings[ami_path_index(path, path->context.at + i)] = facing;
    }
    path->told_to = path->context.at + count;
}

void ami_path_facing_step(am_actor *c, float dt)
{
    ami_path *path = c->path.head;
    if (!is_told(c)) {
        return;
    }
    path->told_s -= dt;
    if (path->fresh != 0 || path->told_s <= 0.0f) {
        float stride = path->fps / AMI_DIRECTION_HZ;
        fill_window(c, c->window, stride);
        ami_direction_net_run(c->direction, c->direction_work, c->window, told_steps);
        keep_told(c, c->window, stride);
        path->told_s = TELL_EVERY_S;
    }
}
