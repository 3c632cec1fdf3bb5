// Motion matching (LMM section 3, appendix A): play on, and at intervals search for the frame whose features are
// nearest to the features of the playing frame joined with the desired trajectory; jump there when it beats playing
// on.
#include <amble/source.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/index.h"
#include "method/decoder.h"
#include "method/learned.h"
#include "method/match.h"
#include "method/playback.h"
#include "data/database.h"
#include "data/features.h"

#include <math.h>
#include <string.h>

/// The numbers of a search.
typedef struct match_numbers {
    float search_every_s, stay_bias;
    float rough_m;   ///< second difference of a joint, for one frame of the database
    int surround;    ///< frames
    ami_ahead ahead; ///< how far a choice looks; one level for plain matching
} match_numbers;

typedef struct match_source {
    am_source base;
    match_numbers own;   ///< where no settings are given
    int standing;        ///< where a state begins when no frame is given
    ami_decoder decoder; ///< makes the poses; without a network they come from the database
} match_source;

/// A character's state of this source.
typedef struct match_state {
    int32_t frame;
    float fraction; ///< [0, 1) of a frame beyond it
    float since_s;  ///< since the last search
    int32_t reserved;
} match_state;

// A time this near a frame is that frame: 1/60 s in floats is not quite a frame of 60 Hz.
#define SNAP 1e-4f
// Rounding of summed steps must not put a search off by a whole step.
#define TIME_SLACK_S 1e-4f
// Where the best frame is a bad place to land, this many of the best are considered, its neighbours among them.
#define LANDINGS 16

ami_match_def ami_match_def_default(void)
{
    // 1/6 s: LMM's ten frames at 60 Hz. No bias: even 0.1 lets a walk of 1.4 m/s continue when the target is 1.1. 0.2
    // s of surroundings: a jump nearer than that is the same motion, stuttering. 90 m/s^2 (2.5 cm per frame squared
    // at 60 Hz): half of CMU's 99.9th percentile; beyond it lie hands, knees and toes that flick in the capture.
    ami_match_def def = {
        .search_every_s = 1.0f / 6.0f, .stay_bias = 0.0f, .surround_s = 0.2f, .rough_mps2 = 90.0f, .cookie = AM_COOKIE
    };
    return def;
}

static const match_source *match_of(const am_source *source) { return (const match_source *)(const void *)source; }

static size_t match_state_size(const am_source *source)
{
    (void)source;
    return sizeof(match_state);
}

static match_numbers numbers_of_def(const match_source *match, const ami_match_def *def, ami_ahead ahead)
{
    float fps = match->base.db->fps;
    // A network's poses are already smooth, and checking them would cost four evaluations.
    match_numbers n = { .search_every_s = def->search_every_s,
                        .stay_bias = def->stay_bias,
                        .rough_m = match->decoder.net.net ? 0.0f : def->rough_mps2 / (fps * fps),
                        .surround = (int)(def->surround_s * fps + 0.5f),
                        .ahead = ahead };
    n.ahead.frames = (int)(am_max(def->search_every_s * fps, 1.0f) + 0.5f);
    return n;
}

static match_numbers numbers_of(const match_source *match, const am_settings *settings)
{
    if (!settings) {
        return match->own;
    }
    ami_match_def def = { .search_every_s = settings->search_every_s,
                          .stay_bias = settings->stay_bias,
                          .surround_s = settings->surround_s,
                          .rough_mps2 = settings->rough_mps2 };
    bool looks = settings->method == AM_METHOD_LONG_HORIZON;
    ami_ahead ahead = looks ? (ami_ahead){ settings->k, settings->l, 0, settings->most_searches, false }
                            : (ami_ahead){ .k = 1, .l = 1 };
    return numbers_of_def(match, &def, ahead);
}

static void match_reset(const am_source *source, void *state, int frame, const am_settings *settings)
{
    match_state *s = state;
    memset(s, 0, sizeof *s);
    s->frame = frame >= 0 && frame < source->db->frame_count ? frame : match_of(source)->standing;
    s->since_s = settings ? settings->search_every_s : match_of(source)->own.search_every_s;
}

