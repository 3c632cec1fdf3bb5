/// What an actor has to show, by value: for the tools, the lab and the tests. Bindings and apps use am_actor_get_*.
#ifndef AMI_ACTOR_GET_H
#define AMI_ACTOR_GET_H

#include <amble/actor.h>

static inline am_actor_pose ami_pose_of(const am_actor *actor)
{
    am_actor_pose out;
    am_actor_get_pose(actor, &out);
    return out;
}
static inline am_actor_view ami_view_of(const am_actor *actor)
{
    am_actor_view out;
    am_actor_get_view(actor, &out);
    return out;
}
static inline am_path_view ami_path_of(const am_actor *actor)
{
    am_path_view out;
    am_actor_get_path(actor, &out);
    return out;
}
static inline am_push_view ami_push_of(const am_actor *actor)
{
    am_push_view out;
    am_actor_get_push(actor, &out);
    return out;
}
static inline am_actor_facts ami_facts_of(const am_actor *actor)
{
    am_actor_facts out;
    am_actor_get_facts(actor, &out);
    return out;
}

#endif
