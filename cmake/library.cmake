# libamble: one object library of everything under src/, linked as static and as shared library.
# New files are found by themselves; the folder decides what they may include (scripts/check_includes).
file(GLOB AMBLE_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*/*.c)
# The Assimp child is a program of its own.
list(FILTER AMBLE_SOURCES EXCLUDE REGEX "src/io/assimp_child.c$")
# Training is a library of its own (train.cmake).
list(FILTER AMBLE_SOURCES EXCLUDE REGEX "src/train/")
# So are pushes (physics.cmake).
list(FILTER AMBLE_SOURCES EXCLUDE REGEX "src/physics/")

add_library(amble_objects OBJECT ${AMBLE_SOURCES})
target_include_directories(amble_objects
    PUBLIC ${PROJECT_SOURCE_DIR}/include PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_compile_definitions(amble_objects PRIVATE AMI_VERSION="${PROJECT_VERSION}")
target_link_libraries(amble_objects PRIVATE amble_flags)

# Programs that link the library find the Assimp helper where it was installed.
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/io/assimp.c PROPERTIES
    COMPILE_DEFINITIONS AMI_HELPER_DIR="${CMAKE_INSTALL_FULL_BINDIR}")

# Kernels: the one place where an instruction set beyond the platform's baseline is switched on.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND NOT EMSCRIPTEN AND NOT AMBLE_SCALAR)
    set_source_files_properties(${PROJECT_SOURCE_DIR}/src/kernel/avx2.c PROPERTIES COMPILE_OPTIONS "-mavx2")
    set_source_files_properties(${PROJECT_SOURCE_DIR}/src/kernel/text_avx2.c PROPERTIES COMPILE_OPTIONS "-mavx2;-mbmi")
    set_source_files_properties(
        ${PROJECT_SOURCE_DIR}/src/kernel/layers_avx2.c ${PROJECT_SOURCE_DIR}/src/kernel/layers_avx2_fused.c
        PROPERTIES COMPILE_OPTIONS "-mavx2;-mf16c;-mfma")
    set_source_files_properties(
        ${PROJECT_SOURCE_DIR}/src/kernel/layers_avx512.c ${PROJECT_SOURCE_DIR}/src/kernel/layers_avx512_fused.c
        PROPERTIES COMPILE_OPTIONS "-mavx2;-mf16c;-mfma;-mavx512f;-mavx512bw;-mavx512dq;-mavx512vl")
endif()

add_library(amble_static STATIC $<TARGET_OBJECTS:amble_objects>)
set_target_properties(amble_static PROPERTIES OUTPUT_NAME amble EXPORT_NAME static)
target_include_directories(amble_static PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
if(EMSCRIPTEN)
    set(AMBLE_LIBRARIES amble_static)
else()
    target_link_libraries(amble_static PUBLIC Threads::Threads m)
    add_library(amble_shared SHARED $<TARGET_OBJECTS:amble_objects>)
    set_target_properties(amble_shared PROPERTIES OUTPUT_NAME amble EXPORT_NAME shared
        VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
    target_include_directories(amble_shared PUBLIC
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_link_libraries(amble_shared PRIVATE amble_flags)
    set(AMBLE_LIBRARIES amble_static amble_shared)
endif()
