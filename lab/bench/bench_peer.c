// Runs the peers of the benches, which are programs of their own: the product does not link what it is compared with.
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__EMSCRIPTEN__)

bench_peer *bench_peer_start(bench *b, const char *name)
{
    bench_note(b, "peer %s: absent, this platform has no processes", name);
    return NULL;
}

bench_peer *bench_peer_start_wasm(bench *b, const char *name) { return bench_peer_start(b, name); }

bool bench_peer_ask(bench_peer *peer, char *answer, size_t size, const char *question)
{
    (void)peer, (void)answer, (void)size, (void)question;
    return false;
}

void bench_peer_stop(bench_peer *peer) { (void)peer; }

#else

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

struct bench_peer {
    pid_t child;
    FILE *to;
    FILE *from;
};

/// FOLDER/NAME beside build/release/amble.
static bool find_program(char *out, size_t size, const char *folder, const char *name)
{
    char self[1024];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0) {
        return false;
    }
    self[length] = '\0';
    char *slash = strrchr(self, '/');
    if (slash) {
        *slash = '\0';
    }
    return snprintf(out, size, "%s/%s/%s", self, folder, name) < (int)size && access(out, R_OK) == 0;
}

/// Runs in the child: never returns. `script` is what the program is to run, or NULL.
static void become(const char *program, const char *script, int in, int out)
{
    dup2(in, 0);
    dup2(out, 1);
    for (int fd = 3; fd < 64; fd++) {
        close(fd);
    }
    execlp(program, program, script, (char *)NULL); // without a slash it is looked for in PATH
    _exit(127);
}

static bench_peer *start(const char *program, const char *script)
{
    int to[2], from[2];
    if (pipe(to) != 0) {
        return NULL;
    }
    if (pipe(from) != 0) {
        close(to[0]);
        close(to[1]);
        return NULL;
    }
    signal(SIGPIPE, SIG_IGN); // a peer that dies is a failed question, not our end
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        become(program, script, to[0], from[1]);
    }
    close(to[0]);
    close(from[1]);
    bench_peer *peer = calloc(1, sizeof *peer);
    FILE *out = fdopen(to[1], "w");
    FILE *in = fdopen(from[0], "r");
    if (peer && out && in && child > 0) {
        *peer = (bench_peer){ child, out, in };
        return peer;
    }
    free(peer);
    out ? fclose(out) : close(to[1]);
    in ? fclose(in) : close(from[0]);
    if (child > 0) {
        waitpid(child, NULL, 0);
    }
    return NULL;
}

bench_peer *bench_peer_start(bench *b, const char *name)
{
    char program[1200];
    if (!find_program(program, sizeof program, "peers", name)) {
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
    snprintf(file, sizeof file, "%s.js", name);
    if (!find_program(script, sizeof script, "../wasm/peers", file)) {
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
    if (fprintf(peer->to, "%s\n", question) < 0 || fflush(peer->to) != 0 || !fgets(answer, (int)size, peer->from)) {
        return false;
    }
    return strncmp(answer, "error", 5) != 0;
}

void bench_peer_stop(bench_peer *peer)
{
    if (peer) {
        fclose(peer->to); // the peer ends with its input
        fclose(peer->from);
        waitpid(peer->child, NULL, 0);
        free(peer);
    }
}

#endif
