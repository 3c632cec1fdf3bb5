/// Frames of a database in which a trained character can begin, and facts about the whole of it.
#ifndef AMI_TRAIN_STARTS_H
#define AMI_TRAIN_STARTS_H

#include <amble/db.h>

#include "data/facts.h"

enum { AMI_MOST_STARTS = 8 };

typedef struct ami_starts {
    const am_db *db;
    am_facts facts; ///< without `far`
    int frames[AMI_MOST_STARTS];
    const char *names[AMI_MOST_STARTS]; ///< "stand", "walk", ...: what the database has of them
    int count;                          ///< at least 1: one that stands
} ami_starts;
am_result ami_starts_find(ami_starts *starts, const am_db *db, const am_alloc *alloc, am_error *err);

#endif
