// The DirectionNet part of amble eval paths (LHMM VI-G): facings predicted along held-out clips, and a character that
// uses them along the paths of those clips.
#include "eval_paths.h"

#include "database.h"
#include "places.h"

#include "data/database.h"
#include "train/direction_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Bounds: degrees, and share of the tangent's own error.
#define MOST_DEG 25.0
#define MOST_SHARE 0.8
// Paths that are played: at least this long, evenly spread over the clips that have one.
#define LEAST_S 3.0f
#define LEAST_M 2.0f
#define MOVING_MPS 0.3f
enum { most_ways = 40, few_ways = 8, way_count = 2, told_rate = 30 };

/// A network with the clips that were held out from its training.
typedef struct teller {
    am_model *model;
    am_net *net;
    int folds, fold;
} teller;

static void teller_close(teller *t)
{
    am_net_destroy(t->net);
    am_model_close(t->model);
}

/// The network for a config; *t has no net when none ships.
static am_result teller_open(teller *t, const eval *e, const char *config, am_error *err)
{
    memset(t, 0, sizeof *t);
    am_result result =
        e->model ? am_model_open(&t->model, e->model, NULL, err) : cli_direction_open(&t->model, config, err);
    if (result == AM_OK && t->model) {
        ami_direction_kept(t->model, &t->folds, &t->fold);
        result = ami_direction_net_open(&t->net, t->model, NULL, err);
    }
    return result;
}

// ---------------------------------------------------------------------------------------------
// Told

static void begin_told(eval *e)
{
    ami_tables_begin(e->tables, "direction",
                     "DirectionNet along clips kept from its training: mean angle to the captured facing, degrees");
    static const ami_column columns[] = { { "data", -1 },     { "frames are", -1 }, { "clips", 0 },
                                          { "frames", 0 },    { "net", 1 },         { "of tangent", 2 },
                                          { "with past", 1 }, { "tangent", 1 },     { "first offset kept", 1 } };
    ami_tables_columns(e->tables, columns, CLI_COUNT(columns));
}

static void add_told(eval *e, const char *config, const ami_direction_report *report, bool bound)
{
    for (int k = 0; k < AMI_DIRECTION_CLASSES; k++) {
        const ami_direction_score *s = &report->scores[k];
        bool held = bound && k == AMI_DIRECTION_ALL;
        if (s->frames == 0) {
            continue;
        }
        ami_tables_row(e->tables);
        ami_tables_text(e->tables, config);
        ami_tables_text(e->tables, ami_direction_class_name((ami_direction_class)k));
        ami_tables_number(e->tables, report->clips);
        ami_tables_number(e->tables, (double)s->frames);
        ami_tables_bounded(e->tables, s->net_deg, held ? MOST_DEG : (double)INFINITY);
        ami_tables_bounded(e->tables, s->net_deg / fmax(s->tangent_deg, 1e-9), held ? MOST_SHARE : (double)INFINITY);
        ami_tables_number(e->tables, s->past_deg);
        ami_tables_number(e->tables, s->tangent_deg);
        ami_tables_number(e->tables, s->kept_deg);
    }
}

static am_result tell(eval *e, const am_db *db, const char *config, am_error *err)
{
    teller t;
    ami_direction_report report;
    am_result result = teller_open(&t, e, config, err);
    if (result == AM_OK && t.net) {
        // Only locomotion has bounds: dancers face anywhere.
        bool bound = strcmp(config, "locomotion") == 0 || strcmp(config, "agile") == 0;
        result = ami_direction_check(&report, t.net, db, t.folds, t.fold, NULL, err);
        if (result == AM_OK) {
            add_told(e, config, &report, bound);
        }
        result = result == AM_ERR_EMPTY ? AM_OK : result; // no clip is long enough
    }
    teller_close(&t);
    return result;
}

/// The other data sets with their own networks.
static am_result tell_others(eval *e, am_error *err)
{
    static const char *const sets[] = { "agile", "basketball", "salsa", "indian_dance" };
    am_result result = AM_OK;
    for (int i = 0; result == AM_OK && i < (int)CLI_COUNT(sets); i++) {
        am_db *db = NULL;
        if (cli_database_has_data(sets[i])) {
            result = cli_database_open(&db, sets[i], e->tasks, e->progress, err);
            result = result == AM_OK ? tell(e, db, sets[i], err) : result;
        }
        am_db_close(db);
    }
    return result;
}

// ---------------------------------------------------------------------------------------------
// In play

/// The path of one clip, followed with one kind of facing.
typedef struct way {
    const am_db *db;
    const am_model *model;
    const am_db_range *range;
    am_path_facing facing;
    am_path_sample *samples; ///< [count]
    int count, at;
    double sums[AMI_DIRECTION_CLASSES];
    int64_t frames[AMI_DIRECTION_CLASSES];
    am_metrics metrics;
    am_result result;
    am_error err;
} way;

static int frame_of(const way *w, int sample)
{
    int frame = w->range->start + (int)((float)sample * w->db->fps / (float)told_rate + 0.5f);
    return frame < w->range->stop ? frame : w->range->stop - 1;
}

