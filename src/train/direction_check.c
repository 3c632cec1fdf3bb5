// Compares DirectionNet with captured people on held-out clips, next to the two rules that need no network.
#include "actor/direction.h"

#include <amble/tools/json.h>

#include "base/error.h"
#include "train/direction_check.h"

#include <string.h>

// Spacing of the windows; frames slower than this do not count.
#define APART_S 0.5f
#define MOVING_MPS 0.3f
// A frame whose facing turns faster than this, over a fifth of a second, counts as turning.
#define TURNING_RAD_S (60.0f * AM_DEG)
#define TURN_S 0.1f
// Slower than this, the initial direction of movement is not defined.
#define STILL_MPS 0.15f

const char *ami_direction_class_name(ami_direction_class which)
{
    static const char *const names[] = { "all", "forward", "sideways", "backward", "turning" };
    return (int)which >= 0 && which < AMI_DIRECTION_CLASSES ? names[which] : "?";
}

/// Length of the name of the take behind a range: without "_m", "-a" and the letter of a trial cut in pieces.
static size_t take_length(const am_db_range *range)
{
    size_t size = strlen(range->name);
    if ((range->flags & AM_RANGE_MIRRORED) != 0 && size > 2 && memcmp(range->name + size - 2, "_m", 2) == 0) {
        size -= 2;
    }
    if (size > 2 && range->name[size - 2] == '-') {
        size -= 2;
    }
    char last = size > 1 ? range->name[size - 1] : ' ';
    char before = size > 1 ? range->name[size - 2] : ' ';
    return last >= 'a' && last <= 'z' && before >= '0' && before <= '9' ? size - 1 : size;
}

int ami_direction_fold(const am_db_range *range, int folds)
{
    return (int)(am_hash64(range->name, take_length(range), 0) % (uint64_t)(folds > 0 ? folds : 1));
}

void ami_direction_kept(const am_model *model, int *folds, int *fold)
{
    am_json_doc *doc = NULL;
    am_error unused = { 0 };
    *folds = 5;
    *fold = -1;
    if (am_json_parse(&doc, model->recipe, strlen(model->recipe), "recipe", NULL, &unused) != AM_OK) {
        return;
    }
    const am_json *stages = am_json_get(am_json_root(doc), "stages");
    for (const am_json *s = stages && stages->type == AM_JSON_ARRAY ? stages->first : NULL; s; s = s->next) {
        const char *kind = "";
        int parts = 5;
        int kept = 0;
        bool read = am_json_read_string(doc, s, "kind", true, &kind, &unused) == AM_OK &&
                    am_json_read_int(doc, s, "folds", false, &parts, 1, 1000, &unused) == AM_OK &&
                    am_json_read_int(doc, s, "fold", false, &kept, -1, parts - 1, &unused) == AM_OK;
        if (read && strcmp(kind, "direction") == 0) {
            *folds = parts;
            *fold = kept;
        }
    }
    am_json_free(doc);
}

// ---------------------------------------------------------------------------------------------

typedef struct check {
    const am_db *db;
    const am_net *net;
    am_net_work *work;
    ami_direction_ways ways;
    double sums[AMI_DIRECTION_CLASSES][4];
    float stride; ///< frames of the database between two points
} check;

static float angle_between(float a, float b) { return am_abs(am_wrap_angle(a - b)); }

static int frame_at(const check *c, const am_db_range *range, int present, int step)
{
    int frame = present + (int)floorf((float)step * c->stride + 0.5f);
    return frame < range->start ? range->start : frame < range->stop ? frame : range->stop - 1;
}

static float heading_of(const check *c, int frame) { return am_atan2(c->ways.sine[frame], c->ways.cosine[frame]); }

/// The step from a point to the next (LHMM eq. 2), and its speed.
static float tangent_of(const check *c, const am_db_range *range, int frame, float *speed)
{
    int from = frame + 1 < range->stop ? frame : frame - 1;
    float x = c->ways.x[from + 1] - c->ways.x[from];
    float z = c->ways.z[from + 1] - c->ways.z[from];
    *speed = sqrtf(x * x + z * z) * c->db->fps;
    return am_atan2(x, z);
}

static uint32_t classes_of(const check *c, const am_db_range *range, int frame, float offset)
{
    int half = (int)(TURN_S * c->db->fps + 0.5f);
    int before = frame - half > range->start ? frame - half : range->start;
    int after = frame + half < range->stop ? frame + half : range->stop - 1;
    float turn = angle_between(heading_of(c, after), heading_of(c, before)) * c->db->fps / (float)(after - before);
    ami_direction_class way = offset < 45.0f * AM_DEG    ? AMI_DIRECTION_FORWARD
                              : offset < 135.0f * AM_DEG ? AMI_DIRECTION_SIDEWAYS
                                                         : AMI_DIRECTION_BACKWARD;
    return 1u << AMI_DIRECTION_ALL | 1u << way | (turn > TURNING_RAD_S ? 1u << AMI_DIRECTION_TURNING : 0u);
}

