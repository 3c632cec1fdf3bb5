// libamble for the page: a database from bytes, a matching character, one step at a time.
#include "bridge.h"

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
    VIEW_POINTS,
    VIEW_TRAJECTORY, ///< [AM_MAX_TRAJECTORY][5]: time, x, z, direction x, z
    VIEW_CHANNELS = VIEW_TRAJECTORY + 5 * AM_MAX_TRAJECTORY,
    VIEW_COUNT = VIEW_CHANNELS + AM_MAX_CHANNELS
};

static const char *const view_names[VIEW_TRAJECTORY + 1] = {
    "activity", "frame",   "rangeFirst", "rangeFrames", "searched",    "transition",        "cost",  "stayCost",
    "searchUs", "stepUs",  "contacts",   "locked",      "transitions", "searches",          "steps", "fallback",
    "rootX",    "rootZ",   "heading",    "simulationX", "simulationZ", "simulationHeading", "wishX", "wishZ",
    "facingX",  "facingZ", "targetMps",  "points",      "trajectory",
};

/// Everything that belongs to one open database.
typedef struct bridge {
    void *bytes;
    am_db *db;
    am_index *index;
    am_source *source;
    am_character *character;
    am_intent_def intent;
    am_intent_state devices;
} bridge;

// The module's one character, its options, and texts that callers read after a call.
static bridge open_now;
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

/// The seed that `amble run` gives the first character of a script without one.
static uint64_t run_seed(void)
{
    am_rng rng = am_rng_make(1);
    rng = am_rng_fork(&rng, 0);
    return am_rng_u64(&rng);
}

static void set_options(void)
{
    if (!options_set) {
        match_options = am_match_def_default();
        character_options = am_character_def_default();
        character_options.seed = run_seed();
        options_set = true;
    }
}

/// Source and character over an open database and index; begins at `frame`, or standing when that is -1.
static am_result make_character(bridge *b, int frame, am_transform at, am_error *err)
{
    am_match_def match = match_options;
    match.db = b->db;
    match.index = b->index;
    am_result result = am_match_create(&b->source, &match, err);
    if (result == AM_OK) {
        am_character_def def = character_options;
        def.source = b->source;
        def.clock = &page_clock;
        def.start_frame = frame;
        def.position = am_v3(at.translation.x, 0.0f, at.translation.z);
        def.heading = am_quat_heading(at.rotation);
        result = am_character_create(&b->character, &def, err);
    }
    if (result != AM_OK) {
        am_source_destroy(b->source);
        b->source = NULL;
    }
    return result;
}

static void close_character(bridge *b)
{
    am_character_destroy(b->character);
    am_source_destroy(b->source);
    b->character = NULL;
    b->source = NULL;
}

static void close_all(bridge *b)
{
    close_character(b);
    am_index_destroy(b->index);
    am_db_close(b->db);
    free(b->bytes);
    *b = (bridge){ 0 };
}

static void begin_devices(bridge *b)
{
    b->intent = am_intent_def_of(b->db);
    b->intent.walk_mps = walk_mps > 0.0f ? walk_mps : b->intent.walk_mps;
    b->devices = am_intent_state_make(&b->intent);
}

int web_open(void *data, int size, const char *name)
{
    set_options();
    last_error = (am_error){ 0 };
    bridge next = { .bytes = data };
    am_result result = am_db_from_memory(&next.db, data, (size_t)size, name, NULL, &last_error);
    if (result == AM_OK) {
        am_index_def def = am_index_def_default();
        def.db = next.db;
        result = am_index_create(&next.index, &def, &last_error);
    }
    if (result == AM_OK) {
        result = make_character(&next, -1, am_transform_identity(), &last_error);
    }
    if (result != AM_OK) {
        close_all(&next);
        return (int)result;
    }
    close_all(&open_now);
    open_now = next;
    begin_devices(&open_now);
    memset(view, 0, sizeof view);
    return 0;
}

