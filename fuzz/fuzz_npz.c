// Fuzzes the NPZ reader (zip, deflate, .npy) under limits; what was read is written and comes back with the same
// bits.
//
// Checksums stop most damage at the door, so the first byte chooses: 1 wraps arrays (name, length, bytes; repeated)
// into an archive that is in order, 2 goes straight to inflate, anything else is read as the archive it is.
#include "clips.h"

#include "base/bytes.h"
#include "formats/zip.h"

static void write_again(const am_clips *clips, const am_alloc *alloc)
{
    am_clips again;
    am_result result = fuzz_write_again(&again, clips, alloc, am_npz_write, am_npz_read);
    if (result != AM_OK && result != AM_ERR_MEMORY) {
        abort(); // what the writer writes, the reader reads
    }
    for (int i = 0; result == AM_OK && i < clips->count; i++) {
        size_t rotations = (size_t)clips->items[i]->frame_count * (size_t)clips->items[i]->skeleton->joint_count;
        if (again.items[i]->frame_count != clips->items[i]->frame_count ||
            (rotations &&
             memcmp(again.items[i]->rotations, clips->items[i]->rotations, rotations * sizeof(am_quat)) != 0)) {
            abort();
        }
    }
    am_clips_free(&again);
}

static void wrap_arrays(const uint8_t *data, size_t size)
{
    static const char *const names[] = { "rotations.npy",   "positions.npy",   "parents.npy",    "names.npy",
                                         "offsets.npy",     "rests.npy",       "fps.npy",        "range_starts.npy",
                                         "range_stops.npy", "range_names.npy", "end_joints.npy", "end_offsets.npy" };
    ami_reader in = ami_reader_make(data, size);
    ami_zip_writer zip = { .out = ami_bytes_make(NULL) };
    while (zip.count < AMI_ZIP_MOST) {
        unsigned name = ami_read_u8(&in);
        size_t length = ami_read_u16(&in);
        size_t left = in.size - in.at;
        am_bytes body = { .size = length < left ? length : left };
        const uint8_t *from = ami_read_bytes(&in, body.size);
        if (!from) {
            break;
        }
        body.data = (uint8_t *)(uintptr_t)from; // only read
        ami_zip_add(&zip, names[name % (sizeof names / sizeof names[0])], &body);
    }
    if (ami_zip_end(&zip)) {
        fuzz_clips(zip.out.data, zip.out.size, am_npz_read, write_again);
    }
    am_bytes_free(&zip.out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 3 && data[0] == 1) {
        wrap_arrays(data + 1, size - 1);
    } else if (size > 3 && data[0] == 2) {
        size_t room = (size_t)data[1] << 8 | data[2];
        uint8_t *out = malloc(room + 1);
        am_error err = { 0 };
        ami_inflate(out, room, data + 3, size - 3, &err);
        free(out);
    } else {
        fuzz_clips(data, size, am_npz_read, write_again);
    }
    return 0;
}