/// The window around a present frame; without a past it stands there, as at the start of a path.
static void fill_window(const check *c, ami_direction_window *w, const am_db_range *range, int present, bool past)
{
    for (int t = 0; t < AMI_DIRECTION_POINTS; t++) {
        int step = t - (AMI_DIRECTION_KNOWN - 1);
        int frame = frame_at(c, range, present, step < 0 && !past ? 0 : step);
        w->x[t] = c->ways.x[frame];
        w->z[t] = c->ways.z[frame];
        if (t < AMI_DIRECTION_KNOWN) {
            w->facing[t] = heading_of(c, frame);
        }
    }
}

static void take_window(check *c, ami_direction_report *out, const am_db_range *range, int present)
{
    const int steps = AMI_DIRECTION_STEPS - AMI_DIRECTION_KNOWN;
    ami_direction_window fresh, known;
    fill_window(c, &fresh, range, present, false);
    fill_window(c, &known, range, present, true);
    if (c->net) {
        ami_direction_net_run(c->net, c->work, &fresh, steps);
        ami_direction_net_run(c->net, c->work, &known, steps);
    }
    float speed;
    float first = tangent_of(c, range, present, &speed);
    float kept = speed > STILL_MPS ? am_wrap_angle(heading_of(c, present) - first) : 0.0f;
    for (int t = AMI_DIRECTION_KNOWN; t < AMI_DIRECTION_STEPS; t++) {
        int frame = frame_at(c, range, present, t - (AMI_DIRECTION_KNOWN - 1));
        float tangent = tangent_of(c, range, frame, &speed);
        if (!(speed > MOVING_MPS)) {
            continue;
        }
        float truth = heading_of(c, frame);
        const double errors[4] = { (double)angle_between(fresh.facing[t], truth),
                                   (double)angle_between(known.facing[t], truth),
                                   (double)angle_between(tangent, truth),
                                   (double)angle_between(tangent + kept, truth) };
        uint32_t classes = classes_of(c, range, frame, angle_between(tangent, truth));
        for (int k = 0; k < AMI_DIRECTION_CLASSES; k++) {
            for (int e = 0; (classes >> k & 1u) != 0 && e < 4; e++) {
                c->sums[k][e] += errors[e];
            }
            out->scores[k].frames += classes >> k & 1u;
        }
    }
    out->windows++;
}

static void take_ranges(check *c, ami_direction_report *out, int folds, int fold)
{
    const int ahead = (int)((float)(AMI_DIRECTION_STEPS - AMI_DIRECTION_KNOWN) * c->stride + 0.5f);
    const int apart = (int)(APART_S * c->db->fps + 0.5f);
    for (int r = 0; r < c->db->range_count; r++) {
        const am_db_range *range = &c->db->ranges[r];
        if (fold >= 0 && ami_direction_fold(range, folds) != fold) {
            continue;
        }
        int before = out->windows;
        for (int f = range->start; f + ahead<range->stop; f += apart> 0 ? apart : 1) {
            take_window(c, out, range, f);
        }
        out->clips += out->windows > before;
    }
}

am_result ami_direction_check(ami_direction_report *out, const am_net *net, const am_db *db, int folds, int fold,
                              const am_alloc *allocator, am_error *err)
{
    am_alloc alloc = ami_alloc_or_default(allocator);
    check c = { .db = db, .net = net, .stride = db->fps / AMI_DIRECTION_HZ };
    memset(out, 0, sizeof *out);
    am_result result = ami_direction_ways_make(&c.ways, db, &alloc, err);
    if (result == AM_OK && net) {
        result = am_net_work_create(&c.work, net, 1, &alloc, err);
    }
    if (result == AM_OK) {
        take_ranges(&c, out, folds, fold);
        result = out->windows > 0
                     ? AM_OK
                     : ami_fail(err, AM_ERR_EMPTY, "no clip on which facings could be checked lasts 2 s");
    }
    for (int k = 0; k < AMI_DIRECTION_CLASSES; k++) {
        ami_direction_score *s = &out->scores[k];
        double mean = s->frames > 0 ? 1.0 / ((double)AM_DEG * (double)s->frames) : 0.0;
        s->net_deg = net ? c.sums[k][0] * mean : 0.0;
        s->past_deg = net ? c.sums[k][1] * mean : 0.0;
        s->tangent_deg = c.sums[k][2] * mean;
        s->kept_deg = c.sums[k][3] * mean;
    }
    am_net_work_destroy(c.work);
    ami_direction_ways_free(&c.ways, &alloc);
    return result;
}
