// amble info FILE: shows what is inside a motion, database, network or schema file.
#include "cli.h"
#include "network.h"
#include "samples.h"
#include "schema.h"

#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// Database

static int database_json(const am_db *db, bool verified)
{
    am_json_writer *writer = cli_json_begin(2);
    am_db_describe(writer, db);
    am_json_bool(writer, "verified", verified);
    return cli_json_end(writer);
}

static void database_text(const char *path, const am_db *db, bool verified)
{
    double seconds = (double)db->frame_count / (double)db->fps;
    printf("%s: database '%s', hash %016llx%s\n", path, db->name, (unsigned long long)db->hash,
           verified ? ", all checksums match" : "");
    printf("  %d frames at %g Hz (%.1f minutes) in %d ranges of %d clips\n", db->frame_count, (double)db->fps,
           seconds / 60.0, db->range_count, am_db_count_clips(db));
    printf("  %d joints, %d features (%d raw), %s precision, %.1f MB\n", db->joint_count, db->features.count,
           db->features.raw_count, db->precision == AM_PRECISION_COMPACT ? "compact" : "float",
           (double)db->image_size / 1e6);
    if (!db->facts) {
        printf("  the file has no facts and no index; build it again so that characters start faster\n");
    }
    int counts[AM_MAX_TAGS];
    am_db_count_tags(db, counts);
    for (int t = 0; t < db->tag_count; t++) {
        printf("  tag %-16s %8d frames (%.1f %%)\n", db->tag_names[t], counts[t],
               100.0 * counts[t] / (double)db->frame_count);
    }
    const am_schema *schema = db->features.schema;
    for (int c = 0; c < schema->channel_count; c++) {
        const am_channel *channel = &schema->channels[c];
        printf("  channel %-28s dims %3d to %3d, weight %g\n", channel->name, channel->first,
               channel->first + channel->dims - 1, (double)channel->weight);
    }
}

static int info_database(const char *path, bool verify, bool json)
{
    am_db *db = NULL;
    am_error err = { 0 };
    am_result result = am_db_open(&db, path, NULL, &err);
    result = result == AM_OK && verify ? am_db_verify(db, &err) : result;
    int status = CLI_DONE;
    if (result != AM_OK) {
        status = cli_fail_in(&err, path);
    } else if (json) {
        status = database_json(db, verify);
    } else {
        database_text(path, db, verify);
    }
    am_db_close(db);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Schema and config

/// Reads a schema, or the one that a config holds or names (relative to itself).
static am_result read_schema(am_schema *out, const char *path, bool named, am_error *err)
{
    am_json_doc *doc = NULL;
    am_result result = am_json_parse_file(&doc, path, NULL, err);
    if (result != AM_OK) {
        return result;
    }
    const am_json *root = am_json_root(doc);
    const am_json *features = root->type == AM_JSON_OBJECT ? am_json_get(root, "features") : NULL;
    if (!named && features && features->type == AM_JSON_STRING) {
        char beside[2048];
        am_path_beside(beside, sizeof beside, path, features->string);
        result = read_schema(out, beside, true, err);
    } else {
        result = am_schema_parse(out, doc, features && features->type == AM_JSON_OBJECT ? features : root, err);
    }
    am_json_free(doc);
    return result;
}

static int info_schema(const char *path, bool json)
{
    static am_schema schema; // too large for a small stack; this program shows one file
    am_error err = { 0 };
    if (read_schema(&schema, path, false, &err) != AM_OK) {
        return cli_fail(&err);
    }
    if (!json) {
        printf("%s: schema of %d features in %d channels\n", path, schema.raw_count, schema.channel_count);
        for (int d = 0; d < schema.raw_count; d++) {
            char name[128];
            am_schema_dim_name(&schema, d, name, sizeof name);
            printf("  %3d %s\n", d, name);
        }
        return CLI_DONE;
    }
    am_json_writer *writer = cli_json_begin(2);
    am_schema_describe(writer, &schema);
    return cli_json_end(writer);
}

// ---------------------------------------------------------------------------------------------
// Motion

static int motion_json(const am_clips *clips)
{
    am_json_writer *writer = cli_json_begin(2);
    am_clips_describe(writer, clips);
    return cli_json_end(writer);
}

static int info_motion(const char *path, bool json)
{
    am_clips clips = { 0 };
    am_error err = { 0 };
    am_read_def def = am_read_def_default();
    def.file = path;
    if (am_motion_read_file(&clips, path, &def, &err) != AM_OK) {
        return cli_fail(&err);
    }
    int status = CLI_DONE;
    if (json) {
        status = motion_json(&clips);
    } else {
        printf("%s: motion, %d clip%s\n", path, clips.count, clips.count == 1 ? "" : "s");
        for (int i = 0; i < clips.count; i++) {
            const am_clip *clip = clips.items[i];
            printf("  '%s': %d frames at %g Hz (%.2f s), %d joints (root '%s'), %d with translations\n", clip->name,
                   clip->frame_count, (double)clip->fps, (double)clip->frame_count / (double)clip->fps,
                   clip->skeleton->joint_count, clip->skeleton->names[0], clip->moving_count);
        }
    }
    am_clips_free(&clips);
    return status;
}

int verb_info(const cli_verb *verb, int argc, char **argv)
{
    bool verify = false, check = false;
    samples_call samples = { .count = 20, .seed = 1.0 };
    const cli_option options[] = {
        { "--verify", NULL, "also check every byte of a database or network", .flag = &verify },
        { "--check", NULL, "list all mistakes of a control schema instead", .flag = &check },
        { "--samples", "CONTROLS.json", "draw values for a control schema by these training controls",
          .text = &samples.controls },
        { "--database", "X.amdb", "the clips that --samples draws from", .text = &samples.database },
        { "-n", "N", "number of samples to list (default 20)", .integer = &samples.count },
        { "--seed", "N", "seed of the samples (default 1)", .number = &samples.seed },
    };
    cli_call call = { 0 };
    if (!cli_begin(&call, verb, options, CLI_COUNT(options), argc, argv)) {
        return call.status;
    }
    if (call.operands != 1) {
        return cli_usage("info needs one file; see amble info --help");
    }
    if (samples.controls) {
        return samples_info(argv[0], &samples, call.common.json);
    }
    if (samples.database) {
        return cli_usage("--database goes with --samples CONTROLS.json");
    }
    if (check || schema_is(argv[0])) {
        return schema_info(argv[0], check, call.common.json);
    }
    if (network_is(argv[0])) {
        return network_info(argv[0], verify, call.common.json);
    }
    if (cli_is_kind(argv[0], "AMDB", ".amdb")) {
        return info_database(argv[0], verify, call.common.json);
    }
    return cli_ends_with(argv[0], ".json") ? info_schema(argv[0], call.common.json)
                                           : info_motion(argv[0], call.common.json);
}
