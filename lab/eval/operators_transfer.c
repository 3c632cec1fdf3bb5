// Operators 6.2.3 and figure 13: a style that was learned for one task alone, in the other. Frames are recognised by
// the nearest captured pose, characters by the style that most of their frames have.
#include "behaviours_courses.h"
#include "operators_tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS 10.0f
enum { numbers = AM_POINT_NOVELTY * 3, stride = 4, first_judged = 120, judged_every = 15 };

/// Captured poses in their root's frame, with the style of their clip.
typedef struct gallery {
    float *poses; ///< [count][numbers]
    int *styles;  ///< [count]
    int count;
} gallery;

static void describe(float *out, const am_vec3 *points, am_transform root)
{
    for (int p = 0; p < AM_POINT_NOVELTY; p++) {
        const am_vec3 v = am_quat_unrotate(root.rotation, am_v3_sub(points[p], root.translation));
        out[3 * p] = v.x;
        out[3 * p + 1] = v.y;
        out[3 * p + 2] = v.z;
    }
}

/// The style that a frame's tags name; -1: none.
static int style_of(const am_db *db, int frame, const ami_control_node *names)
{
    for (int t = 0; t < db->tag_count; t++) {
        for (int s = 0; s < names->name_count && (db->tags[frame] >> t & 1u) != 0; s++) {
            if (strcmp(db->tag_names[t], names->names[s]) == 0) {
                return s;
            }
        }
    }
    return -1;
}

static bool gallery_make(gallery *g, const behaviours *b, const ami_control_node *names)
{
    const am_db *db = b->db;
    const size_t most = (size_t)db->frame_count / stride + 1;
    g->poses = calloc(most * numbers, sizeof *g->poses);
    g->styles = calloc(most, sizeof *g->styles);
    for (int f = 0; f < db->frame_count && g->poses && g->styles; f += stride) {
        am_transform pose[AM_MAX_JOINTS];
        am_vec3 points[AM_POINT_COUNT];
        const int style = style_of(db, f, names);
        if (style >= 0) {
            am_db_pose(db, f, pose);
            am_fk(pose, pose, db->skeleton->parents, db->joint_count);
            am_body_take(points, &b->body, pose);
            describe(g->poses + (ptrdiff_t)g->count * numbers, points, am_transform_identity());
            g->styles[g->count++] = style;
        }
    }
    return g->poses && g->styles;
}

static int recognise_pose(const gallery *g, const float *pose)
{
    float least = INFINITY;
    int best = -1;
    for (int i = 0; i < g->count; i++) {
        const float *other = g->poses + (ptrdiff_t)i * numbers;
        float d = 0.0f;
        for (int k = 0; k < numbers && d < least; k++) {
            d += (pose[k] - other[k]) * (pose[k] - other[k]);
        }
        if (d < least) {
            least = d;
            best = g->styles[i];
        }
    }
    return best;
}

/// The style of most judged frames of a character.
static int recognise(const gallery *g, const crowd *c, int character, int style_count)
{
    int votes[AM_MAX_TAGS] = { 0 }, best = 0;
    for (int f = first_judged; f < c->frames; f += judged_every) {
        float pose[numbers];
        const am_vec3 *points = c->points + ((ptrdiff_t)character * c->room + f) * AM_POINT_COUNT;
        describe(pose, points, crowd_root(c, character, f));
        const int style = recognise_pose(g, pose);
        if (style >= 0 && style < AM_MAX_TAGS) {
            votes[style]++;
        }
    }
    for (int i = 1; i < style_count; i++) {
        best = votes[i] > votes[best] ? i : best;
    }
    return best;
}

// ---------------------------------------------------------------------------------------------

typedef struct styled_ask {
    course_ask course;
    const char *target, *style;
    const ami_control_node *names;
    bool to_target;
} styled_ask;

static void ask_styled(void *user, int character, float t, am_transform root, am_control *control)
{
    const styled_ask *a = user;
    if (a->to_target) { // four metres ahead along the character's course, a new one every four seconds
        const course *c = &a->course.courses[character % course_count];
        ask_place(control, a->target, course_place(c, 4.0f * floorf(t / 4.0f) + 4.0f));
    } else {
        ask_trajectory(user, character, t, root, control);
    }
    (void)am_control_choose(control, a->style, a->names->names[character % a->names->name_count], NULL);
}

