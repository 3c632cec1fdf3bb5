// Trajectories, way-points and velocities: courses of 15 s at walking speeds, and how far from them characters are.
#include "behaviours_courses.h"

#include "base/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const float dt = 1.0f / 60.0f;

// ---------------------------------------------------------------------------------------------
// Courses

static float ramp(float t, float from, float to)
{
    const float x = am_clamp((t - from) / (to - from), 0.0f, 1.0f);
    return x * x * (3.0f - 2.0f * x);
}

/// Speed (m/s) and turning (rad/s) of a course.
static void course_rates(int c, float t, float *speed, float *turn)
{
    const float cycle = t - 3.0f * floorf(t / 3.0f);
    *speed = COURSE_MPS;
    *turn = 0.0f;
    switch (c) {
    case 0: // straight, with a halt at the end
        *speed *= 1.0f - ramp(t, 12.0f, 13.5f);
        break;
    case 1: // a circle of 2 m
        *turn = 0.6f * ramp(t, 0.0f, 1.0f);
        break;
    case 2: // an eight
        *turn = 0.9f * am_sin(2.0f * AM_PI * t / 10.0f);
        break;
    case 3: // corners of 90 degrees, rounded, to either side
        *speed = 1.0f;
        *turn = cycle > 2.0f && cycle < 2.8f ? ((int)(t / 3.0f) % 2 ? -1.0f : 1.0f) * 0.5f * AM_PI / 0.8f : 0.0f;
        break;
    case 4: // slower and faster
        *speed = 1.25f - 0.5f * am_cos(2.0f * AM_PI * t / 7.5f);
        *turn = 0.3f * am_sin(2.0f * AM_PI * t / 6.0f);
        break;
    default: // stops on the way
        *speed *= 1.0f - ramp(t, 4.5f, 5.5f) + ramp(t, 7.0f, 8.0f) - ramp(t, 12.0f, 13.0f);
        *turn = -0.8f * ramp(t, 8.0f, 8.6f) * (1.0f - ramp(t, 10.0f, 10.6f));
    }
    *speed *= ramp(t, 0.0f, 1.0f);
}

void courses_make(course out[course_count], float factor)
{
    static const char *const names[course_count] = { "straight", "circle", "eight", "corners", "speeds", "stops" };
    for (int c = 0; c < course_count; c++) {
        am_vec3 place = am_v3_zero();
        float heading = 0.0f;
        out[c].name = names[c];
        for (int f = 0; f < course_frames; f++) {
            float speed, turn;
            course_rates(c, (float)f * dt, &speed, &turn);
            out[c].places[f] = place;
            out[c].headings[f] = heading;
            heading += turn * dt;
            place = am_v3_add(
                place, am_v3(factor * speed * dt * am_sin(heading), 0.0f, factor * speed * dt * am_cos(heading)));
        }
    }
}

static int frame_of(float t, float *part)
{
    const float f = am_clamp(t / dt, 0.0f, (float)(course_frames - 2));
    *part = f - floorf(f);
    return (int)f;
}

am_vec3 course_place(const course *c, float t)
{
    float part;
    const int f = frame_of(t, &part);
    return am_v3_lerp(c->places[f], c->places[f + 1], part);
}

am_vec3 course_facing(const course *c, float t)
{
    float part;
    const float heading = c->headings[frame_of(t, &part)];
    return am_v3(am_sin(heading), 0.0f, am_cos(heading));
}

float course_off(const course *c, am_vec3 place, float t)
{
    enum { around = 90 };
    float part, least = INFINITY;
    const int middle = frame_of(t, &part);
    for (int f = middle - around; f <= middle + around; f++) {
        if (f >= 0 && f < course_frames) {
            least = am_min(least, am_v3_length(am_v3_ground(am_v3_sub(place, c->places[f]))));
        }
    }
    return least;
}

// ---------------------------------------------------------------------------------------------
// Asking

static am_vec3 asked_place(const course_ask *a, const course *c, float t, float now)
{
    const am_vec3 place = course_place(c, t);
    const float aside = (int)(now / 2.0f) % 2 ? a->jump_m : 0.0f;
    return am_v3_add(place, am_v3(aside, 0.0f, 0.0f));
}

