// Control schemas in the command: `amble info` prints the encoder of one, or lists its mistakes.
#include "schema.h"

#include <stdio.h>
#include <string.h>

bool schema_is(const char *path)
{
    am_json_doc *doc = NULL;
    am_error err = { 0 };
    bool control = cli_ends_with(path, ".json") && am_json_parse_file(&doc, path, NULL, &err) == AM_OK &&
                   am_json_get(am_json_root(doc), "control") != NULL;
    am_json_free(doc);
    return control;
}

// ---------------------------------------------------------------------------------------------
// The encoder

static void print_part(void *user, const am_control_part *part)
{
    (void)user;
    if (part->repeated) {
        return;
    }
    char name[80], parameters[24] = "-";
    snprintf(name, sizeof name, "%*s%s%s%s", 2 * part->depth, "", part->label, part->label[0] ? ": " : "",
             part->operator_name);
    if (part->parameters) {
        snprintf(parameters, sizeof parameters, "%lld", (long long)part->parameters);
    }
    printf("  %-36s %6d %6d %6d %10s%s%s\n", name, part->value, part->vector, part->width, parameters,
           part->detail[0] ? "  " : "", part->detail);
}

static int print_schema(const char *path, const am_control_schema *schema, bool json)
{
    if (json) {
        am_json_writer *writer = cli_json_begin(2);
        am_control_schema_describe(writer, schema);
        return cli_json_end(writer);
    }
    printf("%s: control schema '%s', an encoder of %lld parameters\n", path, am_control_schema_name(schema),
           (long long)am_control_schema_parameters(schema));
    printf("  %-36s %6s %6s %6s %10s\n", "part", "value", "vector", "width", "parameters");
    am_control_schema_walk(schema, print_part, NULL);
    return CLI_DONE;
}

// ---------------------------------------------------------------------------------------------
// Mistakes

static void list_mistake(void *user, const am_error *err)
{
    am_json_writer *writer = user;
    if (!writer) {
        cli_fail(err);
        return;
    }
    am_json_begin_object(writer, NULL);
    am_json_integer(writer, "line", err->line);
    am_json_integer(writer, "column", err->column);
    am_json_string(writer, "text", err->text);
    am_json_end_object(writer);
}

static int check_schema(const char *path, const char *text, size_t size, bool json)
{
    am_json_writer *writer = json ? cli_json_begin(2) : NULL;
    if (writer) {
        am_json_string(writer, "kind", "control");
        am_json_begin_array(writer, "mistakes");
    }
    int count = am_control_schema_check(text, size, path, list_mistake, writer);
    if (writer) {
        am_json_end_array(writer);
    }
    int printed = writer ? cli_json_end(writer) : CLI_DONE;
    if (count < 0) {
        return cli_stop(path, "there is not enough memory to check it");
    }
    if (!json && count == 0) {
        printf("%s: no mistakes\n", path);
    }
    return count > 0 ? CLI_FAILED : printed;
}

int schema_info(const char *path, bool check, bool json)
{
    am_file file;
    am_error err = { 0 };
    if (am_file_open(&file, path, &err) != AM_OK) {
        return cli_fail(&err);
    }
    const char *text = (const char *)file.data;
    int status = CLI_DONE;
    if (check) {
        status = check_schema(path, text, file.size, json);
    } else {
        am_control_schema *schema = NULL;
        am_result result = am_control_schema_read(&schema, text, file.size, path, NULL, &err);
        status = result == AM_OK ? print_schema(path, schema, json) : cli_fail(&err);
        am_control_schema_destroy(schema);
    }
    am_file_close(&file);
    return status;
}
