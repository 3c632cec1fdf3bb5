// libamble for the page: a database from bytes, a few characters that are steered or follow drawn paths, one step at
// a time.
#include "bridge.h"

#include "describe.h"
#include "drawn.h"
#include "fields.h"

#if defined(AMBLE_HAS_PHYSICS)
#include <amble/physics.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/// Where each number of the view stands; the trajectory and the costs of the channels follow.
enum {
    VIEW_ACTIVITY,
    VIEW_FRAME,
    VIEW_RANGE_FIRST,
    VIEW_RANGE_FRAMES,
    VIEW_SEARCHED,
    VIEW_TRANSITION,
    VIEW_COST,
    VIEW_STAY_COST,
    VIEW_SEARCH_US,
    VIEW_STEP_US,
    VIEW_CONTACTS,
    VIEW_LOCKED,
    VIEW_TRANSITIONS,
    VIEW_SEARCHES,
    VIEW_STEPS,
    VIEW_FALLBACK,
    VIEW_ROOT_X,
    VIEW_ROOT_Z,
    VIEW_HEADING,
    VIEW_SIMULATION_X,
    VIEW_SIMULATION_Z,
    VIEW_SIMULATION_HEADING,
    VIEW_WISH_X,
    VIEW_WISH_Z,
    VIEW_FACING_X,
    VIEW_FACING_Z,
    VIEW_TARGET_MPS,
    VIEW_PATH,        ///< 0 none, 1 followed, 2 ended
    VIEW_PATH_AT,     ///< m along it
    VIEW_PATH_LENGTH, ///< m, of a round one lap
    VIEW_PATH_LAPS,
    VIEW_PATH_RECOVERIES,
    VIEW_PATH_X, ///< by how much the drawing was moved
    VIEW_PATH_Z,
    VIEW_PUSH, ///< frame of the blend while forces act, else 0
    VIEW_PUSHES,
    VIEW_NEAREST,    ///< how far a field's state is from the data
    VIEW_NEAR_COUNT, ///< neighbours that are shown
    VIEW_TARGET,     ///< 0 none, else WEB_LINE or WEB_POINT
    VIEW_POINTS,
    VIEW_TRAJECTORY, ///< [AM_MAX_TRAJECTORY][5]: time, x, z, direction x, z
    VIEW_CHANNELS = VIEW_TRAJECTORY + 5 * AM_MAX_TRAJECTORY,
    VIEW_NEAR = VIEW_CHANNELS + AM_MAX_CHANNELS, ///< [AM_MAX_CANDIDATES][WEB_FIELD_NUMBERS] of a field's last tick
    VIEW_COUNT = VIEW_NEAR + WEB_FIELD_NUMBERS * AM_MAX_CANDIDATES
};

static const char *const view_names[VIEW_TRAJECTORY + 1] = {
    "activity",    "frame",
    "rangeFirst",  "rangeFrames",
    "searched",    "transition",
    "cost",        "stayCost",
    "searchUs",    "stepUs",
    "contacts",    "locked",
    "transitions", "searches",
    "steps",       "fallback",
    "rootX",       "rootZ",
    "heading",     "simulationX",
    "simulationZ", "simulationHeading",
    "wishX",       "wishZ",
    "facingX",     "facingZ",
    "targetMps",   "path",
    "pathAt",      "pathLength",
    "pathLaps",    "pathRecoveries",
    "pathX",       "pathZ",
    "push",        "pushes",
    "nearest",     "nearCount",
    "target",      "points",
    "trajectory",
};

// Room for a path: at 60 points a second eighteen minutes, of a round eight.
#define PATH_POINTS 65536
// Of a path that is measured.
#define LONGEST_WAY_S 600

typedef struct actor {
    am_character *character;
    const am_source *source;
    am_intent_state devices;
    web_drawn drawn;
    web_target target;
    web_stroll stroll; ///< of those in a crowd whom nobody steers
} actor;

/// Everything that belongs to one open database.
typedef struct bridge {
    void *bytes;
    am_db *db;
    am_index *index;     ///< NULL where networks are all there is
    void *network_bytes; ///< of `networks`, when they are not `bytes`
    am_model *networks;  ///< of learned motion matching; NULL without
    am_source *source;   ///< matching; NULL when nobody uses it
    am_source *learned;  ///< NULL when nobody uses it
    web_fields fields;
    am_source *flow;      ///< of the field; NULL when nobody uses it
    am_search_work *work; ///< that a crowd shares; NULL: each has its own
    actor actors[WEB_MOST_ACTORS];
    int actor_count;
    am_intent_def intent;
    void *model_bytes;
    am_model *model;
    am_net *direction;            ///< of the model; NULL without
    const am_push_solver *solver; ///< of pushes; NULL without an engine
} bridge;

