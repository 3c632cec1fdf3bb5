// The thorough check: the checksum of every section, and that poses and features are finite.
#include "data/format.h"

#include "base/error.h"

static am_result check_finite(const am_db *db, const float *values, size_t count, const char *what, am_error *err)
{
    for (size_t i = 0; i < count; i++) {
        if (!(values[i] - values[i] == 0.0f)) {
            const uint8_t *at = (const uint8_t *)&values[i];
            return ami_fail_at(err, AM_ERR_NUMBER, NULL, at - (const uint8_t *)db->image,
                               "section '%s' holds a number that is not finite; build the database again", what);
        }
    }
    return AM_OK;
}

static am_result check_numbers(const am_db *db, am_error *err)
{
    size_t frames = (size_t)db->frame_count;
    size_t x = frames * (size_t)db->features.stride;
    am_result result = check_finite(db, &db->root_positions[0].x, frames * 3, "rpos", err);
    result = result == AM_OK ? check_finite(db, &db->root_rotations[0].x, frames * 4, "rrot", err) : result;
    result = result == AM_OK ? check_finite(db, db->x, x, "feat", err) : result;
    if (result == AM_OK && db->rotations) {
        result = check_finite(db, &db->rotations[0].x, frames * (size_t)db->joint_count * 4, "rota", err);
    }
    if (result == AM_OK && db->translations) {
        result = check_finite(db, &db->translations[0].x, frames * (size_t)db->moving_count * 3, "tran", err);
    }
    if (result == AM_OK && db->z) {
        result = check_finite(db, db->z, frames * (size_t)db->latent_count, "late", err);
    }
    return result;
}

am_result am_db_verify(const am_db *db, am_error *err)
{
    am_result result = ami_container_verify(db->image, ami_db_kind.make, err);
    return result == AM_OK ? check_numbers(db, err) : result;
}