// ---------------------------------------------------------------------------------------------
// Poses between frames

/// The pose of a moment: the database's, or what the Decompressor makes of its row. False when it is not finite.
static bool sample_pose(const match_source *match, am_transform *out, int frame, float fraction, am_search_work *work)
{
    const am_db *db = match->base.db;
    if (match->decoder.net.net) {
        const float *y = ami_decode(&match->decoder, work, frame, fraction);
        ami_pose pose = { .local = out };
        if (y) {
            ami_pose_read(&pose, &match->decoder.layout, y, db->skeleton, db->moving);
        }
        return y != NULL;
    }
    ami_play_pose(db, out, frame, fraction);
    return true;
}

/// A pose with the velocities of one step of the clip: the step that led to it, or the one that follows. A transition
/// joins exactly these two steps; velocities across a pose would bring half of its bend into the seam.
static void sample_side(const match_source *match, am_source_pose *side, const match_state *s, bool leaving,
                        am_search_work *work)
{
    const am_db *db = match->base.db;
    am_transform from[AM_MAX_JOINTS];
    am_transform to[AM_MAX_JOINTS];
    int first = leaving && s->fraction == 0.0f ? ami_db_clamp(db, s->frame, -1) : s->frame;
    int last = ami_db_clamp(db, first, 1);
    bool good = sample_pose(match, side->local, s->frame, s->fraction, work);
    good = good && sample_pose(match, from, first, 0.0f, work) && sample_pose(match, to, last, 0.0f, work);
    ami_play_velocities(db, side, good ? from : NULL, to, first, last);
}

static void match_pose(const am_source *source, const void *state, am_source_output *out, am_search_work *work)
{
    const match_state *s = state;
    sample_pose(match_of(source), out->local, s->frame, s->fraction, work);
    out->contacts = source->db->contacts[s->frame];
    out->frame = s->frame;
    out->fraction = s->fraction;
}

// ---------------------------------------------------------------------------------------------
// Searching

void ami_match_query(const am_source *source, float *out, const ami_match_moment *moment,
                     const am_query_point *trajectory, int trajectory_count)
{
    const am_db *db = source->db;
    const float *row = am_db_x(db, moment->frame);
    const float *next = am_db_x(db, ami_db_clamp(db, moment->frame, 1));
    float now[AM_MAX_FEATURES + 8];
    float raw[AM_MAX_FEATURES];
    for (int d = 0; d < db->features.stride; d++) {
        now[d] = am_lerp(row[d], next[d], moment->fraction);
    }
    ami_features_denormalise(&db->features, raw, now);
    if (moment->feet) {
        ami_features_move_feet(db->features.schema, raw, moment->feet);
    }
    ami_query query = ami_query_default();
    query.current = raw;
    query.root = moment->root;
    query.trajectory = trajectory_count > 0 ? trajectory : NULL;
    query.trajectory_count = trajectory_count;
    query.roles = source->roles;
    query.pose = moment->pose;
    query.velocity = moment->velocity;
    ami_query_make(&db->features, out, &query);
}

/// Whether the filter accepts the playing frame. In the ignored ends of a range, which no filter accepts, the nearest
/// frame that a search may offer decides.
static bool may_stay(const am_source *source, const am_filter *filter, int frame)
{
    if (!filter) {
        return true;
    }
    const am_db_range *range = &source->db->ranges[am_db_range_of(source->db, frame)];
    int first = range->start + range->head;
    int last = range->stop - range->tail - 1;
    int asked = frame > last ? last : frame < first ? first : frame;
    return last >= first && (filter->frames[asked >> 6] >> (asked & 63) & 1) != 0;
}

static bool looks_ahead(const match_numbers *n, const am_source_input *input)
{
    return n->ahead.l > 1 && input->horizon;
}

