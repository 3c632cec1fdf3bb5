// The few functions of libamble that the page of wasm.test.mjs calls, with plain arguments.
#include <amble/tools/tools.h>

#include <stdio.h>
#include <stdlib.h>

// What is loaded; the page is one thread.
static am_clips clips;
static am_bytes written;
static am_error last_error;

void *test_alloc(int size);
void test_free(void *block);
int test_read(const uint8_t *data, int size, int kind, const char *name);
const char *test_error(void);
int test_frames(int clip);
int test_joints(int clip);
const char *test_hash(int clip);
int test_write_glb(void);
const uint8_t *test_written(void);
void test_clear(void);

void *test_alloc(int size) { return malloc((size_t)size); }
void test_free(void *block) { free(block); }

static am_result read_bvh(const uint8_t *data, size_t size, const am_read_def *def)
{
    am_clip **items = calloc(1, sizeof *items);
    am_result result = items ? am_bvh_read(items, data, size, def, &last_error) : AM_ERR_MEMORY;
    if (result != AM_OK) {
        free(items);
        return result;
    }
    clips.items = items;
    clips.count = 1;
    return AM_OK;
}

/// Number of clips, or minus the error code. kind: 0 BVH, 1 GLB, 2 NPZ.
int test_read(const uint8_t *data, int size, int kind, const char *name)
{
    am_read_def def = am_read_def_default();
    def.file = name;
    am_result result;
    if (kind == 0) {
        result = read_bvh(data, (size_t)size, &def);
    } else {
        result = kind == 1 ? am_glb_read(&clips, data, (size_t)size, &def, &last_error)
                           : am_npz_read(&clips, data, (size_t)size, &def, &last_error);
    }
    return result == AM_OK ? clips.count : -(int)result;
}

const char *test_error(void)
{
    static char text[1024];
    am_error_format(&last_error, text, sizeof text);
    return text;
}

int test_frames(int clip) { return clips.items[clip]->frame_count; }
int test_joints(int clip) { return clips.items[clip]->skeleton->joint_count; }

const char *test_hash(int clip)
{
    static char text[24];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)am_clip_hash(clips.items[clip]));
    return text;
}

/// Writes all clips as GLB; gives the number of bytes, 0 when it failed.
int test_write_glb(void)
{
    am_write_def def = am_write_def_default();
    am_bytes_free(&written);
    am_result result = am_glb_write(&written, (const am_clip *const *)clips.items, clips.count, &def, &last_error);
    return result == AM_OK ? (int)written.size : 0;
}

const uint8_t *test_written(void) { return written.data; }

void test_clear(void)
{
    for (int i = 0; i < clips.count; i++) {
        am_clip_destroy(clips.items[i]);
    }
    free(clips.items); // the default allocator is malloc and free
    clips = (am_clips){ 0 };
    am_bytes_free(&written);
}
