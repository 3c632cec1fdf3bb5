// Several processes by MPI: sums of gradients that run while further gradients are computed.
#include "train/group.h"

#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

enum { most_sums = 512 };

/// What is under way.
typedef struct job {
    MPI_Request requests[most_sums];
    int count;
} job;

static void fail(const char *what)
{
    fprintf(stderr, "amble: MPI cannot %s; the job ends, its last checkpoint stays\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void end_sums(void *user)
{
    job *j = user;
    if (MPI_Waitall(j->count, j->requests, MPI_STATUSES_IGNORE) != MPI_SUCCESS) {
        fail("sum the gradients");
    }
    j->count = 0;
}

static void begin_sum(void *user, float *x, size_t count)
{
    job *j = user;
    if (j->count == most_sums) {
        end_sums(j);
    }
    if (MPI_Iallreduce(MPI_IN_PLACE, x, (int)count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &j->requests[j->count]) !=
        MPI_SUCCESS) {
        fail("sum the gradients");
    }
    j->count++;
}

static double sum(void *user, double x)
{
    (void)user;
    double total = 0.0;
    if (MPI_Allreduce(&x, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD) != MPI_SUCCESS) {
        fail("sum the losses");
    }
    return total;
}

bool ami_mpi_begin(am_train_group *out)
{
    int level = 0;
    // Only one thread of the team calls MPI.
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS) {
        return false;
    }
    job *j = calloc(1, sizeof *j);
    *out = (am_train_group){ .user = j, .begin_sum = begin_sum, .end_sums = end_sums, .sum = sum };
    MPI_Comm_rank(MPI_COMM_WORLD, &out->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &out->size);
    if (!j) {
        fail("get memory");
    }
    return true;
}

void ami_mpi_end(void *user, bool failed)
{
    free(user);
    if (failed) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
}
