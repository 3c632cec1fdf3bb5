/// Clips for tests: generated, or read from the real data.
#ifndef AMBLE_TEST_MOTION_H
#define AMBLE_TEST_MOTION_H

#include "support/check.h"

/// A random tree of joints that turns smoothly and whose root travels; the test frees it.
am_clip *test_random_clip(uint64_t seed, int joints, int frames, float fps);
/// A biped of 23 joints with CMU's names and both toes, which walks on the spot; the test frees it.
am_clip *test_walker(int frames);
/// A BVH file in metres; fails the test when it cannot be read. CMU files: unit 0.0564444, ACCAD: 0.01.
am_clip *test_load(const char *path, float unit_m);
/// The first `capacity` BVH files of a folder in name order: full paths, which the test frees with free().
int test_list(char **paths, int capacity, const char *folder);
/// Roles by the names that CMU and ACCAD share.
am_roles test_roles(const am_skeleton *skeleton);
/// Model-space position of a joint.
am_vec3 test_position(const am_clip *clip, int frame, int joint);

#define TEST_CMU_UNIT 0.0564444f
#define TEST_ACCAD_UNIT 0.01f

/// A writer of clips, am_glb_write or the like: each of its allocations fails once, it says so and nothing is left.
typedef am_result (*test_writer)(am_bytes *out, const am_clip *const *clips, int count, const am_write_def *def,
                                 am_error *err);
void test_failing_writer(test_writer write);

#endif
