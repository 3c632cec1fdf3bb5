// Helper programs where they are not supported yet: Windows and WebAssembly.
#include "base/child.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/os.h"

#include <string.h>

am_result ami_child_run(ami_child *out, const char *const *argv, double seconds, size_t max_output,
                        const am_alloc *alloc, am_error *err)
{
    (void)seconds;
    (void)max_output;
    memset(out, 0, sizeof *out);
    out->output = ami_bytes_make(alloc);
    return ami_fail(err, AM_ERR_SUPPORT, "this platform cannot run %s", argv[0]);
}

am_dialogue *am_dialogue_start(const char *const *words)
{
    (void)words;
    return NULL;
}

bool am_dialogue_ask(am_dialogue *dialogue, char *answer, size_t size, const char *question)
{
    (void)dialogue, (void)answer, (void)size, (void)question;
    return false;
}

void am_dialogue_end(am_dialogue *dialogue) { (void)dialogue; }
