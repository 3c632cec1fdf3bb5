// The activities of a character: ordinary movement, standing, creeping, jumps and dances (Responsive 3.3), and the
// changes between them. Tag filters give the frames of each; jumps and dances play through and end by themselves.
#include "actor/actor.h"

// Longest jump, so that a landing that never comes cannot hold the character forever.
#define JUMP_LONGEST_S 3.0f
// Networks keep no end of a jump: it is over when both feet are down again, this long after its beginning, when it
// has long taken off.
#define JUMP_SHORTEST_S 0.6f
// A dance yields to the stick after this time, so that the user sees it begin.
#define DANCE_SHORTEST_S 0.3f
// A standing frame must be followed by at least this much more standing.
#define STAND_AHEAD_S 0.2f
// A faster body first brakes with frames of ordinary movement: a stand that is found in the middle of a running
// stride is one that nobody takes.
#define STAND_FROM_MPS 1.2f
// Slower targets count as no target.
#define STILL_MPS 0.05f
// A sprint is reached step by step: asked for all of it at once, a search leaves the stand for the middle of a run
// that no captured body reaches from there. A start asks for a walk, and then for this much more than the body has.
#define RUN_MPS 2.0f
#define FIRST_MPS 1.3f
#define GAIN_MPS 0.6f
// A desired facing this far from the body's needs steps.
#define TURN_RAD (30.0f * AM_DEG)
#define CHANGED_RAD 1e-3f // a target has changed its heading

static const char *const names[AM_ACTIVITY_COUNT] = { "move", "stand", "creep", "jump", "dance" };

const char *am_activity_name(am_activity activity)
{
    return (int)activity >= 0 && activity < AM_ACTIVITY_COUNT ? names[activity] : "none";
}

static bool can(const am_actor *c, am_activity activity) { return (c->prepared->activities >> activity & 1) != 0; }

static bool pressed(const ami_state *s, uint32_t button)
{
    return (s->target_buttons & button) != 0 && (s->was_buttons & button) == 0;
}

static bool wants_to_move(const ami_state *s) { return am_v3_length(s->target_velocity) > STILL_MPS; }

/// Speed of the point at the first predicted time if the target does not change.
static float predicted_speed(const am_actor *c)
{
    const ami_state *s = c->state;
    am_vec3 position = s->position, velocity = s->velocity, acceleration = s->acceleration;
    float t = c->prepared->first_ahead < c->prepared->time_count ? c->prepared->times[c->prepared->first_ahead]
                                                                 : 0.3333333f;
    float halflife = ami_velocity_halflife(c, s->target_velocity);
    am_spring_character_v3(&position, &velocity, &acceleration, s->target_velocity, halflife, t);
    return am_v3_length(velocity);
}

static bool wants_to_turn(const ami_state *s)
{
    return am_v3_length(s->target_facing) > 0.5f &&
           am_abs(am_wrap_angle(s->target_heading - am_quat_heading(s->root.rotation))) > TURN_RAD;
}

/// Whether targets are fitted to what the body can do, which Responsive does not.
static bool adapts(const am_actor *c) { return ami_follows_springs(c) && !c->settings.as_printed; }

/// Whether the body itself is slow enough to stand. The simulated point stops sooner than a runner can; where it
/// rests already, as at the end of a path, there is nothing to wait for.
static bool is_slow(const am_actor *c)
{
    const ami_state *s = c->state;
    am_intent_def speeds;
    am_actor_get_speeds(c, &speeds);
    return !adapts(c) || am_v3_length(s->velocity) < STILL_MPS || s->speed < am_max(STAND_FROM_MPS, speeds.walk_mps);
}

/// Moving, creeping or standing: the activities that last until something changes.
static am_activity choose_lasting(const am_actor *c)
{
    const ami_state *s = c->state;
    if ((s->target_buttons & ami_button_creep) != 0 && can(c, AM_ACTIVITY_CREEP)) {
        return AM_ACTIVITY_CREEP;
    }
    bool asked = (s->target_buttons & ami_button_asked) != 0;
    bool still =
        is_slow(c) && !asked && !wants_to_move(s) && !wants_to_turn(s) && predicted_speed(c) < c->settings.stand_mps;
    return still && can(c, AM_ACTIVITY_STAND) ? AM_ACTIVITY_STAND : AM_ACTIVITY_MOVE;
}

/// Whether what plays belongs to an activity.
static bool plays(const am_actor *c, am_activity activity)
{
    const am_source *source = c->prepared->source;
    if (c->state->frame >= 0 || !source->interface->tags) {
        return ami_prepared_accepts(c->prepared, activity, c->state->frame);
    }
    return ami_tag_query_accepts(&c->prepared->queries[activity], source->interface->tags(source, c->source_state));
}

/// True when the current activity has ended, or never ends by itself.
static bool is_over(const am_actor *c)
{
    const ami_state *s = c->state;
    if (s->activity != AM_ACTIVITY_JUMP && s->activity != AM_ACTIVITY_DANCE) {
        return true;
    }
    bool left = s->activity_s > 0.1f && !plays(c, (am_activity)s->activity);
    if (s->activity == AM_ACTIVITY_JUMP) {
        bool landed =
            s->frame < 0 && s->activity_s > JUMP_SHORTEST_S && s->contacts == (AM_CONTACT_LEFT | AM_CONTACT_RIGHT);
        return left || landed || s->ended || s->activity_s > JUMP_LONGEST_S;
    }
    return left || s->ended || (s->activity_s > DANCE_SHORTEST_S && wants_to_move(s));
}

