// amble strip: pictures of a run by the networks that ship, and clear words for what cannot be drawn.
#include "support/check.h"

static char text[1 << 16];

/// Emptied once, for all tests.
static const char *folder(void)
{
    static char path[1024];
    if (!path[0]) {
        snprintf(path, sizeof path, "%s", test_temp_dir("strip"));
    }
    return path;
}

/// Runs amble strip in a folder of its own; gives the exit status.
static int strip(const char *arguments)
{
    return test_shell(text, sizeof text, "cd '%s' && '%s' strip %s 2>&1", folder(), test_command(), arguments);
}

static char *read_picture(const char *name, size_t *size)
{
    char path[1200];
    snprintf(path, sizeof path, "%s/%s", folder(), name);
    return test_read_file(path, size);
}

static void a_run_becomes_a_png(void **state)
{
    (void)state;
    assert_int_equal(strip("keys -o a.png --from 1 --every 0.1 --count 3"), 0);
    size_t size = 0, again = 0;
    char *first = read_picture("a.png", &size);
    assert_true(size > 5000 && size < 150000);
    assert_memory_equal(first, "\x89PNG\r\n\x1A\n", 8);
    assert_memory_equal(first + size - 8, "IEND", 4);
    int width = (uint8_t)first[18] << 8 | (uint8_t)first[19];
    int height = (uint8_t)first[22] << 8 | (uint8_t)first[23];
    assert_true(width >= 400 && width <= 2000);
    assert_true(height >= 600 && height <= 2000);
    assert_int_equal(strip("keys -o b.png --from 1 --every 0.1 --count 3"), 0);
    char *second = read_picture("b.png", &again);
    assert_int_equal(size, again);
    assert_memory_equal(first, second, size);
    free(first);
    free(second);
}

/// Every tag is closed by its own end, none is left open.
static void check_nested(const char *svg)
{
    char open[16][16];
    int depth = 0;
    for (const char *at = strchr(svg, '<'); at; at = strchr(at + 1, '<')) {
        const char *end = strchr(at, '>');
        assert_non_null(end);
        size_t name = strcspn(at + 1 + (at[1] == '/'), " />");
        assert_true(name > 0 && name < 16);
        if (at[1] == '/') {
            assert_true(depth > 0);
            depth--;
            assert_int_equal(strlen(open[depth]), name);
            assert_memory_equal(open[depth], at + 2, name);
        } else if (end[-1] != '/') {
            assert_true(depth < 16);
            snprintf(open[depth++], 16, "%.*s", (int)name, at + 1);
        }
    }
    assert_int_equal(depth, 0);
}

static void a_run_becomes_an_svg(void **state)
{
    (void)state;
    assert_int_equal(strip("keys -o a.svg --count 2 --json"), 0);
    assert_non_null(strstr(text, "\"file\": \"a.svg\""));
    size_t size = 0;
    char *svg = read_picture("a.svg", &size);
    assert_memory_equal(svg, "<svg xmlns=", 11);
    check_nested(svg);
    assert_non_null(strstr(svg, ">keys, learned<"));
    assert_non_null(strstr(svg, ">0.20 s<"));
    assert_null(strstr(svg, "nan"));
    free(svg);
}

static void bad_words_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *arguments;
        int status;
        const char *says;
    } bad[] = {
        { "", 2, "one RUN.json" },
        { "keys", 2, "-o OUT.png" },
        { "keys turns_90 -o a.png", 2, "one RUN.json" },
        { "keys -o a.jpg", 2, ".png and .svg" },
        { "keys -o a.png --count 0", 2, "1 to 64" },
        { "keys -o a.png --count 65", 2, "1 to 64" },
        { "keys -o a.png --every 0", 2, "--every" },
        { "keys -o a.png --every nonsense", 2, "nonsense" },
        { "keys -o a.png --from=-1", 2, "--from" },
        { "keys -o a.png --form 1", 2, "--from" },
        { "keys -o nowhere/a.png", 1, "the folder nowhere does not exist" },
        { "none.json -o a.png", 1, "none.json" },
        { "keys -o a.png --from 20.5", 1, "0 to 20 s" },
        { "keys -o a.png --every 0.001", 1, "a frame every 0.0167 s" },
        { "turns_90 -o a.png --database none.amdb", 1, "none.amdb" },
        { "keys -o a.png --model none.amnet", 1, "none.amnet" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        int status = strip(bad[i].arguments);
        if (status != bad[i].status || !strstr(text, bad[i].says)) {
            fail_msg("strip %s: status %d, %s", bad[i].arguments, status, text);
        }
    }
}

TEST_SUITE(strip)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_becomes_a_png),
        cmocka_unit_test(a_run_becomes_an_svg),
        cmocka_unit_test(bad_words_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
