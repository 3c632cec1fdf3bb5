// Runs the peers of the benches, which are programs of their own: the product does not link what it is compared with.
#include "bench.h"
#include <amble/tools/os.h>
#include "base/child.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bench_peer {
    ami_dialogue *dialogue;
};

static bench_peer *start(const char *program, const char *script)
{
    const char *const words[] = { program, script, NULL };
    bench_peer *peer = calloc(1, sizeof *peer);
    if (peer) {
        peer->dialogue = ami_dialogue_start(words);
    }
    if (peer && !peer->dialogue) {
        free(peer);
        peer = NULL;
    }
    return peer;
}

bench_peer *bench_peer_start(bench *b, const char *name)
{
    char program[1200], file[64];
    snprintf(file, sizeof file, "peers/%s", name);
    if (!am_program_beside(program, sizeof program, file)) {
        bench_note(b, "peer %s: absent, its library was not found when this was built", name);
        return NULL;
    }
    bench_peer *peer = start(program, NULL);
    if (!peer) {
        bench_note(b, "peer %s: could not be started", name);
    }
    return peer;
}

bench_peer *bench_peer_start_wasm(bench *b, const char *name)
{
    char script[1200], file[64];
    snprintf(file, sizeof file, "../wasm/peers/%s.js", name);
    if (!am_program_beside(script, sizeof script, file)) {
        bench_note(b, "peer wasm: absent, there is no WebAssembly build (cmake --preset wasm) beside this one");
        return NULL;
    }
    bench_peer *peer = start("node", script);
    if (!peer) {
        bench_note(b, "peer wasm: node could not be started");
    }
    return peer;
}

bool bench_peer_ask(bench_peer *peer, char *answer, size_t size, const char *question)
{
    return ami_dialogue_ask(peer->dialogue, answer, size, question) && strncmp(answer, "error", 5) != 0;
}

void bench_peer_stop(bench_peer *peer)
{
    if (peer) {
        ami_dialogue_end(peer->dialogue);
        free(peer);
    }
}