/// The hit to jump to, or -1 to play on. With lookahead, playing on is one more branch besides the frames found.
/// totals(count): what was compared.
static int choose(const am_source *source, const match_numbers *n, const match_state *s, am_source_output *out,
                  float *totals, const am_hit *hits, int count, const am_source_input *input, am_search_work *work)
{
    float stay = out->stay_cost - n->stay_bias;
    bool ahead = looks_ahead(n, input);
    out->searches = 1;
    out->stay_total = ahead ? INFINITY : stay;
    for (int i = 0; i < count; i++) {
        totals[i] = ahead ? INFINITY : hits[i].cost;
    }
    if (!ahead) {
        return hits[0].cost < stay ? 0 : -1;
    }
    am_hit branches[AMI_MAX_HITS];
    float sums[AMI_MAX_HITS];
    int taken = 0;
    int staying = -1;
    for (int i = 0; i < count && taken < n->ahead.k; taken++) {
        bool stays = staying < 0 && stay <= hits[i].cost;
        staying = stays ? taken : staying;
        branches[taken] = stays ? (am_hit){ s->frame, am_max(stay, 0.0f) } : hits[i];
        i += !stays;
    }
    int best = ami_look_ahead(source, &n->ahead, sums, branches, taken, input, work, &out->searches);
    for (int i = 0; i < taken; i++) {
        *(i == staying ? &out->stay_total : &totals[i - (staying >= 0 && i > staying)]) = sums[i];
    }
    return best == staying ? -1 : best - (staying >= 0 && best > staying);
}

/// What a trace shows: the best hits, the one taken first.
static void show(am_source_output *out, const am_hit *hits, const float *totals, int count, int wanted, int taken)
{
    int first = taken > 0 ? taken : 0;
    int most = wanted < 1 ? 1 : wanted > AM_MAX_CANDIDATES ? AM_MAX_CANDIDATES : wanted;
    out->candidates[0] = hits[first];
    out->totals[0] = totals[first];
    out->candidate_count = 1;
    for (int i = 0; i < count && out->candidate_count < most; i++) {
        if (i != first) {
            out->totals[out->candidate_count] = totals[i];
            out->candidates[out->candidate_count++] = hits[i];
        }
    }
    out->cost = hits[first].cost;
    out->transition = taken >= 0;
}

/// Puts another candidate first where the best one is a rough place to land: the best that is smooth and still
/// better than playing on, or the smoothest.
static void land_softly(const am_source *source, am_source_output *out, const ami_search *target, float rough_m,
                        float most, am_search_work *work)
{
    float best = ami_roughness(source->db, out->candidates[0].frame);
    if (!(best > rough_m) || !(rough_m > 0.0f)) {
        return;
    }
    ami_search again = *target;
    again.k = LANDINGS;
    am_hit hits[LANDINGS];
    out->searches++;
    int count = ami_index_search(source->index, hits, &again, work);
    am_hit chosen = out->candidates[0];
    for (int i = 0; i < count && hits[i].cost < most && best > rough_m; i++) {
        float rough = ami_roughness(source->db, hits[i].frame);
        if (rough < best) {
            best = rough;
            chosen = hits[i];
        }
    }
    int at = 0;
    while (at < out->candidate_count - 1 && out->candidates[at].frame != chosen.frame) {
        at++;
    }
    bool listed = out->candidates[at].frame == chosen.frame;
    float total = listed ? out->totals[at] : INFINITY;
    memmove(out->candidates + 1, out->candidates, (size_t)at * sizeof *out->candidates);
    memmove(out->totals + 1, out->totals, (size_t)at * sizeof *out->totals);
    out->softened = at > 0 || !listed;
    out->candidates[0] = chosen;
    out->totals[0] = total;
    out->cost = chosen.cost;
}

