// Fuzzes the GLB reader under limits; what was read is written and read again, to the same bits where possible.
#include "clips.h"

#include <math.h>

static void check_clip(const am_clip *clip)
{
    size_t rotations = (size_t)clip->frame_count * (size_t)clip->skeleton->joint_count;
    for (size_t i = 0; i < rotations; i++) {
        float square = am_quat_dot(clip->rotations[i], clip->rotations[i]);
        if (!(square > 0.99f) || !(square < 1.01f)) {
            abort(); // readers give unit rotations or refuse
        }
    }
    size_t translations = (size_t)clip->frame_count * (size_t)clip->moving_count;
    for (size_t i = 0; i < translations; i++) {
        am_vec3 at = clip->translations[i];
        if (!isfinite(at.x) || !isfinite(at.y) || !isfinite(at.z)) {
            abort();
        }
    }
}

static void write_again(const am_clips *clips, const am_alloc *alloc)
{
    am_clips again;
    am_result result = fuzz_write_again(&again, clips, alloc, am_glb_write, am_glb_read);
    if (result != AM_OK && result != AM_ERR_MEMORY && result != AM_ERR_NUMBER) {
        abort(); // what the writer writes, the reader reads, unless poses add up beyond floats
    }
    am_clips_free(&again);
}

static void check_clips(const am_clips *clips, const am_alloc *alloc)
{
    for (int i = 0; i < clips->count; i++) {
        check_clip(clips->items[i]);
    }
    write_again(clips, alloc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_clips(data, size, am_glb_read, check_clips);
    return 0;
}
