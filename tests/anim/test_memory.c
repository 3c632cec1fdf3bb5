// Every function that allocates: the n-th allocation fails, the call says so, and nothing is left behind.
#include "support/motion.h"

typedef am_result (*operation)(const am_clip *clip, const am_alloc *alloc, am_error *err);

/// Runs an operation with every allocation failing in turn, until it succeeds.
static void fail_each(const am_clip *clip, const char *what, operation run, int at_least)
{
    for (size_t n = 1;; n++) {
        am_budget budget = am_budget_make(NULL);
        budget.fail_at = n;
        am_alloc alloc = am_budget_alloc(&budget);
        am_error err = { 0 };
        am_result result = run(clip, &alloc, &err);
        assert_int_equal(budget.live_count, 0);
        assert_int_equal(budget.live_bytes, 0);
        if (result == AM_OK) {
            if ((int)n <= at_least) {
                fail_msg("%s made %d allocations, fewer than %d", what, (int)n - 1, at_least);
            }
            return;
        }
        check_refused(result, AM_ERR_MEMORY);
        check_refused(err.code, AM_ERR_MEMORY);
    }
}

static am_result finish(am_result result, am_clip *const *made)
{
    assert_true((result == AM_OK) == (*made != NULL));
    am_clip_destroy(*made);
    return result;
}

static am_result convert(const am_clip *clip, const am_alloc *alloc, am_error *err)
{
    am_clip *made = NULL;
    return finish(am_clip_convert(&made, clip, 2.0f, am_quat_identity(), 0.0f, alloc, err), &made);
}

static am_result reroot(const am_clip *clip, const am_alloc *alloc, am_error *err)
{
    am_clip *made = NULL;
    return finish(am_clip_reroot(&made, clip, 9, alloc, err), &made);
}

static am_result set_rest(const am_clip *clip, const am_alloc *alloc, am_error *err)
{
    am_clip *made = NULL;
    return finish(am_clip_set_rest(&made, clip, clip->rotations, alloc, err), &made);
}

static am_result trim(const am_clip *clip, const am_alloc *alloc, am_error *err)
{
    am_clip *made = NULL;
    return finish(am_clip_trim(&made, clip, 2, 5, alloc, err), &made);
}

static am_result resample(const am_clip *clip, const am_alloc *alloc, am_error *err)
{
    am_clip *made = NULL;
    return finish(am_clip_resample(&made, clip, 50.0f, alloc, err), &made);
}

static am_result mirror(const am_clip *clip, const am_alloc *alloc, am_error *err)
{
    int16_t map[64];
    am_clip *made = NULL;
    am_mirror_map(map, clip->skeleton);
    return finish(am_clip_mirror(&made, clip, map, alloc, err), &made);
}

static am_result symmetric(const am_clip *clip, const am_alloc *alloc, am_error *err)
{
    int16_t map[64];
    am_clip *made = NULL;
    am_mirror_map(map, clip->skeleton);
    return finish(am_skeleton_symmetric(&made, clip, map, alloc, err), &made);
}

static am_result root(const am_clip *clip, const am_alloc *alloc, am_error *err)
{
    am_vec3 positions[64];
    am_quat rotations[64];
    am_roles roles = test_roles(clip->skeleton);
    am_root_def def = am_root_def_default();
    return am_root_track(positions, rotations, clip, &roles, &def, alloc, err);
}

static am_result contacts(const am_clip *clip, const am_alloc *alloc, am_error *err)
{
    uint8_t out[64];
    am_roles roles = test_roles(clip->skeleton);
    am_contact_def def = am_contact_def_default();
    return am_contacts_find(out, clip, &roles, &def, alloc, err);
}

static am_result retarget(const am_clip *clip, const am_alloc *alloc, am_error *err)
{
    am_roles roles = test_roles(clip->skeleton);
    am_retarget_def def = am_retarget_def_default();
    def.reference = clip->skeleton;
    def.reference_roles = &roles;
    def.roles = &roles;
    am_clip *made = NULL;
    return finish(am_clip_retarget(&made, clip, &def, alloc, err), &made);
}

static void every_operation_survives_every_failed_allocation(void **state)
{
    (void)state;
    am_clip *clip = test_walker(64);
    fail_each(clip, "convert", convert, 1);
    fail_each(clip, "reroot", reroot, 3);
    fail_each(clip, "set_rest", set_rest, 1);
    fail_each(clip, "trim", trim, 1);
    fail_each(clip, "resample", resample, 1);
    fail_each(clip, "mirror", mirror, 2);
    fail_each(clip, "symmetric", symmetric, 2);
    fail_each(clip, "root", root, 4);
    fail_each(clip, "contacts", contacts, 2);
    fail_each(clip, "retarget", retarget, 7);
    am_clip_destroy(clip);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
