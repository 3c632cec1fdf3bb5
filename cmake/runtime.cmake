# libamble: one object library of everything under src/runtime, linked as static and as shared library. It needs the C
# library alone. New files are found by themselves; the folder decides what they may include (scripts/check_includes.sh).
file(GLOB AMBLE_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/runtime/*/*.c)
# base has the system's part twice, and helper programs also for systems that have none.
if(WIN32)
    list(FILTER AMBLE_SOURCES EXCLUDE REGEX "_posix\\.c$")
elseif(EMSCRIPTEN)
    list(FILTER AMBLE_SOURCES EXCLUDE REGEX "(_windows|child_posix)\\.c$")
else()
    list(FILTER AMBLE_SOURCES EXCLUDE REGEX "(_windows|child_none)\\.c$")
endif()

# Internal headers are spelt FOLDER/FILE.h.
set(AMBLE_INTERNAL ${PROJECT_SOURCE_DIR}/src/runtime ${PROJECT_SOURCE_DIR}/src/tools ${PROJECT_SOURCE_DIR}/src)

add_library(amble_objects OBJECT ${AMBLE_SOURCES})
target_include_directories(amble_objects
    PUBLIC ${PROJECT_SOURCE_DIR}/include PRIVATE ${PROJECT_SOURCE_DIR}/src/runtime)
target_compile_definitions(amble_objects PRIVATE AMI_VERSION="${PROJECT_VERSION}")
target_link_libraries(amble_objects PRIVATE amble_flags)
if(WIN32)
    target_compile_definitions(amble_objects PRIVATE AMI_BUILD=1) # what the DLL shows
endif()

# Kernels: the one place where an instruction set beyond the platform's baseline is switched on.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND NOT EMSCRIPTEN AND NOT AMBLE_SCALAR)
    set_source_files_properties(${PROJECT_SOURCE_DIR}/src/runtime/kernel/avx2.c PROPERTIES COMPILE_OPTIONS "-mavx2")
    set_source_files_properties(
        ${PROJECT_SOURCE_DIR}/src/runtime/kernel/layers_avx2.c ${PROJECT_SOURCE_DIR}/src/runtime/kernel/layers_avx2_fused.c
        PROPERTIES COMPILE_OPTIONS "-mavx2;-mf16c;-mfma")
    set_source_files_properties(
        ${PROJECT_SOURCE_DIR}/src/runtime/kernel/layers_avx512.c ${PROJECT_SOURCE_DIR}/src/runtime/kernel/layers_avx512_fused.c
        PROPERTIES COMPILE_OPTIONS "-mavx2;-mf16c;-mfma;-mavx512f;-mavx512bw;-mavx512dq;-mavx512vl")
endif()

add_library(amble_static STATIC $<TARGET_OBJECTS:amble_objects>)
set_target_properties(amble_static PROPERTIES OUTPUT_NAME amble EXPORT_NAME static)
target_include_directories(amble_static PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
if(EMSCRIPTEN)
    set(AMBLE_LIBRARIES amble_static)
else()
    if(NOT WIN32)
        target_link_libraries(amble_static PUBLIC Threads::Threads m)
    endif()
    add_library(amble_shared SHARED $<TARGET_OBJECTS:amble_objects>)
    set_target_properties(amble_shared PROPERTIES OUTPUT_NAME amble EXPORT_NAME shared
        VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
    target_include_directories(amble_shared PUBLIC
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_link_libraries(amble_shared PRIVATE amble_flags)
    if(NOT WIN32)
        target_link_libraries(amble_shared INTERFACE m) # <amble/math.h> has inline functions that call sqrtf
    endif()
    set(AMBLE_LIBRARIES amble_static amble_shared)
endif()
