// Where the body has been: a ring of positions, kept only when the schema asks for past times. Each holds the seconds
// since the one before it, so that steps of any length and number keep their times without drift.
#include "actor/actor.h"

float ami_history_longest(const am_source *source)
{
    const am_schema *schema = source->db ? source->db->features.schema : NULL;
    float longest = 0.0f;
    for (int c = 0; schema && c < schema->channel_count; c++) {
        for (int t = 0; ami_asks_trajectory(&schema->channels[c]) && t < schema->channels[c].time_count; t++) {
            longest = am_max(longest, -schema->channels[c].times[t]);
        }
    }
    return longest;
}

static am_query_point *slot(const am_actor *c, int back)
{
    unsigned at = (unsigned)c->state->past_head - (unsigned)back;
    return &c->past[at % AMI_PAST_PLACES];
}

/// The present body: its ground root with the height of the hips, as in the features.
static am_query_point here(const am_actor *c)
{
    const ami_state *s = c->state;
    am_vec3 place = s->root.translation;
    am_query_point point = {
        .position = am_v3(place.x, c->world[0].translation.y, place.z),
        .direction = am_quat_rotate(s->root.rotation, am_v3(0.0f, 0.0f, 1.0f)),
        .velocity = s->moved,
    };
    return point;
}

void ami_history_begin(am_actor *c)
{
    if (c->past) {
        c->past[0] = here(c);
        c->state->past_head = 0;
        c->state->past_count = 1;
        c->state->past_s = 0.0f;
    }
}

void ami_history_add(am_actor *c, am_vec3 before, float dt)
{
    ami_state *s = c->state;
    if (!c->past) {
        return;
    }
    s->moved = am_v3_scale(am_v3_sub(here(c).position, before), 1.0f / dt);
    s->past_s += dt;
    // Places are kept far enough apart that the ring covers the longest time that is asked for, however short the
    // steps are.
    float spacing = c->prepared->past_s / c->settings.time_scale / (float)(AMI_PAST_PLACES - 2);
    if (s->past_s >= spacing) {
        s->past_head = (s->past_head + 1) % AMI_PAST_PLACES;
        s->past_count = s->past_count < AMI_PAST_PLACES ? s->past_count + 1 : AMI_PAST_PLACES;
        *slot(c, 0) = here(c);
        slot(c, 0)->time = s->past_s;
        s->past_s = 0.0f;
    }
}

am_query_point ami_history_at(const am_actor *c, float ago)
{
    const ami_state *s = c->state;
    am_query_point later = here(c);
    float age = 0.0f;
    float gap = s->past_s;
    for (int back = 0; back < s->past_count; back++) {
        const am_query_point *earlier = slot(c, back);
        if (ago < age + gap) {
            float t = (ago - age) / gap;
            later.position = am_v3_lerp(later.position, earlier->position, t);
            later.direction = am_v3_normalize_or(am_v3_lerp(later.direction, earlier->direction, t), later.direction);
            later.velocity = am_v3_lerp(later.velocity, earlier->velocity, t);
            return later;
        }
        later = *earlier;
        age += gap;
        gap = earlier->time;
    }
    // Before the first step, the body stood where it started.
    later.velocity = ago > age ? am_v3_zero() : later.velocity;
    return later;
}

void ami_history_move(am_actor *c, am_transform from, am_transform to)
{
    am_quat turn = am_quat_mul(to.rotation, am_quat_inv(from.rotation));
    for (int back = 0; c->past && back < c->state->past_count; back++) {
        am_query_point *point = slot(c, back);
        am_vec3 away = am_v3_sub(point->position, from.translation);
        point->position = am_v3_add(to.translation, am_quat_rotate(turn, away));
        point->direction = am_quat_rotate(turn, point->direction);
        point->velocity = am_quat_rotate(turn, point->velocity);
    }
    c->state->moved = am_quat_rotate(turn, c->state->moved);
}
