/// Facts about motion, measured once: by `amble build` for a database, by training for a network.
#ifndef AMI_DATA_FACTS_H
#define AMI_DATA_FACTS_H

#include <amble/base.h>

typedef struct am_facts am_facts;
/// Facts about the frames of a database, or about the motion that a network was trained on. These 256 bytes are also
/// the section `fact` of a database and the attachment `facts` of a network. Lengths in metres, speeds in metres a
/// second.
struct am_facts {
    uint32_t version;                      ///< AMI_FACTS_VERSION
    uint32_t activities;                   ///< 1 << am_activity for each that the data have frames for
    uint64_t data_hash;                    ///< network: hash of the database that was measured. Database: 0
    float hip_m;                           ///< median height of the hips in ordinary movement
    float creep_hip_m;                     ///< the same when creeping, 0 without
    float creep_mps;                       ///< median speed when creeping, 0 without
    float jump_rise_m;                     ///< how far the hips rise in the median jump, 0 without
    float toe_m, heel_m;                   ///< the floor: height of toes and heels that stand on it, 1st percentiles
    float walk_mps, sprint_mps, sneak_mps; ///< am_intent_def
    float v_max, v_least, v_run, lateral, faster_mps2, slower_mps2; ///< ami_path_limits
    /// Network: distance of a query from its projection beyond which it lies outside the data, in stored features.
    float far;
    /// Network: am_db_measures. Database: 0.
    float foot_slide_cm, skate_share, jitter_cm, penetration_cm, joint_travel_cm, bend_p999_cm;
    float old_floor_m[2];   ///< the floor as earlier versions measured it; not read
    int32_t standing_frame; ///< database: the offered frame nearest to standing. Network: 0
    uint8_t reserved[140];  ///< zero
};
#define AMI_FACTS_VERSION 1u

#endif
