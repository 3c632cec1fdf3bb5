// Fuzzes build configs and schemas.
#include "build/build_config.h"
#include <amble/tools/schema.h>

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static ami_build_config config;
    am_error err = { 0 };
    am_result result = ami_build_config_parse(&config, (const char *)data, size, "fuzz/config.json", NULL, &err);
    if (result == AM_OK) {
        for (int d = 0; d < config.schema.raw_count; d++) {
            char name[128];
            am_schema_dim_name(&config.schema, d, name, sizeof name);
            if (name[0] == '?') {
                abort(); // every dimension belongs to a channel
            }
        }
        for (int i = 0; i < config.include.count; i++) {
            ami_pattern_fits(config.include.items[i], "16_08");
        }
        ami_build_config_free(&config);
    } else if (err.code != result || !err.text[0]) {
        abort();
    }
    return 0;
}
