// Networks as lines of text: those that ship have their parts, layers, value functions and measurements.
#include "support/check.h"

#include <amble/tools/describe.h>

static char text[1 << 16];

static void print(const char *name)
{
    char path[600];
    am_model *model = NULL;
    am_error err = { 0 };
    snprintf(path, sizeof path, AMBLE_SOURCE_DIR "/models/%s", name);
    check_ok(am_model_open(&model, path, NULL, &err), &err);
    snprintf(path, sizeof path, "%s/text.txt", test_temp_dir("report.print"));
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    am_model_print(file, model);
    fclose(file);
    am_model_close(model);
    char *printed = test_read_file(path, NULL);
    snprintf(text, sizeof text, "%s", printed);
    free(printed);
}

static void parts_are_listed_with_their_layers(void **state)
{
    (void)state;
    print("locomotion.amnet");
    static const char *const lines[] = {
        "  part 'decompressor': 182565 parameters, fp16, ",
        "    output error against fp32 on ",
        "    input z: 32\n",
        "      3 relu         -> 512\n",
        "  part 'projector': ",
        "  belongs to database ",
        "  measured on '",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        if (!strstr(text, lines[i])) {
            fail_msg("'%s' is missing in: %s", lines[i], text);
        }
    }
}

static void value_functions_are_listed_with_their_task(void **state)
{
    (void)state;
    print("fields_page.amnet");
    assert_non_null(strstr(text, "  part 'value' of task direction: "));
    assert_non_null(strstr(text, "sweeps\n"));
}

TEST_SUITE(print)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_listed_with_their_layers),
        cmocka_unit_test(value_functions_are_listed_with_their_task),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
