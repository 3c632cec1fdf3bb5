// Rollback: takes a snapshot, plays a guess of the other player's stick, then receives the true stick and plays the
// frames again from the snapshot. Usage: rollback FILE
#include <amble/amble.h>
#include <stdio.h>
#include <stdlib.h>

static void play(am_actor *actor, float stick_x, int frames)
{
    am_stick stick = { .x = stick_x, .y = 1.0f };
    for (int i = 0; i < frames; i++) {
        am_intent input;
        am_actor_steer(actor, &input, &stick);
        am_actor_step(actor, &input, 1.0f / 60.0f);
    }
}

int main(int argc, char **argv)
{
    am_actor *actor = NULL;
    am_error err = { AM_OK };
    if (am_actor_open(&actor, argc > 1 ? argv[1] : "models/locomotion.amnet", &err) != AM_OK) {
        return fprintf(stderr, "rollback: %s\n", err.text), 1;
    }
    play(actor, 0.0f, 60);
    size_t size = am_actor_snapshot(actor, NULL, 0);
    void *kept = malloc(size);
    if (!kept) {
        am_actor_destroy(actor);
        return 1;
    }
    am_actor_snapshot(actor, kept, size);
    play(actor, 1.0f, 8); // what the stick did
    uint64_t truth = am_actor_hash(actor);
    am_result result = am_actor_restore(actor, kept, size, &err);
    play(actor, 0.0f, 8); // what was guessed
    uint64_t guess = am_actor_hash(actor);
    result = result == AM_OK ? am_actor_restore(actor, kept, size, &err) : result;
    play(actor, 1.0f, 8); // played again
    printf("%s after %d bytes; the guess was %s\n",
           am_actor_hash(actor) == truth ? "the same frames" : "other frames", (int)size,
           guess == truth ? "right" : "wrong");
    free(kept);
    am_actor_destroy(actor);
    return result != AM_OK;
}
