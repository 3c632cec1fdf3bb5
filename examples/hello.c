// One actor steered by a stick: it walks forward for five seconds. Usage: hello FILE.amdb or FILE.amnet
#include <amble/amble.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    am_actor *actor = NULL;
    am_error err = { AM_OK };
    if (am_actor_open(&actor, argc > 1 ? argv[1] : "models/locomotion.amnet", &err) != AM_OK) {
        return fprintf(stderr, "hello: %s: %s\n", err.file, err.text), 1;
    }
    am_stick stick = { 0.0f, 1.0f }; // as far forward as it goes
    for (int frame = 0; frame < 300; frame++) {
        am_intent input;
        am_actor_steer(actor, &input, &stick);
        am_actor_step(actor, &input, 1.0f / 60.0f);
    }
    am_actor_pose pose;
    am_actor_get_pose(actor, &pose);
    printf("walked to x %.2f, z %.2f\n", (double)pose.root.translation.x, (double)pose.root.translation.z);
    am_actor_destroy(actor);
}