void ask_trajectory(void *user, int character, float t, am_transform root, am_control *control)
{
    const course_ask *a = user;
    const behaviour_parts *p = a->parts;
    const course *c = &a->courses[character % course_count];
    (void)root;
    for (int i = 0; i < p->count; i++) {
        ask_item(control, p->place, i, p->item, asked_place(a, c, t + p->times[i], t));
        if (p->faced) {
            ask_item(control, p->place, i, ".facing", course_facing(c, t + p->times[i]));
        }
    }
    if (p->names) {
        const int style = (a->first_style + character) % p->names->name_count;
        (void)am_control_choose(control, p->extra, p->names->names[style], NULL);
    }
}

void ask_path(void *user, int character, float t, am_transform root, am_control *control)
{
    const course_ask *a = user;
    const behaviour_parts *p = a->parts;
    const course *c = &a->courses[character % course_count];
    (void)root;
    for (int i = 0; i < a->items; i++) {
        ask_item(control, p->place, i, p->item, asked_place(a, c, t + (float)(i + 1) * a->every_s, t));
    }
}

// ---------------------------------------------------------------------------------------------
// Rows

/// Means over all frames.
static void measure_courses(const crowd *c, const course *courses, behaviour_row *row)
{
    double off = 0.0, line = 0.0, facing = 0.0;
    const double count = (double)c->count * c->frames;
    for (int i = 0; i < c->count; i++) {
        const course *on = &courses[i % course_count];
        for (int f = 0; f < c->frames; f++) {
            const float t = (float)(f + 1) * dt;
            const am_transform root = crowd_root(c, i, f);
            const am_vec3 away = am_v3_sub(root.translation, course_place(on, t));
            const am_vec3 faces = course_facing(on, t);
            const float turn = am_wrap_angle(am_quat_heading(root.rotation) - am_atan2(faces.x, faces.z)) / AM_DEG;
            off += (double)am_v3_length(am_v3_ground(away)) / count;
            line += (double)course_off(on, root.translation, t) / count;
            facing += (double)am_abs(turn) / count;
        }
    }
    row->off_m = off;
    row->line_m = line;
    row->facing_deg = facing;
}

static am_result play_courses(behaviours *b, behaviour kind, crowd_ask *ask, course_ask *a, behaviour_row *row,
                              am_error *err)
{
    crowd c;
    am_result result = crowd_open(&c, b, row->trials, COURSE_S, true, 11, err);
    result = result == AM_OK ? crowd_play(&c, COURSE_S, ask, a, err) : result;
    if (result == AM_OK) {
        const crowd_quality q = crowd_measure(&c, 0.5f);
        measure_courses(&c, a->courses, row);
        b->usual_p95[kind] = q.novelty_p95;
        behaviour_row_put(b, row, &q);
    }
    crowd_close(&c);
    return result;
}

static am_result trajectory(behaviours *b, const course *courses, am_error *err)
{
    course_ask a = { .parts = &b->parts[BEHAVIOUR_TRAJECTORY], .courses = courses };
    behaviour_row row = behaviour_row_of("trajectory", b->e->quick ? course_count : 2 * course_count);
    row.off_bound = 0.06;
    row.p95_bound = 10.0;
    return play_courses(b, BEHAVIOUR_TRAJECTORY, ask_trajectory, &a, &row, err);
}

static am_result path(behaviours *b, const course *courses, am_error *err)
{
    static const int all[] = { 1, 2, 3, 4, 5, 6, 7, 8 }, few[] = { 1, 4, 8 };
    const int *items = b->e->quick ? few : all;
    const int most = b->e->quick ? (int)CLI_COUNT(few) : (int)CLI_COUNT(all);
    const behaviour_parts *p = &b->parts[BEHAVIOUR_PATH];
    am_result result = AM_OK;
    for (int i = 0; i < most && items[i] <= p->count && result == AM_OK; i++) {
        char name[40];
        snprintf(name, sizeof name, "path, %d way-point%s", items[i], items[i] > 1 ? "s" : "");
        course_ask a = { .parts = p, .courses = courses, .items = items[i], .every_s = WAY_POINT_S };
        behaviour_row row = behaviour_row_of(name, course_count);
        row.line_bound = 0.10;
        result = play_courses(b, BEHAVIOUR_PATH, ask_path, &a, &row, err);
    }
    return result;
}

// Velocities: each is held for three seconds, of which the second half counts.
#define HOLD_S 3.0f
enum { holds = 5 };

typedef struct velocity_ask {
    const behaviour_parts *parts;
    am_vec3 *velocities, *facings; ///< [character][holds]
    bool faced;
} velocity_ask;

static int hold_of(float t)
{
    const int hold = (int)(t / HOLD_S);
    return hold < holds ? hold : holds - 1;
}

