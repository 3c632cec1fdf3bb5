// What the page reads after a step, as one array of numbers.
#include "view.h"

#include "scene.h"

#include <string.h>

/// Position of each number in the view; the trajectory and the costs of the channels follow.
#define VIEW_NEAR_NUMBERS 4 // of a neighbour: weight; x, z and turn of the root's step
#define FORGETS 0.995f      // share of earlier turns that still counts after a tick: seven seconds

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
    VIEW_TARGET_X,
    VIEW_TARGET_Z,
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
    VIEW_TOTAL,      ///< what decided for the chosen frame: its costs over all levels of a lookahead
    VIEW_SOFTENED,   ///< a smoother landing replaced the cheapest
    VIEW_REWARD,     ///< of a field's chosen action
    VIEW_VALUE,
    VIEW_PARTS, ///< of a field's distance from the data
    VIEW_LAST_PART = VIEW_PARTS + AM_FIELD_PARTS - 1,
    VIEW_BY_MOTION,      ///< share of a field's turning in the last seconds that is the motion's own; 0 before any
    VIEW_TARGET,         ///< 0 none, else WEB_LINE or WEB_POINT
    VIEW_ASKED,          ///< 1 while something is asked
    VIEW_ENCODING_COUNT, ///< numbers of the encoded control
    VIEW_POINTS,
    VIEW_TRAJECTORY, ///< [AM_MAX_TRAJECTORY][5]: time, x, z, direction x, z
    VIEW_CHANNELS = VIEW_TRAJECTORY + 5 * AM_MAX_TRAJECTORY,
    VIEW_NEAR = VIEW_CHANNELS + AM_MAX_CHANNELS, ///< [AM_MAX_CANDIDATES][VIEW_NEAR_NUMBERS] of a field's last tick
    VIEW_ENCODING = VIEW_NEAR + VIEW_NEAR_NUMBERS * AM_MAX_CANDIDATES, ///< [AM_MAX_FEATURES] the encoded control
    VIEW_COUNT = VIEW_ENCODING + AM_MAX_FEATURES
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
    "desiredX",    "desiredZ",
    "facingX",     "facingZ",
    "targetMps",   "path",
    "pathAt",      "pathLength",
    "pathLaps",    "pathRecoveries",
    "pathX",       "pathZ",
    "push",        "pushes",
    "nearest",     "nearCount",
    "total",       "softened",
    "reward",      "value",
    "partRoot",    "partTurn",
    "partPose",    "partNextPose",
    "byMotion",    "target",
    "asked",       "encodingCount",
    "points",      "trajectory",
};
static float view[VIEW_COUNT];
static float turned, by_motion; // rad, of the last seconds

const float *web_view(void) { return view; }
void web_view_clear(void)
{
    memset(view, 0, sizeof view);
    turned = by_motion = 0.0f;
}

/// view[VIEW_CHANNELS]: what each channel adds to the cost of row(stride), by the names of the page's channels.
static void fill_channels(const am_features *features, const float *query, const float *row, const float *weights)
{
    const am_schema *shown = web_now.open.db->features.schema;
    for (int c = 0; c < shown->channel_count; c++) {
        const am_channel *channel = NULL;
        for (int i = 0; i < features->schema->channel_count && !channel; i++) {
            bool same = strcmp(features->schema->channels[i].name, shown->channels[c].name) == 0;
            channel = same ? &features->schema->channels[i] : NULL;
        }
        float sum = 0.0f;
        for (int d = channel ? channel->first : 0; channel && d < channel->first + channel->dims; d++) {
            float difference = query[d] - row[d];
            sum += (weights ? weights[d] : 1.0f) * difference * difference;
        }
        view[VIEW_CHANNELS + c] = sum;
    }
}

/// The costs of the frame that a search chose: the best one, or the one that was playing (`left`), which the step has
/// already moved past. Networks: how far their answer is from what was asked. Between searches the last costs stay.
static void fill_costs(const am_actor_view *now, int left)
{
    const am_source_output *out = now->output;
    if (!out->searched) {
        return;
    }
    if (out->frame < 0) {
        if (web_scene_method(&web_now.lineup, web_now.chosen) != AM_METHOD_LEARNED) {
            return; // others have no features to compare
        }
        const am_db *db = am_asset_db(web_scene_asset(&web_now.open, AM_METHOD_LEARNED), AM_METHOD_LEARNED);
        if (out->transition && db && !db->features.pca) {
            fill_channels(&db->features, out->query, out->answer, NULL);
        }
        return;
    }
    const am_features *features = &web_now.open.db->features;
    int chosen = out->transition && out->candidate_count > 0 ? out->candidates[0].frame : left;
    if (!features->pca && chosen >= 0) {
        fill_channels(features, out->query, am_db_x(web_now.open.db, chosen), now->weights);
    }
    view[VIEW_TOTAL] = out->transition ? out->totals[0] : out->stay_total;
    view[VIEW_SOFTENED] = out->softened ? 1.0f : 0.0f;
}

