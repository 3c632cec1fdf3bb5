// Styles: each walks a course at the speed that the data have of it, and its poses are given to a classifier: the
// nearest captured pose says the style.
#include "behaviours_courses.h"

#include "data/database.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const float dt = 1.0f / 60.0f;
enum { style_points = AM_POINT_NOVELTY, pose_floats = 3 * style_points, most_styles = 64 };
#define STYLE_S 10.0f
#define SETTLE_S 2.0f   ///< from the stand into the style: not judged
#define LOOK_S 0.1f     ///< between two poses that are judged
#define STEADY_MPS 0.2f ///< slower frames do not count into a style's speed

/// Captured poses with their styles.
typedef struct gallery {
    float *poses; ///< [count][pose_floats] in the root's frame
    int *styles;  ///< [count] number among the schema's names
    int count;
    float speeds[most_styles]; ///< m/s, of walking
} gallery;

static void put_pose(float *out, const am_vec3 *points, am_transform root)
{
    for (int p = 0; p < style_points; p++) {
        const am_vec3 v = am_quat_unrotate(root.rotation, am_v3_sub(points[p], root.translation));
        memcpy(out + (ptrdiff_t)3 * p, &v, sizeof v);
    }
}

/// The number of the frame's style; -1: none of these.
static int style_of(const am_db *db, int frame, const int *tags, int count)
{
    for (int s = 0; s < count; s++) {
        if (tags[s] >= 0 && (db->tags[frame] >> tags[s] & 1u) != 0) {
            return s;
        }
    }
    return -1;
}

static void find_tags(const am_db *db, const ami_control_node *names, int *tags)
{
    for (int s = 0; s < names->name_count; s++) {
        tags[s] = -1;
        for (int t = 0; t < db->tag_count; t++) {
            tags[s] = strcmp(db->tag_names[t], names->names[s]) == 0 ? t : tags[s];
        }
    }
}

/// Every third frame that has one of the styles.
static am_result gallery_open(gallery *g, const behaviours *b, const ami_control_node *names, am_error *err)
{
    enum { every = 3 };
    const am_db *db = b->db;
    int tags[most_styles], moving[most_styles] = { 0 };
    const int most = db->frame_count / every + 1;
    *g = (gallery){ .poses = calloc((size_t)most * pose_floats, sizeof *g->poses),
                    .styles = calloc((size_t)most, sizeof *g->styles) };
    if (!g->poses || !g->styles) {
        return cli_error(err, AM_ERR_MEMORY, NULL, "out of memory for styles");
    }
    find_tags(db, names, tags);
    for (int f = 0; f < db->frame_count; f += every) {
        const int style = style_of(db, f, tags, names->name_count);
        if (style < 0) {
            continue;
        }
        am_transform world[AM_MAX_JOINTS];
        am_vec3 points[AM_POINT_COUNT];
        am_db_pose(db, f, world);
        world[0] = am_transform_mul(ami_db_root(db, f), world[0]);
        am_fk(world, world, db->skeleton->parents, db->joint_count);
        am_body_take(points, &b->body, world);
        put_pose(g->poses + (ptrdiff_t)g->count * pose_floats, points, ami_db_root(db, f));
        g->styles[g->count++] = style;
        const float speed = am_v3_length(ami_db_root_velocity(db, f).linear);
        if (speed > STEADY_MPS) {
            g->speeds[style] += speed;
            moving[style]++;
        }
    }
    for (int s = 0; s < names->name_count; s++) {
        g->speeds[s] = moving[s] > 0 ? g->speeds[s] / (float)moving[s] : 0.0f;
    }
    return AM_OK;
}

static void gallery_close(gallery *g)
{
    free(g->poses);
    free(g->styles);
}

static int nearest_style(const gallery *g, const float *pose)
{
    int best = -1;
    float least = INFINITY;
    for (int i = 0; i < g->count; i++) {
        const float *row = g->poses + (ptrdiff_t)i * pose_floats;
        float sum = 0.0f;
        for (int k = 0; k < pose_floats && sum < least; k++) {
            sum += (row[k] - pose[k]) * (row[k] - pose[k]);
        }
        if (sum < least) {
            least = sum;
            best = g->styles[i];
        }
    }
    return best;
}

