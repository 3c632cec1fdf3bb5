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

ami_dialogue *ami_dialogue_start(const char *const *words)
{
    (void)words;
    return NULL;
}

bool ami_dialogue_ask(ami_dialogue *dialogue, char *answer, size_t size, const char *question)
{
    (void)dialogue, (void)answer, (void)size, (void)question;
    return false;
}

void ami_dialogue_end(ami_dialogue *dialogue) { (void)dialogue; }