static am_activity choose(const am_actor *c)
{
    const ami_state *s = c->state;
    if (!is_over(c)) {
        return (am_activity)s->activity;
    }
    // A dance repeats while its key is down; a jump needs a new key press.
    bool dance = pressed(s, ami_button_dance) || (s->activity == AM_ACTIVITY_DANCE &&
                                                  (s->target_buttons & ami_button_dance) != 0 && !wants_to_move(s));
    if (pressed(s, ami_button_jump) && can(c, AM_ACTIVITY_JUMP)) {
        return AM_ACTIVITY_JUMP;
    }
    return dance && can(c, AM_ACTIVITY_DANCE) ? AM_ACTIVITY_DANCE : choose_lasting(c);
}

static void enter(am_actor *c, am_activity activity)
{
    ami_state *s = c->state;
    s->activity = (int32_t)(activity);
    s->activity_s = 0.0f;
    s->ended = 0;
    s->height_velocity = 0.0f;
    s->height_acceleration = 0.0f;
    if (activity == AM_ACTIVITY_JUMP) {
        float unused;
        ami_leap(c->prepared->facts.jump_rise_m, &s->height_velocity, &unused);
    }
}

/// Standing continues until the playing clip ends; then another one is searched for, or, as Responsive 3.3.2 prints
/// it, the last frame is held.
static void plan_stand(const am_actor *c, ami_activity_plan *plan)
{
    const ami_state *s = c->state;
    const am_db *db = c->prepared->source->db;
    plan->velocity = am_v3_zero();
    plan->rest = true;
    plan->hold = true;
    plan->stand = true;
    int ahead = db && s->frame >= 0 ? ami_db_clamp(db, s->frame, (int)(STAND_AHEAD_S * db->fps)) : -1;
    bool over = s->ended && !c->settings.as_printed;
    if (over || !ami_prepared_accepts(c->prepared, AM_ACTIVITY_STAND, ahead)) {
        plan->search_now = true;
        plan->leave = true;
    }
}

static void plan_activity(const am_actor *c, ami_activity_plan *plan)
{
    const ami_state *s = c->state;
    const am_actor_facts *facts = &c->prepared->facts;
    switch ((am_activity)s->activity) {
    case AM_ACTIVITY_STAND:
        plan_stand(c, plan);
        break;
    case AM_ACTIVITY_CREEP: {
        am_vec3 way = am_v3_normalize_or(s->target_velocity, am_v3_zero());
        plan->velocity = wants_to_move(s) ? am_v3_scale(way, facts->creep_mps) : am_v3_zero();
        plan->height = facts->creep_hip_m;
        plan->high = true;
        break;
    }
    case AM_ACTIVITY_JUMP:
        plan->heading = s->heading; // the facing stays as it is
        plan->leap = true;
        plan->high = true;
        plan->hold = true;
        plan->own_root = true;
        break;
    case AM_ACTIVITY_DANCE:
        plan->velocity = am_v3_zero();
        plan->hold = true;
        plan->own_root = true;
        break;
    case AM_ACTIVITY_MOVE:
    case AM_ACTIVITY_COUNT:
        break;
    }
}

bool ami_follows_springs(const am_actor *c)
{
    const am_source *source = c->prepared->source;
    return (source->index || source->facts) && c->settings.springs && c->state->activity == AM_ACTIVITY_MOVE;
}

bool ami_builds_up(const am_actor *c) { return adapts(c) && am_v3_length(c->state->target_velocity) > RUN_MPS; }

bool ami_is_running(const am_actor *c)
{
    return adapts(c) && am_v3_length(c->state->velocity) > RUN_MPS && c->prepared->limits.slower_mps2 > 0.0f;
}

/// The target as far as a search may ask for it now.
static am_vec3 within_reach(const am_actor *c, am_vec3 velocity)
{
    float speed = am_v3_length(velocity);
    float most = am_max(c->state->speed + GAIN_MPS, FIRST_MPS);
    return ami_builds_up(c) && speed > most ? am_v3_scale(velocity, most / speed) : velocity;
}

/// A target that has changed a lot since the last search triggers the next one at once.
static bool is_sharp(const am_actor *c)
{
    const ami_state *s = c->state;
    return am_v3_distance(s->target_velocity, s->searched_velocity) > c->settings.sharp_mps ||
           am_abs(am_wrap_angle(s->target_heading - s->searched_heading)) > c->settings.sharp_rad;
}

ami_activity_plan ami_activity_update(am_actor *c, float dt)
{
    ami_state *s = c->state;
    float heading = s->target_heading;
    if (am_v3_length(s->target_facing) > 0.5f) {
        s->target_heading = am_atan2(s->target_facing.x, s->target_facing.z);
    } else if (wants_to_move(s)) {
        s->target_heading = am_atan2(s->target_velocity.x, s->target_velocity.z);
    }
    if (am_abs(am_wrap_angle(s->target_heading - heading)) > CHANGED_RAD) {
        ami_turn_begin(s);
    }
    am_activity was = (am_activity)s->activity;
    bool over = is_over(c);
    am_activity is = choose(c);
    ami_activity_plan plan = { .velocity = s->target_velocity,
                               .heading = s->target_heading,
                               .height = c->prepared->facts.hip_m };
    bool once = is == AM_ACTIVITY_JUMP || is == AM_ACTIVITY_DANCE;
    if (is != was || (once && over)) {
        enter(c, is);
        plan.search_now = true;
        plan.leave = once || was == AM_ACTIVITY_JUMP || was == AM_ACTIVITY_DANCE;
    } else if (is == AM_ACTIVITY_MOVE || is == AM_ACTIVITY_CREEP) {
        plan.search_now = is_sharp(c);
    }
    plan_activity(c, &plan);
    plan.velocity = within_reach(c, plan.velocity);
    s->activity_s += dt;
    s->was_buttons = s->target_buttons;
    return plan;
}