static void ask_velocity(void *user, int character, float t, am_transform root, am_control *control)
{
    const velocity_ask *a = user;
    const int at = character * holds + hold_of(t);
    (void)root;
    ask_place(control, a->parts->place, a->velocities[at]);
    if (a->faced) {
        ask_place(control, a->parts->facing, a->facings[at]);
    }
}

static void draw_velocities(velocity_ask *a, int count)
{
    am_rng rng = ami_rng_make(5);
    for (int i = 0; i < count; i++) {
        float heading = 0.0f;
        for (int h = 0; h < holds; h++) {
            heading += h == 0 ? 0.0f : am_rng_range(&rng, -0.5f * AM_PI, 0.5f * AM_PI);
            const float speed = am_rng_range(&rng, 0.8f, 1.6f), faces = heading + am_rng_range(&rng, -0.7f, 0.7f);
            a->velocities[i * holds + h] = am_v3(speed * am_sin(heading), 0.0f, speed * am_cos(heading));
            a->facings[i * holds + h] = am_v3(am_sin(faces), 0.0f, am_cos(faces));
        }
    }
}

static void measure_velocities(const crowd *c, const velocity_ask *a, behaviour_row *row)
{
    const int hold = (int)(HOLD_S / dt + 0.5f);
    double error = 0.0, turn = 0.0;
    for (int i = 0; i < c->count; i++) {
        for (int h = 0; h < holds; h++) {
            const int first = h * hold + hold / 2, last = (h + 1) * hold - 1;
            const am_vec3 way = am_v3_sub(crowd_root(c, i, last).translation, crowd_root(c, i, first).translation);
            const am_vec3 moved = am_v3_scale(am_v3_ground(way), 1.0f / ((float)(last - first) * dt));
            const am_vec3 asked = a->velocities[i * holds + h], faces = a->facings[i * holds + h];
            error += (double)(am_v3_length(am_v3_sub(moved, asked)) / am_v3_length(asked));
            const float own = am_quat_heading(crowd_root(c, i, last).rotation);
            turn += (double)am_abs(am_wrap_angle(own - am_atan2(faces.x, faces.z)) / AM_DEG);
        }
    }
    row->speed = error / (c->count * holds);
    row->facing_deg = a->faced ? turn / (c->count * holds) : (double)NAN;
}

static am_result velocity(behaviours *b, bool faced, am_error *err)
{
    const int count = b->e->quick ? 6 : 24;
    velocity_ask a = { .parts = &b->parts[BEHAVIOUR_VELOCITY], .faced = faced };
    behaviour_row row = behaviour_row_of(faced ? "velocity, facing" : "velocity", count);
    row.speed_bound = 0.15;
    a.velocities = calloc(2 * (size_t)count * holds, sizeof *a.velocities);
    if (!a.velocities) {
        return cli_error(err, AM_ERR_MEMORY, NULL, "out of memory for velocities");
    }
    a.facings = a.velocities + (ptrdiff_t)count * holds;
    draw_velocities(&a, count);
    crowd c;
    am_result result = crowd_open(&c, b, count, holds * HOLD_S, true, 12, err);
    result = result == AM_OK ? crowd_play(&c, holds * HOLD_S, ask_velocity, &a, err) : result;
    if (result == AM_OK) {
        const crowd_quality q = crowd_measure(&c, 0.5f);
        measure_velocities(&c, &a, &row);
        b->usual_p95[BEHAVIOUR_VELOCITY] = q.novelty_p95;
        behaviour_row_put(b, &row, &q);
    }
    crowd_close(&c);
    free(a.velocities);
    return result;
}

am_result behaviours_courses(behaviours *b, am_error *err)
{
    am_result result = AM_OK;
    course *courses = calloc(course_count, sizeof *courses);
    if (!courses) {
        return cli_error(err, AM_ERR_MEMORY, NULL, "out of memory for courses");
    }
    courses_make(courses, 1.0f);
    if (b->parts[BEHAVIOUR_TRAJECTORY].has) {
        result = trajectory(b, courses, err);
    }
    if (result == AM_OK && b->parts[BEHAVIOUR_PATH].has) {
        result = path(b, courses, err);
    }
    for (int faced = 0; faced < 2 && result == AM_OK; faced++) {
        if (b->parts[BEHAVIOUR_VELOCITY].has && (!faced || b->parts[BEHAVIOUR_VELOCITY].faced)) {
            result = velocity(b, faced != 0, err);
        }
    }
    free(courses);
    return result;
}