/// Puts a new character in the place of the old one.
static int replace_character(int frame, am_transform at)
{
    bridge next = open_now;
    next.source = NULL;
    next.character = NULL;
    am_result result = make_character(&next, frame, at, &last_error);
    if (result == AM_OK) {
        close_character(&open_now);
        open_now = next;
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
    if (open_now.character) {
        am_transform at = am_character_get_pose(open_now.character).root;
        code = replace_character(am_character_get_view(open_now.character).output->frame, at);
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

int web_reset(void)
{
    if (!open_now.db) {
        return (int)AM_ERR_EMPTY;
    }
    int code = replace_character(-1, am_transform_identity());
    if (code == 0) {
        begin_devices(&open_now);
        memset(view, 0, sizeof view);
    }
    return code;
}

// ---------------------------------------------------------------------------------------------
// Stepping

/// What each channel of the schema adds to the cost of the frame that a search chose: the best one, or the one that
/// was playing (`left`), from which the step has already gone on.
static void fill_costs(const am_character_view *now, int left)
{
    const am_features *features = &open_now.db->features;
    const am_source_output *out = now->output;
    int chosen = out->transition ? out->candidates[0].frame : left;
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
    view[VIEW_TARGET_MPS] = open_now.devices.target_mps;
}

/// @param left the frame that played before the step
static void fill_view(int left)
{
    am_character_view now = am_character_get_view(open_now.character);
    am_character_pose pose = am_character_get_pose(open_now.character);
    const am_source_output *out = now.output;
    const am_db_range *range = &open_now.db->ranges[am_db_range_of(open_now.db, out->frame)];
    view[VIEW_ACTIVITY] = (float)now.activity;
    view[VIEW_FRAME] = (float)out->frame + out->fraction;
    view[VIEW_RANGE_FIRST] = (float)range->start;
    view[VIEW_RANGE_FRAMES] = (float)(range->stop - range->start);
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
    fill_trajectory(&now);
    fill_costs(&now, left);
}

void web_step(int keys, float left_x, float left_y, float right_x, float right_y, int buttons, float dt)
{
    if (!open_now.character) {
        return;
    }
    am_gamepad pad = { { left_x, left_y }, { right_x, right_y }, (uint32_t)buttons };
    am_intent wish = am_intent_from_devices(&open_now.devices, &open_now.intent, (uint32_t)keys, &pad, dt);
    int left = am_character_get_view(open_now.character).output->frame;
    double before = microseconds(NULL);
    am_character_step(open_now.character, &wish, dt);
    view[VIEW_STEP_US] = (float)(microseconds(NULL) - before);
    fill_view(left);
}

const float *web_world(void)
{
    // A transform is a quaternion and a vector of floats: seven of them without gaps.
    _Static_assert(sizeof(am_transform) == 7 * sizeof(float), "the page reads seven floats a joint");
    return open_now.character ? &am_character_get_pose(open_now.character).world[0].rotation.x : NULL;
}

const float *web_view(void) { return view; }

const char *web_hash(void)
{
    static char text[24];
    uint64_t one = open_now.character ? am_character_hash(open_now.character) : 0;
    snprintf(text, sizeof text, "%016llx", (unsigned long long)am_hash64(&one, sizeof one, 0));
    return text;
}

// ---------------------------------------------------------------------------------------------
// Describing

static void put_vec3(am_json_writer *w, const char *key, am_vec3 v)
{
    am_json_begin_array(w, key);
    am_json_number(w, NULL, (double)v.x);
    am_json_number(w, NULL, (double)v.y);
    am_json_number(w, NULL, (double)v.z);
    am_json_end_array(w);
}

static void put_skeleton(am_json_writer *w, const am_db *db)
{
    const am_skeleton *s = db->skeleton;
    am_json_begin_array(w, "joints");
    for (int j = 0; j < s->joint_count; j++) {
        am_json_begin_object(w, NULL);
        am_json_string(w, "name", s->names[j]);
        am_json_integer(w, "parent", s->parents[j]);
        put_vec3(w, "offset", s->offsets[j]);
        am_quat q = s->rests[j];
        am_json_begin_array(w, "rest");
        am_json_number(w, NULL, (double)q.x);
        am_json_number(w, NULL, (double)q.y);
        am_json_number(w, NULL, (double)q.z);
        am_json_number(w, NULL, (double)q.w);
        am_json_end_array(w);
        am_json_end_object(w);
    }
    am_json_end_array(w);
    am_json_begin_array(w, "ends");
    for (int e = 0; e < s->end_count; e++) {
        am_json_begin_object(w, NULL);
        am_json_integer(w, "joint", s->end_joints[e]);
        put_vec3(w, "offset", s->end_offsets[e]);
        am_json_end_object(w);
    }
    am_json_end_array(w);
    am_json_begin_object(w, "roles");
    for (int r = 0; r < AM_ROLE_COUNT; r++) {
        if (db->roles.joint[r] >= 0) {
            am_json_integer(w, am_role_name((am_role)r), db->roles.joint[r]);
        }
    }
    am_json_end_object(w);
}

static void put_names(am_json_writer *w, const am_db *db)
{
    const am_schema *schema = db->features.schema;
    am_json_begin_array(w, "channels");
    for (int c = 0; c < schema->channel_count; c++) {
        am_json_string(w, NULL, schema->channels[c].name);
    }
    am_json_end_array(w);
    uint32_t can = am_character_get_view(open_now.character).activities;
    am_json_begin_array(w, "activities");
    for (int a = 0; a < AM_ACTIVITY_COUNT; a++) {
        am_json_begin_object(w, NULL);
        am_json_string(w, "name", am_activity_name((am_activity)a));
        am_json_bool(w, "has", (can >> a & 1) != 0);
        am_json_end_object(w);
    }
    am_json_end_array(w);
    am_json_begin_array(w, "keys");
    for (int k = 0; k < AM_KEY_COUNT; k++) {
        am_json_string(w, NULL, am_key_name(k));
    }
    am_json_end_array(w);
    am_json_begin_object(w, "view");
    for (int v = 0; v <= VIEW_TRAJECTORY; v++) {
        am_json_integer(w, view_names[v], v);
    }
    am_json_integer(w, "channelCosts", VIEW_CHANNELS);
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
    am_json_integer(w, "indexBytes", (int64_t)am_index_bytes(open_now.index));
    am_json_integer(w, "features", db->features.count);
    am_json_number(w, "walkMps", (double)am_intent_def_of(db).walk_mps);
    am_json_number(w, "sprintMps", (double)open_now.intent.sprint_mps);
    am_json_number(w, "toeM", (double)am_character_get_facts(open_now.character).toe_m);
    put_skeleton(w, db);
    put_names(w, db);
    am_json_end_object(w);
    const char *text = am_json_text(w, NULL);
    return text ? text : "{}";
}

const char *web_clip_name(int frame)
{
    bool inside = open_now.db && frame >= 0 && frame < open_now.db->frame_count;
    return inside ? open_now.db->ranges[am_db_range_of(open_now.db, frame)].name : "";
}
