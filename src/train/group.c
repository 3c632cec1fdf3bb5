// Detects whether this program is one of several processes started by mpirun.
#include "train/group.h"

#include <stdlib.h>
#include <string.h>

bool am_train_mpi(am_train_group *out)
{
    memset(out, 0, sizeof *out);
    out->size = 1;
#if defined(AMI_HAS_MPI)
    // Variables that Open MPI, MPICH and Slurm set; without any of them MPI is not started.
    static const char *const marks[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK" };
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        if (getenv(marks[i])) {
            return ami_mpi_begin(out);
        }
    }
#endif
    return false;
}

void am_train_mpi_end(am_train_group *group, bool failed)
{
#if defined(AMI_HAS_MPI)
    if (group->user) {
        ami_mpi_end(group->user, failed);
    }
#else
    (void)failed;
#endif
    group->user = NULL;
}
