// Samples of training controls in the command: amble info SCHEMA --samples CONTROLS.json --database X.amdb.
#include "samples.h"
#include "database.h"

#include <stdio.h>

/// The line that makes the first sample's clip a file to look at.
static void print_hint(const am_control_samples *samples, const char *database)
{
    am_control_sample first;
    if (am_control_samples_get(samples, 0, &first)) {
        printf("\nTo see sample 1: amble export %s --clip %s --from %.2f --to %.2f -o sample.bvh\n", database,
               first.clip, (double)first.earliest_s, (double)first.latest_s);
        printf("To take a clip out: \"exclude\": [\"%s\"] beside \"frames\", or {\"clip\": ..., \"first\": ..., "
               "\"last\": ...} "
               "with frames of the file.\n",
               first.clip);
    }
}

static int print_samples(const am_control_samples *samples, const char *database, bool json)
{
    if (json) {
        am_json_writer *writer = cli_json_begin(2);
        am_control_samples_describe(writer, samples);
        return cli_json_end(writer);
    }
    am_bytes text = { 0 };
    am_error err = { 0 };
    if (am_control_samples_print(&text, samples, &err) != AM_OK) {
        return cli_fail(&err);
    }
    fwrite(text.data, 1, text.size, stdout);
    am_bytes_free(&text);
    print_hint(samples, database);
    return CLI_DONE;
}

/// Everything that samples are of.
typedef struct sampled {
    am_file schema_file, controls_file;
    am_control_schema *schema;
    am_db *db;
    am_control_samples *samples;
} sampled;

static am_result open_sampled(sampled *s, const char *path, const samples_call *options, am_error *err)
{
    am_result result = am_file_open(&s->schema_file, path, err);
    if (result == AM_OK) {
        result = am_control_schema_read(&s->schema, (const char *)s->schema_file.data, s->schema_file.size, path,
                                        NULL, err);
    }
    result = result == AM_OK ? am_file_open(&s->controls_file, options->controls, err) : result;
    if (result == AM_OK) {
        result = am_db_open(&s->db, options->database, NULL, err);
        if (result != AM_OK) {
            cli_database_advise(err, options->database, "");
        }
    }
    if (result != AM_OK) {
        return result;
    }
    am_control_samples_def def;
    am_control_samples_def_init(&def);
    def.schema = s->schema;
    def.db = s->db;
    def.controls = (const char *)s->controls_file.data;
    def.controls_size = s->controls_file.size;
    def.file = options->controls;
    def.count = options->count;
    def.seed = (uint64_t)options->seed;
    return am_control_samples_create(&s->samples, &def, err);
}

int samples_info(const char *path, const samples_call *options, bool json)
{
    if (!options->database) {
        return cli_usage("--samples needs --database X.amdb: the clips that controls are drawn from");
    }
    if (options->count < 0 || options->count > 1000 ||
        !(options->seed >= 0.0 && options->seed < 9007199254740992.0)) {
        return cli_usage("-n is 0 to 1000 samples, --seed a whole number from 0 on");
    }
    sampled s = { 0 };
    am_error err = { 0 };
    int status = open_sampled(&s, path, options, &err) == AM_OK ? print_samples(s.samples, options->database, json)
                                                                : cli_fail(&err);
    am_control_samples_destroy(s.samples);
    am_db_close(s.db);
    am_control_schema_destroy(s.schema);
    am_file_close(&s.controls_file);
    am_file_close(&s.schema_file);
    return status;
}
