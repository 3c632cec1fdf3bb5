// Builds that fail: memory that runs out, a user who cancels, clips that are missing.
#include "support/folder.h"
#include "support/refuse.h"
#include "base/budget.h"

static am_result build_with(void *user, const am_alloc *alloc)
{
    am_build_def def = am_build_def_default();
    def.alloc = alloc;
    def.config_path = user;
    am_db *db = NULL;
    am_build_summary summary;
    am_error err = { 0 };
    am_result result = am_build(&db, &summary, &def, &err);
    if (result == AM_OK) {
        am_build_summary_free(&summary);
    }
    am_db_close(db);
    return refuse_checked(result, &err);
}

static void a_build_survives_every_failed_allocation(void **state)
{
    (void)state;
    const char *folder =
        make_folder("build_memory", "{\"clips\": {\"folders\": [\"clips\"], \"include\": [\"run\"]}, "
                                    "\"mirror\": true, \"tags\": \"t.csv\", " FEATURES "}");
    char path[1200];
    snprintf(path, sizeof path, "%s/t.csv", folder);
    write_text(path, "run, quick, 0, 10\n");
    snprintf(path, sizeof path, "%s/config.json", folder);
    assert_true(refuse_allocations(build_with, path) > 20);
}

static bool stop_later(void *user, const char *stage, int64_t done, int64_t total)
{
    (void)stage;
    (void)done;
    (void)total;
    return --*(int *)user > 0;
}

static void a_cancelled_build_leaves_nothing(void **state)
{
    (void)state;
    const char *folder =
        make_folder("build_cancel", "{\"clips\": {\"folders\": [\"clips\"]}, \"mirror\": true, " FEATURES "}");
    char path[1200];
    snprintf(path, sizeof path, "%s/config.json", folder);
    for (int calls = 1; calls < 12; calls += 2) {
        int left = calls;
        ami_budget budget = ami_budget_make(NULL);
        am_alloc alloc = ami_budget_alloc(&budget);
        am_progress progress = { &left, stop_later };
        am_build_def def = am_build_def_default();
        def.alloc = &alloc;
        def.config_path = path;
        def.progress = &progress;
        am_db *db = NULL;
        am_error err = { 0 };
        check_refused(am_build(&db, NULL, &def, &err), AM_ERR_CANCELLED);
        assert_int_equal(budget.live_count, 0);
    }
}

static void builds_without_clips_or_reference_are_refused(void **state)
{
    (void)state;
    const char *folder =
        make_folder("build_none", "{\"clips\": {\"folders\": [\"clips\"], \"include\": [\"x\"]}, " FEATURES "}");
    char path[1200];
    am_db *db = NULL;
    am_error err = { 0 };
    check_refused(build(&db, NULL, folder, &err), AM_ERR_EMPTY);
    snprintf(path, sizeof path, "%s/config.json", folder);
    write_text(path, "{\"clips\": {\"folders\": [\"clips\"]}, \"reference\": \"nobody\", " FEATURES "}");
    check_refused(build(&db, NULL, folder, &err), AM_ERR_KEY);
    write_text(path, "{\"clips\": {\"folders\": [\"elsewhere\"]}, " FEATURES "}");
    check_refused(build(&db, NULL, folder, &err), AM_ERR_OPEN);
    write_text(path, "{\"tags\": \"none.csv\", \"clips\": {\"folders\": [\"clips\"]}, " FEATURES "}");
    check_refused(build(&db, NULL, folder, &err), AM_ERR_OPEN);
    am_build_def def = am_build_def_default();
    check_refused(am_build(&db, NULL, &def, &err), AM_ERR_DEF);
}

TEST_SUITE(build_refuse)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_build_survives_every_failed_allocation),
        cmocka_unit_test(a_cancelled_build_leaves_nothing),
        cmocka_unit_test(builds_without_clips_or_reference_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
