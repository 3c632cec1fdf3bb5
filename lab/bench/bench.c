// amble bench: speed against peers, measured in the same run.
#include "bench.h"

#include "lab.h"
#include <amble/tools/json.h>
#include <amble/tools/os.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct bench_item {
    const char *name;
    const char *summary;
    int (*run)(bench *b);
} bench_item;

// One line for each bench_NAME.c.
static const bench_item items[] = {
    { "load", "BVH files to clips, against strtof and Assimp; a database file to the first pose", bench_load },
    { "search", "exact nearest frames, against boxes, FLANN, nanoflann, ANN and FAISS", bench_search },
    { "crowd", "many characters on one thread: a whole step of each", bench_crowd },
    { "infer", "one evaluation of a network, against OpenBLAS products and ONNX Runtime", bench_infer },
    { "field", "a controlled frame of a motion field, against FLANN, nanoflann, ANN and FAISS", bench_field },
    { "train", "iterations of training the papers' networks, against PyTorch", bench_train },
};

enum { item_count = sizeof items / sizeof items[0], most_rows = 512, most_notes = 64 };

typedef bench_line row;

struct bench {
    cli_common common;
    bool full;
    int rounds; ///< 0 means the bench decides
    int size;   ///< the same
    const char *config;
    row rows[most_rows];
    int row_count;
    char notes[most_notes][200];
    int note_count;
};

bool bench_full(const bench *b) { return b->full; }
int bench_rounds(const bench *b, int usual, int most)
{
    int rounds = b->rounds > 0 ? b->rounds : usual;
    return rounds < most ? rounds : most;
}

int bench_size(const bench *b) { return b->size; }
const char *bench_config(const bench *b) { return b->config; }

double bench_now_us(void) { return cli_now_us(NULL); }
double bench_cpu_us(void) { return cli_cpu_us(NULL); }

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void bench_sort(double *values, int count) { qsort(values, (size_t)count, sizeof *values, by_value); }

void bench_row(bench *b, const char *subject, const char *variant, int64_t n, const char *set, double *us, int rounds,
               uint64_t checksum)
{
    if (b->row_count == most_rows || rounds < 1) {
        return;
    }
    bench_sort(us, rounds);
    row *r = &b->rows[b->row_count++];
    snprintf(r->subject, sizeof r->subject, "%s", subject);
    snprintf(r->variant, sizeof r->variant, "%s", variant);
    snprintf(r->set, sizeof r->set, "%s", set);
    r->n = n;
    r->us_min = us[0];
    r->us_median = us[rounds / 2];
    // The smallest time that 99 % of the rounds did not exceed.
    r->us_p99 = us[(rounds * 99 + 99) / 100 - 1];
    r->checksum = checksum;
}

void bench_row_singles(bench *b, const char *subject, const char *variant, int64_t n, const char *set, double *us,
                       int rounds, double *singles, int single_count, uint64_t checksum)
{
    int before = b->row_count;
    bench_row(b, subject, variant, n, set, us, rounds, checksum);
    if (b->row_count > before && single_count > 0) {
        bench_sort(singles, single_count);
        row *r = &b->rows[before];
        double p99 = singles[((int64_t)single_count * 99 + 99) / 100 - 1];
        r->us_p99 = p99 > r->us_median ? p99 : r->us_median;
    }
}

double bench_least_us(const bench *b, const char *subject, const char *variant, int64_t n, const char *set)
{
    for (int i = 0; i < b->row_count; i++) {
        const row *r = &b->rows[i];
        if (r->n == n && strcmp(r->subject, subject) == 0 && strcmp(r->variant, variant) == 0 &&
            strcmp(r->set, set) == 0) {
            return r->us_min;
        }
    }
    return 0.0;
}

void bench_note(bench *b, const char *format, ...)
{
    if (b && b->note_count < most_notes) {
        va_list args;
        va_start(args, format);
        vsnprintf(b->notes[b->note_count], sizeof b->notes[0], format, args);
        va_end(args);
        if (strncmp(b->notes[b->note_count], "peer ", 5) == 0) { // also where a script that keeps stdout sees it
            fprintf(stderr, "amble: bench: %s\n", b->notes[b->note_count]);
        }
        b->note_count++;
    }
}

/// "Model of the processor, N cores", as far as the system reports them.
static void describe_machine(char *out, size_t size)
{
    char model[128] = "unknown processor";
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[512];
    while (file && fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        if (colon && strncmp(line, "model name", 10) == 0) {
            colon[strcspn(colon, "\n")] = '\0';
            snprintf(model, sizeof model, "%.120s", colon + 2);
            break;
        }
    }
    if (file) {
        fclose(file);
    }
    snprintf(out, size, "%s, %d cores", model, am_processor_count());
}