static void search(const am_source *source, const match_numbers *n, match_state *s, am_source_output *out,
                   const am_source_input *input, bool must_leave, am_search_work *work)
{
    double before = input->clock ? input->clock->microseconds(input->clock->user) : 0.0;
    ami_match_moment now = { input->root, s->frame, s->fraction, input->pose, input->velocity, input->feet };
    ami_match_query(source, out->query, &now, input->trajectory, input->trajectory_count);
    bool stay =
        !must_leave && !input->printed && may_stay(source, input->stay ? input->stay : input->filter, s->frame);
    out->stay_cost = stay ? ami_index_cost(source->index, s->frame, out->query, input->weights) : INFINITY;
    const am_db_range *range = &source->db->ranges[am_db_range_of(source->db, s->frame)];
    am_hit hits[AMI_MAX_HITS];
    ami_search target = ami_search_default();
    target.x = out->query;
    target.weights = input->weights;
    target.filter = input->filter;
    target.k = input->candidates > AM_MAX_CANDIDATES ? AM_MAX_CANDIDATES : input->candidates;
    int branches = looks_ahead(n, input) ? n->ahead.k : 1;
    target.k = target.k < branches ? branches : target.k;
    target.current = stay ? s->frame : -1;
    int around = !input->printed ? n->surround : must_leave ? 0 : -1; // -1: not even the playing frame
    target.ignore_first = s->frame - around < range->start ? range->start : s->frame - around;
    target.ignore_last = s->frame + around >= range->stop ? range->stop - 1 : s->frame + around;
    int found = ami_index_search(source->index, hits, &target, work);
    out->searched = true;
    s->since_s = 0.0f;
    if (found == 0) {
        out->fell_back = true; // a query that is not finite: play on while there is something to play
    } else {
        float totals[AMI_MAX_HITS] = { 0 };
        int taken = choose(source, n, s, out, totals, hits, found, input, work);
        show(out, hits, totals, found, input->candidates, taken);
        if (input->printed) {
            // Jumping to the playing frame is playing on.
            out->transition &= out->candidates[0].frame != s->frame || s->fraction > 0.0f;
        } else if (out->transition) {
            land_softly(source, out, &target, n->rough_m, out->stay_cost - n->stay_bias, work);
        }
    }
    if (input->clock) {
        out->search_us = (float)(input->clock->microseconds(input->clock->user) - before);
    }
}

/// The jump to the chosen candidate: both sides of it, for the inertialisation.
static void jump(const am_source *source, match_state *s, am_source_output *out, am_search_work *work)
{
    sample_side(match_of(source), &out->left, s, true, work);
    s->frame = out->candidates[0].frame;
    s->fraction = 0.0f;
    sample_side(match_of(source), &out->landed, s, false, work);
}

// ---------------------------------------------------------------------------------------------
// Playing

static void play(const am_source *source, match_state *s, am_source_output *out, float dt, am_search_work *work)
{
    const am_db *db = source->db;
    am_transform before = ami_play_root(db, s->frame, s->fraction);
    int last = db->ranges[am_db_range_of(db, s->frame)].stop - 1;
    ami_play_advance(&s->frame, &s->fraction, last, dt * db->fps);
    am_transform pose[AM_MAX_JOINTS];
    am_transform root = ami_play_root(db, s->frame, s->fraction);
    bool good = sample_pose(match_of(source), pose, s->frame, s->fraction, work);
    out->frame = s->frame;
    out->fraction = s->fraction;
    if (!good || !ami_play_is_finite(pose, db->joint_count, root) || !ami_play_is_finite(pose, 0, before)) {
        out->fell_back = true;
        return;
    }
    memcpy(out->local, pose, (size_t)db->joint_count * sizeof *pose);
    ami_play_moved(out, before, root, dt);
    out->contacts = db->contacts[s->fraction < 0.5f ? s->frame : ami_db_clamp(db, s->frame, 1)];
}

static void match_step(const am_source *source, void *state, am_source_output *out, const am_source_input *input,
                       am_search_work *work)
{
    match_numbers n = numbers_of(match_of(source), input->settings);
    n.ahead.distances = input->distances;
    match_state *s = state;
    out->transition = out->searched = out->ended = out->fell_back = out->softened = false;
    out->root_linear = am_v3_zero();
    out->root_angular = am_v3_zero();
    out->candidate_count = out->searches = 0;
    s->since_s += input->dt;
    int last = source->db->ranges[am_db_range_of(source->db, s->frame)].stop - 1;
    bool at_end = (float)(last - s->frame) - s->fraction < input->dt * source->db->fps - SNAP;
    bool due = s->since_s + TIME_SLACK_S >= n.search_every_s;
    if (input->search_now || (!input->hold && (due || at_end))) {
        search(source, &n, s, out, input, at_end || input->leave, work);
        if (out->transition) {
            jump(source, s, out, work);
            at_end = false;
        }
    }
    out->ended = at_end && input->hold;
    play(source, s, out, input->dt, work);
}