/// Styles that targets were learned in (configs/controls/operators/transfer.json).
static bool is_known(const char *style) { return strcmp(style, "relaxed") == 0 || strcmp(style, "rushed") == 0; }

static am_result play(behaviours *b, const gallery *g, styled_ask *a, const char *name, am_error *err)
{
    crowd c;
    const int styles = a->names->name_count, count = styles < AM_MAX_TAGS ? styles : AM_MAX_TAGS;
    am_result result = crowd_open(&c, b, count, SECONDS, false, 5, err);
    result = result == AM_OK ? crowd_play(&c, SECONDS, ask_styled, a, err) : result;
    if (result == AM_OK) {
        ami_tables *t = b->e->tables;
        int runs = 0, right = 0, known = 0;
        for (int i = 0; i < count; i++) {
            if (!is_known(a->names->names[i])) {
                const int style = recognise(g, &c, i, count);
                runs++;
                right += style == i;
                known += is_known(a->names->names[style]);
            }
        }
        const crowd_quality q = crowd_measure(&c, 1.0f);
        double way = 0.0;
        for (int i = 0; i < count; i++) {
            way += (double)am_v3_length(am_v3_ground(
                       am_v3_sub(crowd_root(&c, i, c.frames - 1).translation, crowd_root(&c, i, 0).translation))) /
                   count;
        }
        ami_tables_row(t);
        ami_tables_text(t, name);
        ami_tables_number(t, runs);
        ami_tables_number(t, 100.0 * right / (runs > 0 ? runs : 1));
        ami_tables_number(t, 100.0 * known / (runs > 0 ? runs : 1));
        ami_tables_number(t, way);
        ami_tables_number(t, q.novelty_median);
        ami_tables_number(t, q.novelty_p95);
    }
    crowd_close(&c);
    return result;
}

static am_result both_tasks(behaviours *b, am_error *err)
{
    int style = -1, place;
    gallery g = { 0 };
    styled_ask a = { .target = b->parts[BEHAVIOUR_TARGET].place, .style = "style" };
    course *courses = calloc(course_count, sizeof *courses);
    if (b->schema && b->parts[BEHAVIOUR_TARGET].has && b->parts[BEHAVIOUR_TRAJECTORY].has) {
        style = ami_control_find(b->schema, "style", &place, NULL);
    }
    if (style < 0) {
        free(courses);
        return cli_error(err, AM_ERR_DEF, NULL, "transfer.amnet has no target, trajectory and style");
    }
    a.names = &b->schema->nodes[ami_control_inside(b->schema, style)];
    am_result result = courses && gallery_make(&g, b, a.names)
                           ? AM_OK
                           : cli_error(err, AM_ERR_MEMORY, NULL, "out of memory for captured poses");
    if (result == AM_OK) {
        courses_make(courses, 0.8f);
        a.course = (course_ask){ .parts = &b->parts[BEHAVIOUR_TRAJECTORY], .courses = courses };
        result = play(b, &g, &a, "trajectory: learned in this style", err);
        a.to_target = true;
        result = result == AM_OK ? play(b, &g, &a, "target: learned in two others", err) : result;
        ami_tables_note(b->e->tables,
                        "a style is recognised where most frames have it, by the nearest of %d captured "
                        "poses; by chance in %.0f %% of runs of %.0f s",
                        g.count, 100.0 / a.names->name_count, (double)SECONDS);
    }
    free(courses);
    free(g.poses);
    free(g.styles);
    return result;
}

am_result operators_transfer(const operators_shelf *s, am_error *err)
{
    static const ami_column columns[] = { { "task", -1 },         { "runs", 0 },
                                          { "recognised %", 1 },  { "taken for those two %", 1 },
                                          { "way m", 2 },         { "novelty median cm", 2 },
                                          { "novelty p95 cm", 2 } };
    am_model *model = NULL;
    ami_tables_begin(s->e->tables, "figure 13", "a style that was learned for one task, in another");
    ami_tables_columns(s->e->tables, columns, CLI_COUNT(columns));
    am_result result = operators_open(s, "transfer", &model, err);
    if (result == AM_OK && model) {
        behaviours b;
        result = behaviours_open(&b, s->e, s->db, model, err);
        result = result == AM_OK ? both_tasks(&b, err) : result;
        behaviours_close(&b);
    }
    am_model_close(model);
    return result;
}