static int print_json(const bench *b, const char *machine)
{
    am_json_writer *writer = cli_json_begin(2);
    am_json_string(writer, "machine", machine);
    am_json_begin_array(writer, "rows");
    for (int i = 0; i < b->row_count; i++) {
        const row *r = &b->rows[i];
        am_json_begin_object(writer, NULL);
        am_json_string(writer, "subject", r->subject);
        am_json_string(writer, "variant", r->variant);
        am_json_integer(writer, "n", r->n);
        am_json_string(writer, "set", r->set);
        am_json_number(writer, "us_min", r->us_min);
        am_json_number(writer, "us_median", r->us_median);
        am_json_number(writer, "us_p99", r->us_p99);
        am_json_hash(writer, "checksum", r->checksum);
        am_json_end_object(writer);
    }
    am_json_end_array(writer);
    am_json_begin_array(writer, "notes");
    for (int i = 0; i < b->note_count; i++) {
        am_json_string(writer, NULL, b->notes[i]);
    }
    am_json_end_array(writer);
    return cli_json_end(writer);
}

/// Amble's row with the same subject, size and set, to compare a peer with.
static const row *own_row(const bench *b, const row *peer)
{
    for (int i = 0; i < b->row_count; i++) {
        const row *r = &b->rows[i];
        if (strcmp(r->variant, "amble") == 0 && strcmp(r->subject, peer->subject) == 0 && r->n == peer->n &&
            strcmp(r->set, peer->set) == 0) {
            return r;
        }
    }
    return NULL;
}

static void print_table(const bench *b, const char *machine)
{
    printf("%s\n\n%-28s %-12s %10s %-14s %12s %12s %12s  %-16s\n", machine, "subject", "variant", "n", "set",
           "us min", "us median", "us p99", "checksum");
    for (int i = 0; i < b->row_count; i++) {
        const row *r = &b->rows[i];
        printf("%-28s %-12s %10lld %-14s %12.1f %12.1f %12.1f  %016llx", r->subject, r->variant, (long long)r->n,
               r->set, r->us_min, r->us_median, r->us_p99, (unsigned long long)r->checksum);
        const row *own = own_row(b, r);
        if (own && own != r && own->us_min > 0.0) {
            printf("  amble is %.1fx as fast", r->us_min / own->us_min);
        }
        putchar('\n');
    }
    for (int i = 0; i < b->note_count; i++) {
        printf("%s%s\n", i == 0 ? "\n" : "", b->notes[i]);
    }
}

static am_result write_page(const bench *b, const char *name, const char *machine, const char *path, am_error *err)
{
    const char *notes[most_notes];
    for (int i = 0; i < b->note_count; i++) {
        notes[i] = b->notes[i];
    }
    bench_results results = { name, machine, b->rows, b->row_count, notes, b->note_count };
    return bench_page_write(&results, path, err);
}

int lab_bench(const cli_verb *verb, int argc, char **argv)
{
    bool list = false, full = false;
    int rounds = 0, size = 0;
    const char *config = NULL, *page = NULL;
    const cli_option options[] = {
        { "--full", NULL, "more data, slow peers, large sizes", .flag = &full },
        { "--rounds", "N", "measure N times (default: the bench decides)", .integer = &rounds },
        { "--size", "N", "only this size (search: frames, crowd: characters)", .integer = &size },
        { "--config", "NAME", "use the database of this config (search, crowd)", .text = &config },
        { "--html", "OUT.html", "also write a page with plots", .text = &page },
        { "--list", NULL, "print the names of the benches, one on each line", .flag = &list },
    };
    cli_word words[item_count];
    for (int i = 0; i < item_count; i++) {
        words[i] = (cli_word){ items[i].name, items[i].summary };
    }
    cli_call call = { .words = words, .word_count = item_count };
    if (!cli_begin(&call, verb, options, CLI_COUNT(options), argc, argv)) {
        return call.status;
    }
    if (list) {
        for (int i = 0; i < item_count; i++) {
            printf("%s\n", items[i].name);
        }
        return CLI_DONE;
    }
    if (size < 0 || size > 16 << 20) {
        return cli_usage("bench: --size is 1 to %d", 16 << 20);
    }
    const int chosen = cli_choose(&call, verb, argv);
    if (chosen < 0) {
        return CLI_USAGE;
    }
    const bench_item *item = &items[chosen];
    const char *const outputs[] = { page };
    if (cli_check_outputs(outputs, CLI_COUNT(outputs)) != CLI_DONE) {
        return CLI_FAILED;
    }
    bench *b = calloc(1, sizeof *b);
    if (!b) {
        am_error err = { .code = AM_ERR_MEMORY, .offset = -1 };
        return cli_fail(&err);
    }
    b->common = call.common;
    b->full = full;
    b->rounds = rounds;
    b->size = size;
    b->config = config;
    int status = item->run(b);
    if (status == CLI_DONE) {
        char machine[256];
        am_error err = { 0 };
        describe_machine(machine, sizeof machine);
        if (page && write_page(b, item->name, machine, page, &err) != AM_OK) {
            status = cli_fail(&err);
        } else if (call.common.json) {
            status = print_json(b, machine);
        } else {
            print_table(b, machine);
        }
    }
    free(b);
    return status;
}