static void fill_trajectory(const am_actor_view *now)
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

static void fill_places(const am_actor_view *now, const am_actor_pose *pose)
{
    view[VIEW_ROOT_X] = pose->root.translation.x;
    view[VIEW_ROOT_Z] = pose->root.translation.z;
    view[VIEW_HEADING] = am_quat_heading(pose->root.rotation);
    view[VIEW_SIMULATION_X] = now->simulation.translation.x;
    view[VIEW_SIMULATION_Z] = now->simulation.translation.z;
    view[VIEW_SIMULATION_HEADING] = am_quat_heading(now->simulation.rotation);
    view[VIEW_TARGET_X] = now->intent.velocity.x;
    view[VIEW_TARGET_Z] = now->intent.velocity.z;
    view[VIEW_FACING_X] = now->intent.facing.x;
    view[VIEW_FACING_Z] = now->intent.facing.z;
    view[VIEW_TARGET_MPS] = web_now.open.actors[web_now.chosen].devices.target_mps;
}

void web_view_path(void)
{
    am_path_view path;
    am_actor_get_path(web_chosen(), &path);
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
    view[VIEW_TARGET] = (float)web_now.open.actors[web_now.chosen].target.kind;
    if (web_now.lineup.method != AM_METHOD_FIELD) {
        view[VIEW_NEAREST] = view[VIEW_NEAR_COUNT] = 0.0f;
    } else if (out->searched) { // else the last tick counts
        view[VIEW_NEAREST] = sqrtf(out->cost);
        view[VIEW_REWARD] = out->rewards[0];
        view[VIEW_VALUE] = out->values[0];
        turned = FORGETS * turned + out->turned;
        by_motion = FORGETS * by_motion + out->turned_by_motion;
        view[VIEW_BY_MOTION] = turned > 0.0f ? by_motion / turned : 0.0f;
        memcpy(view + VIEW_PARTS, out->parts, sizeof out->parts);
        am_actor_neighbour near[AM_MAX_CANDIDATES];
        int count = am_actor_get_neighbours(web_chosen(), near);
        view[VIEW_NEAR_COUNT] = (float)count;
        for (int i = 0; i < count; i++) {
            const float numbers[VIEW_NEAR_NUMBERS] = { near[i].weight, near[i].x, near[i].z, near[i].turn };
            memcpy(view + VIEW_NEAR + i * VIEW_NEAR_NUMBERS, numbers, sizeof numbers);
        }
    }
}

void web_view_fill(int left, float step_us)
{
    am_actor_view now;
    am_actor_pose pose;
    am_actor_get_view(web_chosen(), &now);
    am_actor_get_pose(web_chosen(), &pose);
    const am_source_output *out = now.output;
    const am_db_range *range =
        out->frame >= 0 ? &web_now.open.db->ranges[am_db_range_of(web_now.open.db, out->frame)] : NULL;
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
    view[VIEW_STEP_US] = step_us;
    view[VIEW_STEPS] = (float)now.steps;
    view[VIEW_FALLBACK] = (float)now.fallback_frames;
    fill_places(&now, &pose);
    web_view_path();
    am_push_view push;
    am_actor_get_push(web_chosen(), &push);
    view[VIEW_PUSH] = push.count > 0 ? (float)push.frame : 0.0f;
    view[VIEW_PUSHES] = (float)push.total;
    fill_trajectory(&now);
    fill_costs(&now, left);
    fill_field(out);
    view[VIEW_ASKED] = web_now.open.actors[web_now.chosen].ask.values ? 1.0f : 0.0f;
    view[VIEW_ENCODING_COUNT] = (float)out->encoding_count;
    memcpy(view + VIEW_ENCODING, out->answer, (size_t)out->encoding_count * sizeof(float));
}

void web_view_describe(am_json_writer *w)
{
    am_json_begin_object(w, "view");
    for (int v = 0; v <= VIEW_TRAJECTORY; v++) {
        am_json_integer(w, view_names[v], v);
    }
    am_json_integer(w, "channelCosts", VIEW_CHANNELS);
    am_json_integer(w, "near", VIEW_NEAR);
    am_json_integer(w, "encoding", VIEW_ENCODING);
    am_json_integer(w, "count", VIEW_COUNT);
    am_json_end_object(w);
}
