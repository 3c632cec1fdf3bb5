/// The numbers of the last step that the page reads, and where each of them stands. Inside the module only.
#ifndef AMBLE_STUDIO_VIEW_H
#define AMBLE_STUDIO_VIEW_H

#include <amble/tools/tools.h>

void web_view_clear(void);
/// All numbers of the chosen character after a step of all characters, which took step_us. @param left the frame that
/// played before the step
void web_view_fill(int left, float step_us);
/// Those of its path alone.
void web_view_path(void);
/// "view": {the place of each number}.
void web_view_describe(am_json_writer *w);

#endif
