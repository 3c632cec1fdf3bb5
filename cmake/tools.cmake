# libamble_tools: from files to databases and back, scripts and reports. Native programs and tests; the page takes the little
# that it uses.
file(GLOB AMBLE_TOOLS_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/tools/*/*.c)
# The Assimp child is a program of its own.
list(FILTER AMBLE_TOOLS_SOURCES EXCLUDE REGEX "formats/assimp_child.c$")
add_library(amble_tools STATIC ${AMBLE_TOOLS_SOURCES})
set_target_properties(amble_tools PROPERTIES EXPORT_NAME tools)
target_include_directories(amble_tools PRIVATE ${PROJECT_SOURCE_DIR}/src/runtime ${PROJECT_SOURCE_DIR}/src/tools)
target_link_libraries(amble_tools PUBLIC amble_static PRIVATE $<BUILD_INTERFACE:amble_flags>)
# Programs that link the library find the Assimp helper where it was installed.
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/tools/formats/assimp.c PROPERTIES
    COMPILE_DEFINITIONS AMI_HELPER_DIR="${CMAKE_INSTALL_FULL_BINDIR}")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND NOT EMSCRIPTEN AND NOT AMBLE_SCALAR)
    set_source_files_properties(${PROJECT_SOURCE_DIR}/src/tools/formats/text_avx2.c PROPERTIES COMPILE_OPTIONS "-mavx2;-mbmi")
endif()
# Kept databases belong to one state of the code that makes them.
set(ROOT ${PROJECT_SOURCE_DIR})
include(cmake/builder_version.cmake)
set(AMBLE_BUILDER_VERSION ${PROJECT_BINARY_DIR}/generated/build/builder_version.h)
add_custom_command(OUTPUT ${AMBLE_BUILDER_VERSION}
    COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -DOUT=${AMBLE_BUILDER_VERSION}
        -P ${PROJECT_SOURCE_DIR}/cmake/builder_version.cmake
    DEPENDS ${AMBLE_BUILDER_SOURCES} ${PROJECT_SOURCE_DIR}/cmake/builder_version.cmake)
target_sources(amble_tools PRIVATE ${AMBLE_BUILDER_VERSION})
target_include_directories(amble_tools PRIVATE ${PROJECT_BINARY_DIR}/generated)
# Compressed NPZ: native builds only, since neither the page nor a cross build reads any.
if(NOT EMSCRIPTEN AND NOT CMAKE_CROSSCOMPILING)
    find_package(ZLIB REQUIRED)
    target_compile_definitions(amble_tools PRIVATE AMI_HAS_ZLIB=1)
    target_link_libraries(amble_tools PRIVATE $<BUILD_INTERFACE:ZLIB::ZLIB> INTERFACE $<INSTALL_INTERFACE:z>)
endif()
