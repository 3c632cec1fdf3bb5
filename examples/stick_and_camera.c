// A gamepad, a camera, and drawing faster than stepping: the camera orbits while the left stick stays forward, so the
// character walks in a circle; poses are sampled at 144 Hz between steps of 60 Hz. Usage: stick_and_camera FILE
#include <amble/amble.h>
#include <stdio.h>

#define STEPS_PER_SECOND 60.0
#define DRAWINGS_PER_SECOND 144.0
#define SECONDS 8.0

/// What a game would draw; here only the distance that the root covered.
static float draw(am_vec3 *last, const am_transform *root)
{
    float moved = am_v3_distance(root->translation, *last);
    *last = root->translation;
    return moved;
}

int main(int argc, char **argv)
{
    am_actor *actor = NULL;
    am_error err = { AM_OK };
    if (am_actor_open(&actor, argc > 1 ? argv[1] : "models/locomotion.amnet", &err) != AM_OK) {
        return fprintf(stderr, "stick_and_camera: %s\n", err.text), 1;
    }
    am_stick stick = { .y = 1.0f }; // as far forward as it goes
    am_vec3 last = { 0 };
    am_transform root, local[AM_MAX_JOINTS];
    double stepped = 0.0;
    float walked = 0.0f;
    for (int drawing = 0; drawing < SECONDS * DRAWINGS_PER_SECOND; drawing++) {
        double now = drawing / DRAWINGS_PER_SECOND;
        while (stepped <= now) {
            am_intent input;
            stick.camera_heading = (float)(0.5 * stepped); // the camera orbits by half a radian per second
            am_actor_steer(actor, &input, &stick);
            am_actor_step(actor, &input, (float)(1.0 / STEPS_PER_SECOND));
            stepped += 1.0 / STEPS_PER_SECOND;
        }
        // The last step is ahead of now by at most one step.
        am_actor_sample(actor, (float)(1.0 - (stepped - now) * STEPS_PER_SECOND), &root, local);
        walked += draw(&last, &root);
    }
    printf("walked %.1f m and ended %.1f m away\n", (double)walked, (double)am_v3_length(last));
    am_actor_destroy(actor);
}
