// Fuzzes expressions: bytes are compiled against a small host, and what compiles must run without a fault.
#include "operators/expr.h"

#include <stdlib.h>
#include <string.h>

static void call_now(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)context;
    (void)a;
    (void)count;
    ami_expr_set_number(out, 2.5f);
}

static void call_position(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)context;
    if (count != 2 || !a[0].name) {
        abort();
    }
    ami_expr_set_vector(out, am_v3(a[0].number[0], a[1].number[0], 1.0f));
}

static void call_tag(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)context;
    out->name = count ? a[0].name : "walk";
    out->missing = count > 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const ami_expr_function functions[] = {
        { "now", AMI_EXPR_NUMBER, 0, 0, { AMI_EXPR_NUMBER }, "now", call_now, NULL, false },
        { "position",
          AMI_EXPR_VECTOR,
          2,
          2,
          { AMI_EXPR_NAME, AMI_EXPR_NUMBER },
          "position",
          call_position,
          "joint",
          false },
        { "tag_of", AMI_EXPR_NAME, 0, AMI_EXPR_ARGUMENTS, { AMI_EXPR_NAME }, "tag_of", call_tag, "tag", false },
    };
    static const char *const joints[] = { "root", "hips" };
    static const char *const tags[] = { "walk", "run" };
    static const ami_expr_names lists[] = { { "joint", joints, 2 }, { "tag", tags, 2 } };
    static const char *const locals[] = { "later", "goal", "faced" };
    static const ami_expr_type types[] = { AMI_EXPR_NUMBER, AMI_EXPR_VECTOR, AMI_EXPR_BOOL };
    const ami_expr_value values[] = { { .type = AMI_EXPR_NUMBER, .number = { 1.5f } },
                                      { .type = AMI_EXPR_VECTOR, .number = { 1.0f, 2.0f, 3.0f } },
                                      { .type = AMI_EXPR_BOOL, .number = { 1.0f } } };
    ami_expr_scope scope = { .functions = functions,
                             .function_count = 3,
                             .lists = lists,
                             .list_count = 2,
                             .locals = locals,
                             .local_types = types,
                             .local_count = 3 };
    char *text = malloc(size + 1);
    if (!text) {
        return 0;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    ami_expr *expr = NULL;
    am_error err = { 0 };
    am_result result = ami_expr_compile(&expr, text, &scope, NULL, &err);
    if (result == AM_OK) {
        ami_expr_value value;
        ami_expr_run(expr, &value, NULL, values);
        if (value.type != ami_expr_result(expr) || (value.type == AMI_EXPR_NAME && !value.missing && !value.name)) {
            abort();
        }
        for (int i = 0; i < 4 && value.type != AMI_EXPR_NAME && !value.missing; i++) {
            if (!isfinite(value.number[i]) && (i == 0 || value.type > AMI_EXPR_NUMBER)) {
                abort();
            }
        }
    } else if (err.code != result || !err.text[0] || expr) {
        abort();
    }
    ami_expr_destroy(expr);
    free(text);
    return 0;
}
