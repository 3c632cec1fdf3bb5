# Warnings are errors everywhere; floating point is never contracted, so that every machine gives the same bits.
add_library(amble_flags INTERFACE)
target_compile_options(amble_flags INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -Wstrict-prototypes -Wmissing-prototypes
    -ffp-contract=off -fno-math-errno -fno-trapping-math
    -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=) # __FILE__ without the place of this build
target_compile_definitions(amble_flags INTERFACE _POSIX_C_SOURCE=200809L)
if(AMBLE_SANITIZE)
    target_compile_definitions(amble_flags INTERFACE AMI_ASSERTS=1) # alive although NDEBUG is set
    target_compile_options(amble_flags INTERFACE
        -fsanitize=${AMBLE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(amble_flags INTERFACE -fsanitize=${AMBLE_SANITIZE})
    # With the little optimisation of that build gcc knows too little of ranges; the release build keeps the warning.
    target_compile_options(amble_flags INTERFACE $<$<C_COMPILER_ID:GNU>:-Wno-format-truncation>)
endif()
if(AMBLE_COVERAGE)
    target_compile_options(amble_flags INTERFACE --coverage -fprofile-update=atomic) # counters of several threads
    target_link_options(amble_flags INTERFACE --coverage)
endif()
if(AMBLE_SCALAR)
    target_compile_definitions(amble_flags INTERFACE AMI_SCALAR=1)
endif()
if(EMSCRIPTEN)
    target_compile_options(amble_flags INTERFACE -msimd128)
elseif(WIN32)
    # printf as in C, calls of Windows 7 on, and moves that do not want the stack aligned to 32 bytes: gcc believes that it
    # is, Windows aligns it to 16 (gcc bug 54412).
    target_compile_definitions(amble_flags INTERFACE __USE_MINGW_ANSI_STDIO=1 _WIN32_WINNT=0x0601)
    target_compile_options(amble_flags INTERFACE -Wa,-muse-unaligned-vector-move -Wno-float-conversion) # isfinite of a double
    target_link_options(amble_flags INTERFACE -static -Wl,--stack,8388608) # as large as elsewhere
    target_link_libraries(amble_flags INTERFACE m)
else()
    find_package(Threads REQUIRED)
    target_link_libraries(amble_flags INTERFACE Threads::Threads m)
endif()
