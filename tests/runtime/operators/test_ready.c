// The ready schemas of configs/schemas.
#include "runtime/operators/support.h"

static const char *const behaviours[] = { "uncontrolled", "trajectory", "path", "velocity", "target",
                                          "styled",       "jump",       "sit",  "pick_up" };
enum { behaviour_count = sizeof behaviours / sizeof behaviours[0] };

static am_control_schema *ready(const char *name)
{
    char path[600];
    size_t size = 0;
    snprintf(path, sizeof path, "%s/configs/schemas/%s.json", AMBLE_SOURCE_DIR, name);
    char *text = test_read_file(path, &size);
    am_control_schema *schema = NULL;
    am_error err = { 0 };
    check_ok(am_control_schema_read(&schema, text, size, path, NULL, &err), &err);
    assert_string_equal(schema->name, name);
    free(text);
    return schema;
}

/// Same operators with the same parameters and names, however they lie.
static void check_alike(const am_control_schema *a, int i, const am_control_schema *b, int j)
{
    const ami_control_node *x = &a->nodes[i], *y = &b->nodes[j];
    assert_string_equal(x->word, y->word);
    assert_true(x->kind == y->kind && x->count == y->count && x->most == y->most && x->width == y->width);
    assert_true(x->value_count == y->value_count && x->out == y->out && x->name_count == y->name_count);
    for (int k = 0; k < x->name_count; k++) {
        assert_string_equal(x->names[k], y->names[k]);
    }
    for (int k = 0; k < x->count; k++) {
        assert_string_equal(a->nodes[x->first + k].name, b->nodes[y->first + k].name);
        check_alike(a, x->first + k, b, y->first + k);
    }
}

static void all_behaviours_are_the_branches_of_one_schema(void **state)
{
    (void)state;
    am_control_schema *all = ready("all");
    assert_int_equal(all->nodes[0].count, behaviour_count);
    for (int i = 0; i < behaviour_count; i++) {
        am_control_schema *one = ready(behaviours[i]);
        assert_string_equal(all->nodes[all->nodes[0].first + i].name, behaviours[i]);
        check_alike(one, 0, all, all->nodes[0].first + i);
        am_control_schema_destroy(one);
    }
    am_control_schema_destroy(all);
}

/// Every tag of the styles' clips is a style, and every style is one of them.
static void styles_are_the_tags_of_their_clips(void **state)
{
    (void)state;
    char *sheet = test_read_file(AMBLE_SOURCE_DIR "/configs/tags/styles.csv", NULL);
    am_control_schema *styled = ready("styled");
    int place = 0, found[AMI_CONTROL_MOST_NAMES] = { 0 };
    int node = ami_control_find(styled, "style", &place, NULL);
    assert_true(node >= 0);
    const ami_control_node *style = &styled->nodes[node];
    for (char *line = strtok(sheet, "\n"); line; line = strtok(NULL, "\n")) {
        char tag[64];
        if (sscanf(line, "%*[0-9_], %63[a-z_]", tag) != 1) {
            continue; // a comment, or the titles
        }
        int i = 0;
        while (i < style->name_count && strcmp(style->names[i], tag) != 0) {
            i++;
        }
        if (i == style->name_count) {
            fail_msg("'%s' is no style of configs/schemas/styled.json", tag);
        }
        found[i]++;
    }
    for (int i = 0; i < style->name_count; i++) {
        if (!found[i]) {
            fail_msg("no clip has the style '%s'", style->names[i]);
        }
    }
    free(sheet);
    am_control_schema_destroy(styled);
}

TEST_SUITE(ready)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_behaviours_are_the_branches_of_one_schema),
        cmocka_unit_test(styles_are_the_tags_of_their_clips),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
