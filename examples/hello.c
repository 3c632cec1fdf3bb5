// One actor steered by a stick: walks forward for five seconds. Usage: hello FILE.amdb or FILE.amnet
#include <amble/amble.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    am_actor *actor = NULL;
    am_error err = { 0 };
    am_actor_pose pose;
    if (argc != 2 || am_actor_open(&actor, argv[1], &err) != AM_OK) {
        return fprintf(stderr, "hello: %s\n", argc == 2 ? err.text : "give an .amdb or an .amnet"), 1;
    }
    for (int frame = 0; frame < 300; frame++) {
        am_intent input;
        am_actor_steer(actor, &input, &(am_stick){ .y = 1.0f });
        am_actor_step(actor, &input, 1.0f / 60.0f);
    }
    am_actor_get_pose(actor, &pose);
    printf("walked to x %.2f, z %.2f\n", (double)pose.root.translation.x, (double)pose.root.translation.z);
    am_actor_destroy(actor);
    return 0;
}
