// Views of a character, and its state as bytes: a small header that says what they belong to, then the flat block.
#include "actor/character.h"

#include "base/error.h"

#include <string.h>

#define SNAPSHOT_MAGIC 0x53434D41u // "AMCS"
#define SNAPSHOT_VERSION 1u

typedef struct header {
    uint32_t magic, version;
    uint64_t key;  ///< of the def and the source
    uint64_t hash; ///< of the flat block
} header;

const float *ami_character_weights(const am_character *c, bool high)
{
    bool weighed = !high && ami_path_active(c) && ami_path_has(c->path.head, ami_path_weigh);
    return weighed && c->kit->path_weights ? c->kit->path_weights : ami_kit_weights(c->kit, high);
}

am_character_pose am_character_get_pose(const am_character *c)
{
    am_character_pose pose = {
        .root = c->state->root,
        .local = c->local,
        .local_raw = c->local_raw,
        .world = c->world,
        .world_raw = c->world_raw,
        .contacts = (uint8_t)c->state->contacts,
        .locked = (uint8_t)c->state->locked,
    };
    return pose;
}

am_character_view am_character_get_view(const am_character *c)
{
    const ami_state *s = c->state;
    bool high = s->activity == AM_ACTIVITY_CREEP || s->activity == AM_ACTIVITY_JUMP;
    am_character_view view = {
        .intent = { .velocity = s->target_velocity,
                    .facing = s->target_facing,
                    .jump = (s->target_buttons & ami_button_jump) != 0,
                    .creep = (s->target_buttons & ami_button_creep) != 0,
                    .dance = (s->target_buttons & ami_button_dance) != 0 },
        .activity = (am_activity)s->activity,
        .activities = c->kit->activities,
        .simulation = { am_quat_from_heading(s->heading), am_v3(s->position.x, s->height, s->position.z) },
        .simulation_velocity = s->velocity,
        .trajectory = c->trajectory,
        .trajectory_count = s->trajectory_count,
        .output = &c->output,
        .weights = ami_character_weights(c, high),
        .fallback_frames = s->fallbacks,
        .transitions = s->transitions,
        .searches = s->searches,
        .steps = s->steps,
    };
    return view;
}

const am_source *am_character_source(const am_character *c) { return c->kit->source; }

am_character_facts am_character_get_facts(const am_character *c) { return c->kit->facts; }

uint64_t am_character_hash(const am_character *c)
{
    // A character that was never pushed hashes like one that cannot be pushed: a page with pushes has the hashes of a
    // run without them.
    bool pushed = am_character_get_push(c).total > 0;
    return am_hash64(c->flat, pushed ? c->flat_size : c->plain_size, 0);
}

size_t am_character_snapshot_size(const am_character *c) { return sizeof(header) + c->flat_size; }

void am_character_snapshot(const am_character *c, void *out)
{
    header head = { SNAPSHOT_MAGIC, SNAPSHOT_VERSION, c->key, am_hash64(c->flat, c->flat_size, 0) };
    memcpy(out, &head, sizeof head);
    memcpy((uint8_t *)out + sizeof head, c->flat, c->flat_size);
}

am_result am_character_restore(am_character *c, const void *snapshot, size_t size, am_error *err)
{
    header head;
    if (!snapshot || size != sizeof head + c->flat_size) {
        return ami_fail(err, AM_ERR_FORMAT, "a snapshot of this character has %zu bytes, not %zu",
                        sizeof head + c->flat_size, size);
    }
    memcpy(&head, snapshot, sizeof head);
    const uint8_t *body = (const uint8_t *)snapshot + sizeof head;
    if (head.magic != SNAPSHOT_MAGIC || head.version != SNAPSHOT_VERSION || head.key != c->key) {
        return ami_fail(err, AM_ERR_FORMAT,
                        "not a snapshot of a character made by the same def over the same source");
    }
    if (am_hash64(body, c->flat_size, 0) != head.hash) {
        return ami_fail(err, AM_ERR_CHECKSUM, "the snapshot is damaged: its checksum does not match");
    }
    memcpy(c->flat, body, c->flat_size);
    // What is not part of the state says nothing about a step that was not taken here.
    am_source_output *out = &c->output;
    out->transition = out->searched = out->fell_back = false;
    out->ended = c->state->ended != 0;
    out->candidate_count = 0;
    out->frame = c->state->frame;
    out->contacts = (uint8_t)c->state->contacts;
    return AM_OK;
}
