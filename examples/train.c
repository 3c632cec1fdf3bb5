// Trains networks by a recipe. Usage: train RECIPE.json DATABASE.amdb OUT.amnet [ITERATIONS]: after that many
// iterations of a stage it stops and keeps a checkpoint, from which the next call continues.
#include <amble/train.h>
#include <stdio.h>
#include <stdlib.h>

static bool go_on(void *user, const am_train_progress *progress)
{
    int64_t most = *(const int64_t *)user;
    return most == 0 || progress->iteration < most;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        return fprintf(stderr, "usage: train RECIPE.json DATABASE.amdb OUT.amnet [ITERATIONS]\n"), 2;
    }
    int64_t most = argc > 4 ? atoll(argv[4]) : 0;
    am_train_def def;
    am_train_def_init(&def);
    def.recipe = argv[1];
    def.database = argv[2];
    def.output = argv[3];
    def.resume = true;
    def.report = go_on;
    def.report_user = &most;
    am_train_summary summary;
    am_error err = { AM_OK };
    am_result result = am_train_run(&summary, &def, &err);
    if (result == AM_OK) {
        printf("trained %lld iterations, loss %.3f\n", (long long)summary.iterations, summary.last_loss);
    } else {
        printf("%s\n", result == AM_ERR_CANCELLED ? "stopped; run it again to continue" : err.text);
    }
    return result != AM_OK && result != AM_ERR_CANCELLED;
}
