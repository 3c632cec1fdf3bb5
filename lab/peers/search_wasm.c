// The fast index in WebAssembly under node, as a peer of `amble bench search`: the same lines in and out as
// search_peers.cpp, for the one name `wasm`. Its answers must equal those of the native index bit for bit.
#include <amble/source.h>

#include "data/search.h"

#include <emscripten.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { most_k = 64 };

typedef struct state {
    int dims, stride, frames, questions, sets;
    float *x, *asked; // [frame][stride], [set][question][stride]
    am_db db;
    am_db_range *ranges;
    am_index *index;
    am_search_work *work;
} state;

// EM_JS does not expand to strict C.
#pragma clang diagnostic ignored "-Wpedantic"
#pragma clang diagnostic ignored "-Wmissing-prototypes"
#pragma clang diagnostic ignored "-Wmissing-variable-declarations"

// The processor's own time: other work on the machine lengthens the wall clock's.
EM_JS(double, processor_us, (void), {
    const used = process.cpuUsage();
    return used.user + used.system;
});

static double wall_us(void)
{
    struct timespec now = { 0 };
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

static void forget(state *s)
{
    ami_search_work_destroy(s->work);
    ami_index_destroy(s->index);
    free(s->ranges);
    free(s->x);
    free(s->asked);
    *s = (state){ 0 };
}

static bool read_rows(float *out, FILE *file, const state *s, int count)
{
    for (int i = 0; i < count; i++) {
        if (fread(out + (size_t)i * (size_t)s->stride, sizeof *out, (size_t)s->dims, file) != (size_t)s->dims) {
            return false;
        }
    }
    return true;
}

/// Four int32 (dims, frames, questions of a set, sets), the frames, the questions; an int32 with the number of
/// clips, and of each its first frame and the one after its last.
static bool read_all(state *s, FILE *file)
{
    int32_t head[4], count = 0, span[2];
    if (fread(head, sizeof head, 1, file) != 1) {
        return false;
    }
    s->dims = head[0], s->frames = head[1], s->questions = head[2], s->sets = head[3];
    s->stride = (s->dims + 7) / 8 * 8;
    s->x = calloc((size_t)s->frames * (size_t)s->stride, sizeof *s->x);
    s->asked = calloc((size_t)(s->questions * s->sets) * (size_t)s->stride, sizeof *s->asked);
    bool ok = s->x && s->asked && read_rows(s->x, file, s, s->frames) &&
              read_rows(s->asked, file, s, s->questions * s->sets) && fread(&count, sizeof count, 1, file) == 1;
    s->ranges = ok ? calloc((size_t)count, sizeof *s->ranges) : NULL;
    for (int i = 0; s->ranges && i < count; i++) {
        ok = ok && fread(span, sizeof span, 1, file) == 1;
        s->ranges[i] = (am_db_range){ .start = span[0], .stop = span[1] };
    }
    s->db = (am_db){ .frame_count = s->frames, .x = s->x, .ranges = s->ranges, .range_count = count };
    s->db.features.count = s->db.features.raw_count = s->dims;
    s->db.features.stride = s->stride;
    return ok && s->ranges;
}

static const char *load(state *s, const char *path)
{
    forget(s);
    FILE *file = fopen(path, "rb");
    bool ok = file && read_all(s, file);
    if (file) {
        fclose(file);
    }
    am_error err = { 0 };
    ami_index_def def = ami_index_def_default();
    def.db = &s->db;
    ok = ok && ami_index_create(&s->index, &def, &err) == AM_OK &&
         ami_search_work_create(&s->work, s->index, NULL, &err) == AM_OK;
    return ok ? "peers wasm" : "error: cannot read the frames";
}

/// Asks all questions of a set; singles(questions) in microseconds, found(questions, k). Returns the mean.
static double ask_all(state *s, int set, int k, double *singles, int32_t *found)
{
    double begun = processor_us();
    for (int q = 0; q < s->questions; q++) {
        ami_search search = ami_search_default();
        am_hit hits[most_k];
        search.x = s->asked + (size_t)(set * s->questions + q) * (size_t)s->stride;
        search.k = k;
        double start = wall_us();
        int count = ami_index_search(s->index, hits, &search, s->work);
        singles[q] = wall_us() - start;
        for (int i = 0; i < k; i++) {
            found[q * k + i] = i < count ? hits[i].frame : -1;
        }
    }
    return (processor_us() - begun) / s->questions;
}

static bool run(state *s, const char *line, char *answer, size_t size)
{
    char name[32], path[4096];
    int set, k, cold;
    if (sscanf(line, "run %31s %d %d %d %4095[^\n]", name, &set, &k, &cold, path) != 5 || set < 0 || set >= s->sets ||
        k < 1 || k > most_k || cold || strcmp(name, "wasm") != 0) {
        return false;
    }
    double *singles = calloc((size_t)s->questions, sizeof *singles);
    int32_t *found = calloc((size_t)(s->questions * k), sizeof *found);
    FILE *file = singles && found ? fopen(path, "wb") : NULL;
    bool ok = file != NULL;
    if (ok) {
        double mean = ask_all(s, set, k, singles, found);
        ok = fwrite(singles, sizeof *singles, (size_t)s->questions, file) == (size_t)s->questions &&
             fwrite(found, sizeof *found, (size_t)(s->questions * k), file) == (size_t)(s->questions * k);
        ok = fclose(file) == 0 && ok;
        snprintf(answer, size, "%.3f", mean);
    }
    free(singles);
    free(found);
    return ok;
}

int main(void)
{
    state s = { 0 };
    static char line[8192];
    while (fgets(line, sizeof line, stdin)) {
        char answer[64] = "error: bad question";
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "load ", 5) == 0) {
            snprintf(answer, sizeof answer, "%s", load(&s, line + 5));
        } else if (!run(&s, line, answer, sizeof answer)) {
            snprintf(answer, sizeof answer, "error: bad question");
        }
        printf("%s\n", answer);
        fflush(stdout);
    }
    forget(&s);
    return 0;
}