// ---------------------------------------------------------------------------------------------
// Making one

static void match_destroy(am_source *source)
{
    am_alloc alloc = source->alloc;
    am_net_destroy(((match_source *)(void *)source)->decoder.net.net);
    ami_release(&alloc, source, sizeof(match_source));
}

static am_result match_make_work(const am_source *source, am_search_work *work, int most, const am_alloc *alloc,
                                 am_error *err)
{
    (void)most; // one after another: most of the work is searching
    const am_net *net = match_of(source)->decoder.net.net;
    return net ? am_net_work_create(&ami_search_work_nets(work)[ami_net_decompressor], net, 1, alloc, err) : AM_OK;
}

// One method under two names.
static const am_source_interface interfaces[2] = {
    { .name = "match",
      .state_size = match_state_size,
      .reset = match_reset,
      .pose = match_pose,
      .step = match_step,
      .destroy = match_destroy,
      .make_work = match_make_work },
    { .name = "long-horizon",
      .state_size = match_state_size,
      .reset = match_reset,
      .pose = match_pose,
      .step = match_step,
      .destroy = match_destroy,
      .make_work = match_make_work },
};

am_result ami_match_create(am_source **out, const ami_match_def *def, am_error *err)
{
    return ami_matching_create(out, def, NULL, err);
}

am_result ami_matching_create(am_source **out, const ami_match_def *def, const ami_ahead *ahead, am_error *err)
{
    *out = NULL;
    if (!def || def->cookie != AM_COOKIE || !def->db || !def->index || def->index->db != def->db) {
        return ami_fail(
            err, AM_ERR_DEF,
            "initialise the match def with ami_match_def_default() and give it a database and an index of it");
    }
    if (!def->db->has_poses && !def->decompressor) {
        return ami_fail(err, AM_ERR_SUPPORT,
                        "the database has no poses; also name the network whose Decompressor makes them");
    }
    if (!(def->search_every_s > 0.0f) || !(def->stay_bias >= 0.0f) || !(def->surround_s >= 0.0f) ||
        !(def->rough_mps2 >= 0.0f) || !(def->search_every_s < 1e3f) || !(def->surround_s < 1e3f)) {
        return ami_fail(err, AM_ERR_DEF,
                        "match def: search_every_s must be above 0; stay_bias, surround_s and rough_mps2 at least 0");
    }
    am_alloc alloc = ami_alloc_or_default(def->alloc);
    match_source *match = ami_alloc_zero(&alloc, sizeof *match);
    if (!match) {
        return ami_fail_memory(err, sizeof *match);
    }
    if (def->decompressor) {
        am_result result = ami_decoder_open(&match->decoder, def->db, def->decompressor, &alloc, err);
        if (result != AM_OK) {
            ami_release(&alloc, match, sizeof *match);
            return result;
        }
    }
    match->base = (am_source){ .interface = &interfaces[ahead != NULL],
                               .skeleton = def->db->skeleton,
                               .roles = &def->db->roles,
                               .db = def->db,
                               .index = def->index,
                               .alloc = alloc };
    match->own = numbers_of_def(match, def, ahead ? *ahead : (ami_ahead){ .k = 1, .l = 1 });
    const ami_ahead *own = &match->own.ahead;
    const float numbers[] = { def->search_every_s, def->stay_bias, def->surround_s,          def->rough_mps2,
                              (float)own->k,       (float)own->l,  (float)own->most_searches };
    match->base.key = am_hash64(numbers, sizeof numbers, def->decompressor ? def->decompressor->hash : 0);
    match->base.facts = !def->db->has_poses && match->decoder.facts.version ? &match->decoder.facts : NULL;
    match->standing = def->db->facts ? def->db->facts->standing_frame : ami_find_standing(def->db, def->index);
    *out = &match->base;
    return AM_OK;
}
