/// From raw feature rows to stored ones: means and deviations, and the PCA basis.
#ifndef AMI_DB_SCALE_H
#define AMI_DB_SCALE_H

#include <amble/db.h>

/// offset, scale, weight (raw_count each) from rows of raw features. Sums run in double, in the order of the rows, so
/// that the numbers are the same everywhere.
am_result ami_scale_find(float *offset, float *scale, float *weight, const am_schema *schema, const float *rows,
                         size_t row_count, size_t row_stride, const am_alloc *alloc, am_error *err);

/// basis(keep, raw_count): the `keep` directions of largest variance of rows that are already scaled (so that their
/// mean is zero), by Jacobi rotations on the covariance in double. Each row's largest component is positive.
am_result ami_pca_find(float *basis, int keep, const float *rows, size_t row_count, size_t row_stride, int raw_count,
                       const am_alloc *alloc, am_error *err);

#endif