/// Who is on the stage, and where from the start.
typedef struct cast {
    int count;
    bool ahead; ///< they follow paths; those who match look ahead then
    int method; ///< WEB_MATCH, ...
    bool crowd; ///< the first is steered, the others stroll
    float places[WEB_MOST_ACTORS][3];
} cast;

// What is open, its options, and texts that callers read after a call.
static bridge open_now;
static bridge next_model; ///< the model of the database that is opened next, and nothing else
static cast cast_now = { .count = 1 };
static int chosen_now;
static int field_task = WEB_TASK_SPEED;
static am_field_policy field_policy = AM_FIELD_LOOKAHEAD;
static am_path_def path_options;
static am_path_obstacle obstacles[AM_MAX_PATH_OBSTACLES];
static am_match_def match_options;
static am_character_def character_options;
static bool options_set;
static float walk_mps; ///< 0 means the database's own
static float view[VIEW_COUNT];
static am_error last_error;
static am_json_writer *description;

static double microseconds(void *user)
{
    (void)user;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static const am_clock page_clock = { NULL, microseconds };

void *web_alloc(int size) { return aligned_alloc(64, ((size_t)size + 63) / 64 * 64); }
void web_free(void *block) { free(block); }

const char *web_error(void)
{
    static char text[1024];
    am_error_format(&last_error, text, sizeof text);
    return text;
}

// ---------------------------------------------------------------------------------------------
// Making

/// The seed that `amble run` gives the characters of a script without one.
static uint64_t run_seed(int number)
{
    am_rng rng = am_rng_make(1);
    rng = am_rng_fork(&rng, (uint64_t)number);
    return am_rng_u64(&rng);
}

static void set_options(void)
{
    if (!options_set) {
        match_options = am_match_def_default();
        character_options = am_character_def_default();
        path_options = am_path_def_default();
        options_set = true;
    }
}

static am_character *chosen_character(void) { return open_now.actors[chosen_now].character; }

static am_result make_match(bridge *b, bool ahead, am_error *err)
{
    am_long_horizon_def horizon = am_long_horizon_def_default();
    horizon.match = match_options;
    horizon.match.db = b->db;
    horizon.match.index = b->index;
    return ahead ? am_long_horizon_create(&b->source, &horizon, err)
                 : am_match_create(&b->source, &horizon.match, err);
}

static am_result make_learned(bridge *b, am_error *err)
{
    am_learned_def def = am_learned_def_default();
    def.model = b->networks;
    def.search_every_s = match_options.search_every_s;
    am_result result = am_learned_create(&b->learned, &def, err);
    if (result == AM_OK && !am_skeleton_same_shape(b->learned->skeleton, b->db->skeleton)) {
        *err = (am_error){ .code = AM_ERR_SKELETON, .offset = -1, .text = "the networks have another skeleton" };
        result = AM_ERR_SKELETON;
    }
    return result;
}

/// The sources that a cast needs. Refuses methods that there is nothing for.
static am_result make_sources(bridge *b, const cast *who, am_error *err)
{
    if (who->method == WEB_FIELD) {
        // Drawings are lines that bend.
        return web_fields_source(&b->flow, &b->fields, b->db, who->ahead ? WEB_TASK_LINE : field_task, field_policy,
                                 err);
    }
    bool learned = who->method == WEB_LEARNED || who->method == WEB_SIDE_BY_SIDE;
    bool match = who->method != WEB_LEARNED;
    if ((learned && !b->networks) || (match && !b->index)) {
        *err = (am_error){ .code = AM_ERR_SUPPORT, .offset = -1 };
        snprintf(err->text, sizeof err->text,
                 learned && !b->networks ? "there are no networks for this data set" : "matching needs a database");
        return AM_ERR_SUPPORT;
    }
    am_result result = match ? make_match(b, who->ahead || who->method == WEB_LONG_HORIZON, err) : AM_OK;
    return result == AM_OK && learned ? make_learned(b, err) : result;
}

/// One more character, which stands at place [x m, z m, heading rad].
static am_result add_actor(bridge *b, bool ahead, const float *place, am_error *err)
{
    actor *a = &b->actors[b->actor_count];
    am_character_def def = character_options;
    bool second = b->source && b->learned && b->actor_count > 0; // side by side
    a->source = b->flow ? b->flow : b->source && !second ? b->source : b->learned;
    def.source = a->source;
    def.like = b->actor_count > 0 && !second ? b->actors[0].character : NULL;
    def.work = b->work;
    if (b->flow) {
        def.root = AM_ROOT_ANIMATION; // its own flow is how a field turns and goes
        def.candidates = AM_MAX_CANDIDATES;
    }
    def.clock = &page_clock;
    def.seed = run_seed(b->actor_count);
    def.path_points = ahead ? PATH_POINTS : 0;
    def.direction = ahead ? b->direction : NULL;
    def.push = b->solver;
    def.position = am_v3(place[0], 0.0f, place[1]);
    def.heading = place[2];
    a->stroll = web_stroll_make(def.seed, def.position);
    am_result result = am_character_create(&a->character, &def, err);
    if (result == AM_OK && ahead && !web_drawn_create(&a->drawn, LONGEST_WAY_S)) {
        *err = (am_error){ .code = AM_ERR_MEMORY, .offset = -1, .text = "no memory for the ways of paths" };
        result = AM_ERR_MEMORY;
    }
    b->actor_count++;
    return result;
}

static void forget_sources(bridge *b)
{
    b->source = b->learned = b->flow = NULL;
    b->work = NULL;
}

static void close_actors(bridge *b)
{
    // The first one last: the others share what it owns.
    for (int i = b->actor_count - 1; i >= 0; i--) {
        am_character_destroy(b->actors[i].character);
        web_drawn_free(&b->actors[i].drawn);
    }
    memset(b->actors, 0, sizeof b->actors);
    b->actor_count = 0;
    am_source_destroy(b->source);
    am_source_destroy(b->learned);
    am_source_destroy(b->flow);
    am_search_work_destroy(b->work);
    forget_sources(b);
}

/// Every character goes on from where the one before it is, on its path and with its devices; those who are new from
/// where the first is.
static am_result take_over(bridge *b, const bridge *before, am_error *err)
{
    am_result result = AM_OK;
    for (int i = 0; i < b->actor_count && result == AM_OK; i++) {
        const actor *from = &before->actors[i < before->actor_count ? i : 0];
        result = am_character_take_over(b->actors[i].character, from->character, err);
        b->actors[i].devices = from->devices;
        b->actors[i].stroll = from->stroll;
        if (b->flow) {
            b->actors[i].target = from->target; // others cannot be sent
        }
        if (character_options.root == AM_ROOT_SIMULATION) {
            // The point that moves the root begins at the body, which may have been away from it.
            am_transform root = am_character_get_pose(b->actors[i].character).root;
            am_character_place(b->actors[i].character, root.translation, am_quat_heading(root.rotation));
        }
    }
    return result;
}

/// Source and characters over an open database and index. They go on from those of `before`; NULL means that all
/// stand at their starts.
static am_result make_actors(bridge *b, const cast *who, const bridge *before, am_error *err)
{
    am_result result = make_sources(b, who, err);
    if (result == AM_OK && who->crowd) {
        const am_source *source = b->flow ? b->flow : b->source ? b->source : b->learned;
        result = am_source_work_create(&b->work, source, who->count, NULL, err);
    }
    for (int i = 0; i < who->count && result == AM_OK; i++) {
        result = add_actor(b, who->ahead, who->places[i], err);
    }
    if (result == AM_OK && before) {
        result = take_over(b, before, err);
    }
    if (result != AM_OK) {
        close_actors(b);
    }
    return result;
}

static void close_model(bridge *b)
{
    am_net_destroy(b->direction);
    am_model_close(b->model);
    free(b->model_bytes);
    b->direction = NULL;
    b->model = NULL;
    b->model_bytes = NULL;
}

/// A body that can be pushed, where there is an engine. Data that give none (no poses, no legs) are steered only.
static void make_solver(bridge *b)
{
#if defined(AMBLE_HAS_PHYSICS)
    am_push_engine engine = am_physics_engine();
    if (b->db->has_poses &&
        engine.create(engine.user, &b->solver, b->db->skeleton, &b->db->roles, NULL, NULL) != AM_OK) {
        b->solver = NULL;
    }
#else
    b->solver = NULL;
#endif
}

static void close_solver(bridge *b)
{
#if defined(AMBLE_HAS_PHYSICS)
    am_push_engine engine = am_physics_engine();
    engine.destroy(engine.user, b->solver);
#endif
    b->solver = NULL;
}

static void close_all(bridge *b)
{
    close_actors(b);
    close_solver(b);
    close_model(b);
    web_fields_close(&b->fields);
    am_index_destroy(b->index);
    am_db_close(b->db);
    am_model_close(b->networks);
    free(b->network_bytes);
    free(b->bytes);
    *b = (bridge){ 0 };
}

static void begin_devices(bridge *b)
{
    b->intent = am_intent_def_for(b->actors[0].source);
    b->intent.walk_mps = walk_mps > 0.0f ? walk_mps : b->intent.walk_mps;
    for (int i = 0; i < b->actor_count; i++) {
        b->actors[i].devices = am_intent_state_make(&b->intent);
    }
}

/// A learned character is its own data set: its database is that of the start states.
static am_result open_networks(bridge *b, const void *data, size_t size, const char *name)
{
    size_t image_size = 0;
    am_result result = am_model_from_memory(&b->networks, data, size, name, NULL, &last_error);
    const void *image = result == AM_OK ? am_model_attached(b->networks, AM_LEARNED_CHARACTER, &image_size) : NULL;
    if (result == AM_OK && !image) {
        last_error = (am_error){ .code = AM_ERR_FORMAT, .offset = -1, .text = "these networks are no character" };
        return AM_ERR_FORMAT;
    }
    return result == AM_OK ? am_db_from_memory(&b->db, image, image_size, name, NULL, &last_error) : result;
}

int web_direction(void *data, int size)
{
    close_model(&next_model);
    if (!data) {
        return 0;
    }
    last_error = (am_error){ 0 };
    next_model.model_bytes = data;
    am_result result = am_model_from_memory(&next_model.model, data, (size_t)size, "direction", NULL, &last_error);
    if (result == AM_OK) {
        result = am_direction_open(&next_model.direction, next_model.model, NULL, &last_error);
    }
    if (result != AM_OK) {
        close_model(&next_model);
    }
    return (int)result;
}

int web_open(void *data, int size, const char *name)
{
    set_options();
    last_error = (am_error){ 0 };
    bridge next = next_model; // from here on its own
    next.bytes = data;
    next_model = (bridge){ 0 };
    bool networks = size > 5 && memcmp((const char *)data + 1, "AMNT", 4) == 0;
    am_result result = networks ? open_networks(&next, data, (size_t)size, name)
                                : am_db_from_memory(&next.db, data, (size_t)size, name, NULL, &last_error);
    cast who = cast_now;
    who.count = who.method == WEB_SIDE_BY_SIDE ? 1 : who.count;
    who.method = networks ? WEB_LEARNED : WEB_MATCH;
    if (result == AM_OK && !networks) {
        am_index_def def = am_index_def_default();
        def.db = next.db;
        result = am_index_create(&next.index, &def, &last_error);
    }
    if (result == AM_OK) {
        make_solver(&next);
        result = make_actors(&next, &who, NULL, &last_error);
    }
    if (result != AM_OK) {
        close_all(&next);
        return (int)result;
    }
    close_all(&open_now);
    open_now = next;
    cast_now = who;
    begin_devices(&open_now);
    memset(view, 0, sizeof view);
    return 0;
}

/// Puts new characters in the place of the old ones. `before` is what is open, or NULL: they begin anew.
static int replace_actors(const cast *who, const bridge *before)
{
    bridge next = open_now;
    forget_sources(&next);
    memset(next.actors, 0, sizeof next.actors);
    next.actor_count = 0;
    am_result result = make_actors(&next, who, before, &last_error);
    open_now.fields = next.fields; // a field that was made for them stays, also when they do not
    if (result == AM_OK) {
        for (int i = 0; before && who->ahead && i < open_now.actor_count && i < next.actor_count; i++) {
            web_drawn_swap(&next.actors[i].drawn, &open_now.actors[i].drawn);
        }
        close_actors(&open_now);
        open_now = next;
    }
    if (result == AM_OK && !before) {
        begin_devices(&open_now);
        memset(view, 0, sizeof view);
    }
    return (int)result;
}

int web_options(int root, int inertialise, int ik, float search_every_s, float stay_bias)
{
    set_options();
    am_match_def match = match_options;
    am_character_def character = character_options;
    match_options.search_every_s = search_every_s;
    match_options.stay_bias = stay_bias;
    character_options.root = (am_root_mode)root;
    character_options.inertialise = (am_inertialise)inertialise;
    character_options.ik = ik != 0;
    int code = 0;
    if (open_now.actor_count > 0) {
        code = replace_actors(&cast_now, &open_now);
    }
    if (code != 0) {
        match_options = match;
        character_options = character;
    }
    return code;
}

void web_walk_speed(float mps)
{
    walk_mps = mps;
    if (open_now.db) {
        begin_devices(&open_now);
    }
}

int web_cast(int count, int ahead, const float *places)
{
    if (count < 1 || count > WEB_MOST_ACTORS) {
        return (int)AM_ERR_RANGE;
    }
    cast who = { .count = count, .ahead = ahead != 0, .method = cast_now.method };
    if (who.method == WEB_SIDE_BY_SIDE && (count != 2 || places)) {
        who.method = WEB_MATCH;
    }
    for (int i = 0; places && i < count; i++) {
        memcpy(who.places[i], places + 3 * i, sizeof who.places[i]);
    }
    bool stay = !places && count <= open_now.actor_count;
    int code = open_now.actor_count > 0 ? replace_actors(&who, stay ? &open_now : NULL) : 0;
    if (code == 0) {
        cast_now = who;
        chosen_now = 0;
    }
    return code;
}

int web_networks(void *data, int size)
{
    last_error = (am_error){ 0 };
    bridge trial = open_now;
    forget_sources(&trial);
    trial.networks = NULL;
    am_result result = open_now.index ? AM_OK : AM_ERR_EMPTY;
    result = result == AM_OK
                 ? am_model_from_memory(&trial.networks, data, (size_t)size, "networks", NULL, &last_error)
                 : result;
    result = result == AM_OK ? make_learned(&trial, &last_error) : result;
    am_source_destroy(trial.learned);
    if (result != AM_OK) {
        am_model_close(trial.networks);
        free(data);
        return (int)result;
    }
    am_model *old = open_now.networks;
    void *old_bytes = open_now.network_bytes;
    open_now.networks = trial.networks;
    open_now.network_bytes = data;
    if (old && open_now.learned) {
        result = (am_result)replace_actors(&cast_now, &open_now); // off the old networks before they go
    }
    am_model_close(old);
    free(old_bytes);
    return (int)result;
}

int web_method(int method)
{
    last_error = (am_error){ 0 };
    if (method < 0 || method > WEB_FIELD || open_now.actor_count == 0) {
        return (int)AM_ERR_RANGE;
    }
    cast who = cast_now;
    who.method = method;
    who.count = method == WEB_SIDE_BY_SIDE ? 2 : cast_now.method == WEB_SIDE_BY_SIDE ? 1 : who.count;
    who.crowd &= method != WEB_SIDE_BY_SIDE;
    int code = replace_actors(&who, &open_now);
    if (code != 0) {
        return code;
    }
    if (method == WEB_SIDE_BY_SIDE) {
        // The second stands at the first one's right.
        am_transform root = am_character_get_pose(open_now.actors[0].character).root;
        am_vec3 beside = am_transform_point(root, am_v3(-1.2f, 0.0f, 0.0f));
        am_character_place(open_now.actors[1].character, beside, am_quat_heading(root.rotation));
    }
    cast_now = who;
    chosen_now = chosen_now < who.count ? chosen_now : 0;
    return 0;
}

// ---------------------------------------------------------------------------------------------
// Fields

int web_values(void *data, int size)
{
    last_error = (am_error){ 0 };
    if (!open_now.index) {
        free(data);
        last_error = (am_error){ .code = AM_ERR_EMPTY, .offset = -1, .text = "a field needs a database" };
        return (int)AM_ERR_EMPTY;
    }
    bool flows = open_now.flow != NULL;
    int code = flows ? web_method(WEB_MATCH) : 0; // off the old values before they go
    am_result result = web_fields_take(&open_now.fields, open_now.db, data, (size_t)size, &last_error);
    return code != 0 ? code : flows && result == AM_OK ? web_method(WEB_FIELD) : (int)result;
}

int web_field_options(int task, int policy)
{
    last_error = (am_error){ 0 };
    if (task < 0 || task >= WEB_TASK_COUNT || policy < 0 || policy > AM_FIELD_PASSIVE) {
        return (int)AM_ERR_RANGE;
    }
    int task_before = field_task;
    am_field_policy policy_before = field_policy;
    field_task = task;
    field_policy = (am_field_policy)policy;
    int code = open_now.flow ? replace_actors(&cast_now, &open_now) : 0;
    if (code != 0) {
        field_task = task_before;
        field_policy = policy_before;
    }
    return code;
}

void web_send(int kind, float x, float z, float way_x, float way_z)
{
    for (int i = 0; i < open_now.actor_count; i++) {
        if (i == chosen_now || cast_now.crowd) {
            web_target *target = &open_now.actors[i].target;
            target->kind = kind;
            target->point = am_v3(x, 0.0f, z);
            target->way = am_v3_normalize_or(am_v3(way_x, 0.0f, way_z), am_v3(0.0f, 0.0f, 1.0f));
        }
    }
}

int web_crowd(int count)
{
    if (count < 1 || count > WEB_MOST_ACTORS) {
        return (int)AM_ERR_RANGE;
    }
    cast who = { .count = count, .method = cast_now.method, .crowd = count > 1 };
    who.method = who.method == WEB_SIDE_BY_SIDE ? WEB_MATCH : who.method;
    for (int i = 1; i < count; i++) {
        // A sunflower's seeds: evenly spread, whoever comes next.
        float angle = 2.39996323f * (float)i;
        float far = 0.75f * sqrtf((float)i + 1.0f);
        who.places[i][0] = far * am_sin(angle);
        who.places[i][1] = far * am_cos(angle);
        who.places[i][2] = angle;
    }
    int code = open_now.actor_count > 0 ? replace_actors(&who, NULL) : 0;
    if (code != 0) {
        return code;
    }
    cast_now = who;
    chosen_now = 0;
    const am_intent still = { 0 };
    for (int i = 1; i < open_now.actor_count; i += 2) {
        // Half of them tick in the steps between: no step has the work of all.
        am_character_step(open_now.actors[i].character, &still, 1.0f / 60.0f);
    }
    return 0;
}

void web_choose(int number)
{
    if (number >= 0 && number < open_now.actor_count) {
        chosen_now = number;
    }
}

int web_reset(void)
{
    if (!open_now.db) {
        return (int)AM_ERR_EMPTY;
    }
    return replace_actors(&cast_now, NULL);
}

// ---------------------------------------------------------------------------------------------
// Stepping

/// What each channel of the schema adds to the cost of the frame that a search chose: the best one, or the one that
/// was playing (`left`), from which the step has already gone on.
static void fill_costs(const am_character_view *now, int left)
{
    const am_features *features = &open_now.db->features;
    const am_source_output *out = now->output;
    int chosen = out->frame < 0 ? -1 : out->transition && out->candidate_count > 0 ? out->candidates[0].frame : left;
    if (out->frame < 0) {
        memset(view + VIEW_CHANNELS, 0, AM_MAX_CHANNELS * sizeof *view); // networks do not say
    }
    if (!out->searched || features->pca || chosen < 0) {
        return; // the costs of the last search stay
    }
    const float *x = am_db_x(open_now.db, chosen);
    for (int c = 0; c < features->schema->channel_count; c++) {
        const am_channel *channel = &features->schema->channels[c];
        float sum = 0.0f;
        for (int d = channel->first; d < channel->first + channel->dims; d++) {
            float difference = out->query[d] - x[d];
            sum += (now->weights ? now->weights[d] : 1.0f) * difference * difference;
        }
        view[VIEW_CHANNELS + c] = sum;
    }
}

static void fill_trajectory(const am_character_view *now)
{
    int count = now->trajectory_count < AM_MAX_TRAJECTORY ? now->trajectory_count : AM_MAX_TRAJECTORY;
    view[VIEW_POINTS] = (float)count;
    for (int i = 0; i < count; i++) {
        const am_query_point *p = &now->trajectory[i];
        float *out = view + VIEW_TRAJECTORY + 5 * i;
        out[0] = p->time;
        out[1] = p->position.x;
        out[2] = p->position.z;
        out[3] = p->direction.x;
        out[4] = p->direction.z;
    }
}

static void fill_places(const am_character_view *now, const am_character_pose *pose)
{
    view[VIEW_ROOT_X] = pose->root.translation.x;
    view[VIEW_ROOT_Z] = pose->root.translation.z;
    view[VIEW_HEADING] = am_quat_heading(pose->root.rotation);
    view[VIEW_SIMULATION_X] = now->simulation.translation.x;
    view[VIEW_SIMULATION_Z] = now->simulation.translation.z;
    view[VIEW_SIMULATION_HEADING] = am_quat_heading(now->simulation.rotation);
    view[VIEW_WISH_X] = now->intent.velocity.x;
    view[VIEW_WISH_Z] = now->intent.velocity.z;
    view[VIEW_FACING_X] = now->intent.facing.x;
    view[VIEW_FACING_Z] = now->intent.facing.z;
    view[VIEW_TARGET_MPS] = open_now.actors[chosen_now].devices.target_mps;
}

static void fill_path(void)
{
    am_path_view path = am_character_get_path(chosen_character());
    view[VIEW_PATH] = path.following ? 1.0f : path.ended ? 2.0f : 0.0f;
    view[VIEW_PATH_LAPS] = (float)path.laps;
    view[VIEW_PATH_RECOVERIES] = (float)path.recoveries;
    view[VIEW_PATH_X] = path.offset.x;
    view[VIEW_PATH_Z] = path.offset.z;
    if (path.count > 0) {
        float first = path.loop_first >= 0 ? path.points[path.loop_first].along : 0.0f;
        view[VIEW_PATH_AT] = path.points[path.at].along;
        view[VIEW_PATH_LENGTH] = path.points[path.count - 1].along - first;
    }
}

static void fill_field(const am_source_output *out)
{
    view[VIEW_TARGET] = (float)open_now.actors[chosen_now].target.kind;
    if (!open_now.flow) {
        view[VIEW_NEAREST] = view[VIEW_NEAR_COUNT] = 0.0f;
    } else if (out->searched) { // else the last tick counts
        view[VIEW_NEAREST] = sqrtf(out->cost);
        view[VIEW_NEAR_COUNT] = (float)web_fields_near(view + VIEW_NEAR, &open_now.fields, out);
    }
}

/// @param left the frame that played before the step
static void fill_view(int left)
{
    am_character_view now = am_character_get_view(chosen_character());
    am_character_pose pose = am_character_get_pose(chosen_character());
    const am_source_output *out = now.output;
    const am_db_range *range = out->frame >= 0 ? &open_now.db->ranges[am_db_range_of(open_now.db, out->frame)] : NULL;
    view[VIEW_ACTIVITY] = (float)now.activity;
    view[VIEW_FRAME] = (float)out->frame + out->fraction;
    view[VIEW_RANGE_FIRST] = range ? (float)range->start : 0.0f;
    view[VIEW_RANGE_FRAMES] = range ? (float)(range->stop - range->start) : 0.0f;
    view[VIEW_SEARCHED] = out->searched ? 1.0f : 0.0f;
    view[VIEW_TRANSITION] = out->transition ? 1.0f : 0.0f;
    if (out->searched) {
        view[VIEW_COST] = out->transition ? out->cost : out->stay_cost;
        view[VIEW_STAY_COST] = out->stay_cost;
        view[VIEW_SEARCH_US] = out->search_us;
    }
    view[VIEW_CONTACTS] = (float)pose.contacts;
    view[VIEW_LOCKED] = (float)pose.locked;
    view[VIEW_TRANSITIONS] = (float)now.transitions;
    view[VIEW_SEARCHES] = (float)now.searches;
    view[VIEW_STEPS] = (float)now.steps;
    view[VIEW_FALLBACK] = (float)now.fallback_frames;
    fill_places(&now, &pose);
    fill_path();
    am_push_view push = am_character_get_push(chosen_character());
    view[VIEW_PUSH] = push.count > 0 ? (float)push.frame : 0.0f;
    view[VIEW_PUSHES] = (float)push.total;
    fill_trajectory(&now);
    fill_costs(&now, left);
    fill_field(out);
}

/// What a character wants. Whoever steers leaves the path, and does not go any more where they were sent.
static am_intent wish_of(int number, uint32_t keys, const am_gamepad *pad, float dt)
{
    actor *a = &open_now.actors[number];
    const am_gamepad idle = { 0 };
    bool steered = number == chosen_now || cast_now.method == WEB_SIDE_BY_SIDE;
    am_intent wish =
        am_intent_from_devices(&a->devices, &open_now.intent, steered ? keys : 0, steered ? pad : &idle, dt);
    if (am_v3_length(wish.velocity) > 0.0f) {
        am_character_leave_path(a->character);
        a->target.kind = WEB_NOWHERE;
        return wish;
    }
    am_transform root = am_character_get_pose(a->character).root;
    if (a->target.kind != WEB_NOWHERE) {
        return web_target_wish(&a->target, root, a->devices.target_mps);
    }
    return cast_now.crowd && !steered ? web_stroll_wish(&a->stroll, root, a->devices.target_mps, dt) : wish;
}

void web_step(int keys, float left_x, float left_y, float right_x, float right_y, int buttons, float dt)
{
    if (open_now.actor_count == 0) {
        return;
    }
    am_gamepad pad = { { left_x, left_y }, { right_x, right_y }, (uint32_t)buttons };
    int left = am_character_get_view(chosen_character()).output->frame;
    double before = microseconds(NULL);
    am_character *characters[WEB_MOST_ACTORS];
    am_intent wishes[WEB_MOST_ACTORS];
    for (int i = 0; i < open_now.actor_count; i++) {
        characters[i] = open_now.actors[i].character;
        wishes[i] = wish_of(i, (uint32_t)keys, &pad, dt);
    }
    am_characters_step(characters, wishes, open_now.actor_count, dt, open_now.work);
    for (int i = 0; i < open_now.actor_count; i++) {
        web_drawn_add(&open_now.actors[i].drawn, open_now.actors[i].character);
    }
    view[VIEW_STEP_US] = (float)(microseconds(NULL) - before);
    fill_view(left);
}

int web_push(int number, int joint, float x, float y, float z, float seconds)
{
    bool is = number >= 0 && number < open_now.actor_count;
    return is ? (int)am_character_push(open_now.actors[number].character, joint, am_v3(x, y, z), seconds, &last_error)
              : (int)AM_ERR_RANGE;
}

const float *web_world(int number)
{
    // A transform is a quaternion and a vector of floats: seven of them without gaps.
    _Static_assert(sizeof(am_transform) == 7 * sizeof(float), "the page reads seven floats a joint");
    bool is = number >= 0 && number < open_now.actor_count;
    return is ? &am_character_get_pose(open_now.actors[number].character).world[0].rotation.x : NULL;
}

// ---------------------------------------------------------------------------------------------
// Paths

void web_path_options(int mode, int facing, float scale, int loop)
{
    set_options();
    path_options.mode = (am_path_mode)mode;
    path_options.facing = (am_path_facing)facing;
    path_options.scale = scale;
    path_options.loop = loop != 0;
}

void web_obstacles(const float *places, int count)
{
    _Static_assert(sizeof(am_path_obstacle) == 3 * sizeof(float), "the page writes three floats an obstacle");
    path_options.obstacle_count = count < AM_MAX_PATH_OBSTACLES ? count : AM_MAX_PATH_OBSTACLES;
    memcpy(obstacles, places, (size_t)path_options.obstacle_count * sizeof *obstacles);
    path_options.obstacles = obstacles;
}

int web_follow(const float *samples, int count)
{
    _Static_assert(sizeof(am_path_sample) == 3 * sizeof(float), "the page writes three floats a point");
    if (open_now.actor_count == 0) {
        return (int)AM_ERR_EMPTY;
    }
    actor *a = &open_now.actors[chosen_now];
    am_path_def def = path_options;
    def.samples = (const am_path_sample *)(const void *)samples;
    def.count = count;
    am_result result = am_character_follow(a->character, &def, &last_error);
    if (result == AM_OK) {
        web_drawn_begin(&a->drawn, &def, a->character);
    } else {
        web_drawn_clear(&a->drawn);
    }
    fill_path();
    return (int)result;
}

void web_leave(void)
{
    if (open_now.actor_count > 0) {
        am_character_leave_path(chosen_character());
        web_drawn_clear(&open_now.actors[chosen_now].drawn);
        fill_path();
    }
}

const float *web_path(void)
{
    _Static_assert(sizeof(am_path_point) == 4 * sizeof(float), "the page reads four floats a point");
    const am_path_point *points = open_now.actor_count > 0 ? am_character_get_path(chosen_character()).points : NULL;
    return points ? &points->x : NULL;
}

int web_path_count(void) { return open_now.actor_count > 0 ? am_character_get_path(chosen_character()).count : 0; }

const double *web_measure(float dt)
{
    static double out[6];
    if (open_now.actor_count > 0) {
        const actor *a = &open_now.actors[chosen_now];
        am_path_metrics m = web_drawn_measure(&a->drawn, a->character, dt);
        const double all[] = { m.path_error_m,    m.path_cover_m, m.path_cover_max_m,
                               m.path_time_ratio, m.path_end_m,   m.path_completed ? 1.0 : 0.0 };
        memcpy(out, all, sizeof out);
    }
    return out;
}

// ---------------------------------------------------------------------------------------------

const float *web_view(void) { return view; }

const char *web_hash(void)
{
    static char text[24];
    uint64_t hash = 0;
    for (int i = 0; i < open_now.actor_count; i++) {
        uint64_t one = am_character_hash(open_now.actors[i].character);
        hash = am_hash64(&one, sizeof one, hash);
    }
    snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
    return text;
}

// ---------------------------------------------------------------------------------------------
// Describing

static void put_view(am_json_writer *w)
{
    am_json_begin_object(w, "view");
    for (int v = 0; v <= VIEW_TRAJECTORY; v++) {
        am_json_integer(w, view_names[v], v);
    }
    am_json_integer(w, "channelCosts", VIEW_CHANNELS);
    am_json_integer(w, "near", VIEW_NEAR);
    am_json_integer(w, "count", VIEW_COUNT);
    am_json_end_object(w);
}

const char *web_describe(void)
{
    const am_db *db = open_now.db;
    am_json_writer_destroy(description);
    description = NULL;
    if (!db || am_json_writer_create(&description, 0, NULL, &last_error) != AM_OK) {
        return "{}";
    }
    am_json_writer *w = description;
    char hash[24];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)db->hash);
    am_json_begin_object(w, NULL);
    am_json_string(w, "name", db->name);
    am_json_string(w, "hash", hash);
    am_json_number(w, "fps", (double)db->fps);
    am_json_integer(w, "frames", db->frame_count);
    am_json_integer(w, "ranges", db->range_count);
    am_json_integer(w, "bytes", (int64_t)db->image_size);
    am_json_integer(w, "indexBytes", open_now.index ? (int64_t)am_index_bytes(open_now.index) : 0);
    am_json_bool(w, "matches", open_now.index != NULL);
    am_json_bool(w, "networks", open_now.networks != NULL);
    am_json_integer(w, "networkBytes", open_now.networks ? (int64_t)open_now.networks->image_size : 0);
    am_json_integer(w, "features", db->features.count);
    am_json_number(w, "walkMps", (double)am_intent_def_for(open_now.actors[0].source).walk_mps);
    am_json_number(w, "sprintMps", (double)open_now.intent.sprint_mps);
    am_json_number(w, "toeM", (double)am_character_get_facts(chosen_character()).toe_m);
    am_json_integer(w, "mostActors", WEB_MOST_ACTORS);
    am_json_bool(w, "direction", open_now.direction != NULL);
    am_json_bool(w, "canBePushed", open_now.solver != NULL);
    web_fields_describe(w, &open_now.fields);
    web_describe_skeleton(w, db);
    web_describe_names(w, db, am_character_get_view(chosen_character()).activities);
    put_view(w);
    am_json_end_object(w);
    const char *text = am_json_text(w, NULL);
    return text ? text : "{}";
}

const char *web_clip_name(int frame)
{
    bool inside = open_now.db && frame >= 0 && frame < open_now.db->frame_count;
    return inside ? open_now.db->ranges[am_db_range_of(open_now.db, frame)].name : "";
}
