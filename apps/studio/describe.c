// What is open in JSON for the page: the skeleton with its roles, what things are called, and methods.
#include "describe.h"

static void put_vec3(am_json_writer *w, const char *key, am_vec3 v)
{
    am_json_begin_array(w, key);
    am_json_number(w, NULL, (double)v.x);
    am_json_number(w, NULL, (double)v.y);
    am_json_number(w, NULL, (double)v.z);
    am_json_end_array(w);
}

void web_describe_skeleton(am_json_writer *w, const am_db *db)
{
    const am_skeleton *s = db->skeleton;
    am_json_begin_array(w, "joints");
    for (int j = 0; j < s->joint_count; j++) {
        am_json_begin_object(w, NULL);
        am_json_string(w, "name", s->names[j]);
        am_json_integer(w, "parent", s->parents[j]);
        put_vec3(w, "offset", s->offsets[j]);
        am_quat q = s->rests[j];
        am_json_begin_array(w, "rest");
        am_json_number(w, NULL, (double)q.x);
        am_json_number(w, NULL, (double)q.y);
        am_json_number(w, NULL, (double)q.z);
        am_json_number(w, NULL, (double)q.w);
        am_json_end_array(w);
        am_json_end_object(w);
    }
    am_json_end_array(w);
    am_json_begin_array(w, "ends");
    for (int e = 0; e < s->end_count; e++) {
        am_json_begin_object(w, NULL);
        am_json_integer(w, "joint", s->end_joints[e]);
        put_vec3(w, "offset", s->end_offsets[e]);
        am_json_end_object(w);
    }
    am_json_end_array(w);
    am_json_begin_object(w, "roles");
    for (int r = 0; r < AM_ROLE_COUNT; r++) {
        if (db->roles.joint[r] >= 0) {
            am_json_integer(w, am_role_name((am_role)r), db->roles.joint[r]);
        }
    }
    am_json_end_object(w);
}

void web_describe_names(am_json_writer *w, const am_db *db, uint32_t can)
{
    const am_schema *schema = db->features.schema;
    am_json_begin_array(w, "channels");
    for (int c = 0; c < schema->channel_count; c++) {
        am_json_string(w, NULL, schema->channels[c].name);
    }
    am_json_end_array(w);
    am_json_begin_array(w, "activities");
    for (int a = 0; a < AM_ACTIVITY_COUNT; a++) {
        am_json_begin_object(w, NULL);
        am_json_string(w, "name", am_activity_name((am_activity)a));
        am_json_bool(w, "has", (can >> a & 1) != 0);
        am_json_end_object(w);
    }
    am_json_end_array(w);
    am_json_begin_array(w, "keys");
    for (int k = 0; k < AM_KEY_COUNT; k++) {
        am_json_string(w, NULL, am_key_name(k));
    }
    am_json_end_array(w);
}

void web_describe_methods(am_json_writer *w, const web_set *set, const web_lineup *lineup)
{
    int count;
    const am_method_row *rows = am_methods(&count);
    am_json_string(w, "method", lineup->pair ? WEB_SIDE_BY_SIDE : rows[lineup->method].name);
    am_json_begin_array(w, "methods");
    for (int m = 0; m < count; m++) {
        am_json_begin_object(w, NULL);
        am_json_string(w, "name", rows[m].name);
        am_json_string(w, "label", rows[m].label);
        am_json_bool(w, "needsDatabase", rows[m].database);
        am_json_bool(w, "needsModel", rows[m].part != NULL);
        am_json_bool(w, "asked", rows[m].asked);
        am_json_integer(w, "modelBytes", (int64_t)set->models[m].size);
        am_json_end_object(w);
    }
    am_json_end_array(w);
}
