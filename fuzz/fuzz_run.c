// Fuzzes RUN.json: an accepted script holds what it says, and a refusal names the place.
#include <amble/tools/script.h>

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    am_error err = { 0 };
    am_run_script script;
    if (am_run_parse(&script, (const char *)data, size, "folder/run.json", NULL, &err) != AM_OK) {
        if (script.own || err.code == AM_OK || err.line < 1 || strlen(err.text) == 0) {
            abort();
        }
        return 0;
    }
    if (!script.database || script.actor_count < 1 || !(script.fps >= 10.0f) || !(script.seconds > 0.0f)) {
        abort();
    }
    for (int i = 0; i < script.actor_count; i++) {
        const am_run_actor *actor = &script.actors[i];
        for (int k = 1; k < actor->key_count; k++) {
            if (actor->keys[k].t < actor->keys[k - 1].t) {
                abort();
            }
        }
        for (int k = 0; k < actor->gamepad_count; k++) {
            if (!(actor->gamepad[k].pad.left[0] <= 1.0f)) {
                abort();
            }
        }
    }
    am_run_script_free(&script);
    return 0;
}