/// The angle to the facing that the captured person had where the character is.
static am_result take_frame(void *user, const am_run_sample *sample, am_error *err)
{
    way *w = user;
    (void)err;
    if (!sample->path.following) {
        return AM_OK;
    }
    am_vec3 root = sample->pose.root.translation;
    float least = INFINITY;
    int from = w->at;
    for (int i = from; i < w->count && i < from + told_rate; i++) {
        float x = w->samples[i].x - root.x;
        float z = w->samples[i].z - root.z;
        if (x * x + z * z < least) {
            least = x * x + z * z;
            w->at = i;
        }
    }
    int next = w->at + 1 < w->count ? w->at + 1 : w->at;
    float x = w->samples[next].x - w->samples[next - 1].x;
    float z = w->samples[next].z - w->samples[next - 1].z;
    if (!(sqrtf(x * x + z * z) * (float)told_rate > MOVING_MPS)) {
        return AM_OK;
    }
    float captured = am_quat_heading(ami_db_root(w->db, frame_of(w, w->at)).rotation);
    float offset = fabsf(am_wrap_angle(captured - am_atan2(x, z))) / AM_DEG;
    int class = offset < 45.0f    ? AMI_DIRECTION_FORWARD
                : offset < 135.0f ? AMI_DIRECTION_SIDEWAYS
                                  : AMI_DIRECTION_BACKWARD;
    double off = (double)(fabsf(am_wrap_angle(am_quat_heading(sample->pose.root.rotation) - captured)) / AM_DEG);
    const int both[2] = { AMI_DIRECTION_ALL, class };
    for (int i = 0; i < 2; i++) {
        w->sums[both[i]] += off;
        w->frames[both[i]]++;
    }
    return AM_OK;
}

static am_result play(way *w, const am_run_script *script, const am_db_measures *own, am_error *err)
{
    am_run *run = NULL;
    am_run_meter *meter = NULL;
    am_run_def def = am_run_def_default();
    def.script = script;
    def.db = w->db;
    def.models = &w->model;
    def.model_count = 1;
    am_result result = am_run_create(&run, &def, err);
    am_run_meter_def meter_def = am_run_meter_def_default();
    meter_def.run = run;
    meter_def.own = own;
    result = result == AM_OK ? am_run_meter_create(&meter, &meter_def, err) : result;
    if (result == AM_OK) {
        am_run_observer observers[2] = { am_run_meter_observer(meter), { w, take_frame } };
        am_progress quiet = cli_quiet_progress();
        result = am_run_play(run, observers, 2, &quiet, err);
    }
    if (result == AM_OK) {
        w->metrics = am_run_meter_result(meter, 0);
    }
    am_run_meter_destroy(meter);
    am_run_destroy(run);
    return result;
}

typedef struct plays {
    way *ways;
    const am_db_measures *own;
} plays;

static void play_item(void *context, int item)
{
    plays *p = context;
    way *w = &p->ways[item];
    am_run_path path = { 0 };
    am_path_def_init(&path.def);
    path.def.samples = w->samples;
    path.def.count = w->count;
    path.def.facing = w->facing;
    float heading = am_quat_heading(ami_db_root(w->db, w->range->start).rotation);
    am_run_actor actor = { .position = am_v3(w->samples[0].x, 0.0f, w->samples[0].z),
                           .facing = am_v3(am_sin(heading), 0.0f, am_cos(heading)),
                           .paths = &path,
                           .path_count = 1 };
    float longest = 2.0f * w->samples[w->count - 1].t + 20.0f;
    am_run_script script = { .fps = 60.0f, .seconds = longest, .ends_with_paths = true, .seed = 1 };
    am_settings_init(&script.options.settings, AM_METHOD_LONG_HORIZON);
    script.actors = &actor;
    script.actor_count = 1;
    w->result = play(w, &script, p->own, &w->err);
}

/// Whether a clip covers some distance, was held out from training and is not a mirror image.
static bool goes(const am_db *db, const am_db_range *range, const teller *t)
{
    if ((range->flags & AM_RANGE_MIRRORED) != 0 || (t->fold >= 0 && ami_direction_fold(range, t->folds) != t->fold)) {
        return false;
    }
    float length = 0.0f;
    for (int f = range->start + 1; f < range->stop; f++) {
        length += am_v3_distance(db->root_positions[f - 1], db->root_positions[f]);
    }
    return (float)(range->stop - range->start) > LEAST_S * db->fps && length > LEAST_M;
}

