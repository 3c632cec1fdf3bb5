// The value functions that amble eval fields looks at: those of a model that is given.
#include "eval_fields.h"

am_result fields_open_values(fields *f, am_error *err)
{
    return f->e->model ? am_model_open(&f->model, f->e->model, NULL, err) : AM_OK;
}

void fields_close_values(fields *f) { f->folder[0] = '\0'; }