/// The style that most of a character's poses are nearest to.
static int judge(const crowd *c, int who, const gallery *g, int styles)
{
    int votes[most_styles] = { 0 }, best = 0;
    for (int f = (int)(SETTLE_S * 60.0f); f < c->frames; f += (int)(LOOK_S * 60.0f)) {
        float pose[pose_floats];
        am_vec3 points[AM_POINT_COUNT];
        for (int p = 0; p < AM_POINT_COUNT; p++) {
            points[p] = crowd_point(c, who, f, (am_point)p);
        }
        put_pose(pose, points, crowd_root(c, who, f));
        const int style = nearest_style(g, pose);
        if (style >= 0) {
            votes[style]++;
        }
    }
    for (int s = 1; s < styles; s++) {
        best = votes[s] > votes[best] ? s : best;
    }
    return best;
}

/// Each character is on its own course, the circle or the eight, at its style's speed.
typedef struct style_ask {
    course_ask ask;
    course *courses; ///< [character]
} style_ask;

static void ask_style(void *user, int character, float t, am_transform root, am_control *control)
{
    const style_ask *a = user;
    course_ask one = a->ask;
    one.courses = &a->courses[character];
    one.first_style = character; // of character 0, which it is among its own courses
    ask_trajectory(&one, 0, t, root, control);
}

static void measure_styles(const crowd *c, const style_ask *a, const gallery *g, int styles, behaviour_row *row)
{
    int right = 0;
    double off = 0.0;
    for (int i = 0; i < c->count; i++) {
        right += judge(c, i, g, styles) == i % styles;
        for (int f = 0; f < c->frames; f++) {
            const am_vec3 place = course_place(&a->courses[i], (float)(f + 1) * dt);
            off += (double)am_v3_length(am_v3_ground(am_v3_sub(crowd_root(c, i, f).translation, place)));
        }
    }
    row->off_m = off / ((double)c->count * c->frames);
    row->done = (double)right / c->count;
}

static am_result play_styles(behaviours *b, const gallery *g, style_ask *a, int count, am_error *err)
{
    const behaviour_parts *p = &b->parts[BEHAVIOUR_STYLED];
    const int styles = p->names->name_count;
    course all[course_count];
    behaviour_row row = behaviour_row_of("styled", count);
    row.done_bound = 0.8;
    for (int i = 0; i < count; i++) {
        courses_make(all, g->speeds[i % styles] / COURSE_MPS);
        a->courses[i] = all[i < styles ? 0 : 2];
    }
    crowd c;
    am_result result = crowd_open(&c, b, count, STYLE_S, true, 61, err);
    result = result == AM_OK ? crowd_play(&c, STYLE_S, ask_style, a, err) : result;
    if (result == AM_OK) {
        const crowd_quality q = crowd_measure(&c, 0.5f);
        measure_styles(&c, a, g, styles, &row);
        behaviour_row_put(b, &row, &q);
    }
    crowd_close(&c);
    return result;
}

am_result behaviours_styles(behaviours *b, am_error *err)
{
    const behaviour_parts *p = &b->parts[BEHAVIOUR_STYLED];
    if (!p->has || p->names->name_count > most_styles) {
        return AM_OK;
    }
    const int count = (b->e->quick ? 1 : 2) * p->names->name_count;
    style_ask a = { .ask = { .parts = p }, .courses = calloc((size_t)count, sizeof *a.courses) };
    gallery g = { 0 };
    am_result result = a.courses ? gallery_open(&g, b, p->names, err)
                                 : cli_error(err, AM_ERR_MEMORY, NULL, "out of memory for courses");
    if (result == AM_OK && g.count > 0) {
        result = play_styles(b, &g, &a, count, err);
    }
    gallery_close(&g);
    free(a.courses);
    return result;
}
