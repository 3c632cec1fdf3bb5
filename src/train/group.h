/// Groups of processes; mpi.c is left out where there is no MPI.
#ifndef AMI_TRAIN_GROUP_H
#define AMI_TRAIN_GROUP_H

#include <amble/train.h>

bool ami_mpi_begin(am_train_group *out);
void ami_mpi_end(void *user, bool failed);

#endif
