// Every function that allocates: the n-th allocation fails, the call says so, and nothing is left behind.
#include "support/motion.h"
#include "support/refuse.h"

typedef am_result (*operation)(const am_clip *clip, const am_alloc *alloc, am_error *err);

/// One of them on its clip, for refuse_allocations.
typedef struct task {
    operation run;
    const am_clip *clip;
} task;

static am_result do_task(void *user, const am_alloc *alloc)
{
    const task *t = user;
    am_error err = { 0 };
    return refuse_checked(t->run(t->clip, alloc, &err), &err);
}

static void fail_each(const am_clip *clip, const char *what, operation run, int at_least)
{
    task t = { run, clip };
    int failed = refuse_allocations(do_task, &t);
    if (failed < at_least) {
        fail_msg("%s made %d allocations, fewer than %d", what, failed, at_least);
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

TEST_SUITE(memory)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