/// Fills ways(2 * most), two for each clip: with the tangent and with the net. Returns how many.
static int make_ways(way *ways, const am_db *db, const teller *t, int most)
{
    int total = 0;
    for (int r = 0; r < db->range_count; r++) {
        total += goes(db, &db->ranges[r], t);
    }
    int count = 0;
    int seen = 0;
    for (int r = 0; total > 0 && r < db->range_count && count < way_count * most; r++) {
        const am_db_range *range = &db->ranges[r];
        if (!goes(db, range, t) || seen++ * most / total < count / way_count) {
            continue;
        }
        int samples = (int)((float)(range->stop - range->start) * (float)told_rate / db->fps);
        for (int i = 0; i < way_count; i++) {
            way *w = &ways[count];
            *w = (way){ .db = db, .model = t->model, .range = range, .count = samples };
            w->facing = i == 0 ? AM_PATH_FACING_TANGENT : AM_PATH_FACING_NET;
            w->samples = malloc((size_t)samples * sizeof *w->samples);
            if (!w->samples) {
                return count;
            }
            for (int s = 0; s < samples; s++) {
                am_vec3 at = db->root_positions[frame_of(w, s)];
                w->samples[s] = (am_path_sample){ (float)s / (float)told_rate, at.x, at.z };
            }
            count++;
        }
    }
    return count;
}

static void add_played(eval *e, const way *ways, int count)
{
    ami_tables_begin(e->tables, "direction in play",
                     "a character on the paths of clips kept from training: mean angle to the captured facing there");
    static const ami_column columns[] = { { "facing", -1 },      { "ways", 0 },      { "all", 1 },
                                          { "forward", 1 },      { "sideways", 1 },  { "backward", 1 },
                                          { "path_error_m", 3 }, { "completed", 0 }, { "foot_slide_cm", 3 },
                                          { "skate_share", 3 } };
    ami_tables_columns(e->tables, columns, CLI_COUNT(columns));
    double tangent = 0.0;
    for (int i = 0; i < way_count; i++) {
        double sums[AMI_DIRECTION_CLASSES] = { 0 };
        double frames[AMI_DIRECTION_CLASSES] = { 0 };
        double error = 0.0, slide = 0.0, skate = 0.0;
        int completed = 0, played = 0;
        for (int w = i; w < count; w += way_count, played++) {
            for (int k = 0; k < AMI_DIRECTION_CLASSES; k++) {
                sums[k] += ways[w].sums[k];
                frames[k] += (double)ways[w].frames[k];
            }
            error += ways[w].metrics.path.path_error_m;
            slide += ways[w].metrics.final.foot_slide_cm;
            skate += ways[w].metrics.final.skate_share;
            completed += ways[w].metrics.path.path_completed;
        }
        ami_tables_row(e->tables);
        ami_tables_text(e->tables, i == 0 ? "tangent" : "net");
        ami_tables_number(e->tables, played);
        for (int k = AMI_DIRECTION_ALL; k <= AMI_DIRECTION_BACKWARD; k++) {
            double mean = frames[k] > 0.0 ? sums[k] / frames[k] : (double)NAN;
            tangent = i == 0 && k == AMI_DIRECTION_ALL ? mean : tangent;
            ami_tables_bounded(e->tables, mean, i == 1 && k == AMI_DIRECTION_ALL ? tangent : (double)INFINITY);
        }
        ami_tables_number(e->tables, error / fmax(played, 1));
        ami_tables_number(e->tables, completed);
        ami_tables_number(e->tables, slide / fmax(played, 1));
        ami_tables_number(e->tables, skate / fmax(played, 1));
    }
    ami_tables_note(
        e->tables, "Each path is the track of the clip's root and begins with its first facing; only frames in which "
                   "the captured person was faster than 0.3 m/s count. The motion of those clips is in the "
                   "database; the network has not seen them.");
}

static am_result play_ways(eval *e, const am_db *db, const char *config, am_error *err)
{
    teller t;
    am_db_measures own;
    int most = e->quick ? few_ways : most_ways;
    way *ways = calloc((size_t)way_count * (size_t)most, sizeof *ways);
    am_result result = ways ? teller_open(&t, e, config, err) : AM_ERR_MEMORY;
    if (!ways) {
        cli_error(err, AM_ERR_MEMORY, NULL, "out of memory for the paths");
        return result;
    }
    result = result == AM_OK ? am_db_measure(&own, db, NULL, err) : result;
    int count = result == AM_OK && t.net ? make_ways(ways, db, &t, most) : 0;
    plays p = { ways, &own };
    if (count > 0) {
        e->tasks->run(e->tasks->user, count, play_item, &p);
    }
    for (int i = 0; i < count; i++) {
        if (result == AM_OK && ways[i].result != AM_OK) {
            result = ways[i].result;
            *err = ways[i].err;
        }
    }
    if (result == AM_OK && count > 0) {
        add_played(e, ways, count);
    }
    for (int i = 0; i < way_count * most; i++) {
        free(ways[i].samples);
    }
    free(ways);
    teller_close(&t);
    return result;
}

am_result path_table_direction(eval *e, const am_db *db, const char *config, am_error *err)
{
    begin_told(e);
    am_result result = tell(e, db, config, err);
    if (result == AM_OK && !e->config && !e->quick) {
        result = tell_others(e, err);
    }
    ami_tables_note(e->tables,
                    "Free-running for 2 s from the first facing only, frames faster than 0.3 m/s; bounds 25 "
                    "degrees and 0.8 of the tangent's error. 'with past': the facings of the 2 s before are "
                    "known, as on the way; 'first offset kept': the tangent turned by as much as at first, "
                    "a rule that needs no network.");
    return result == AM_OK ? play_ways(e, db, config, err) : result;
}
