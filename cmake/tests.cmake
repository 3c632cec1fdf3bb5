# One program for each tests/FOLDER/test_NAME.c, called FOLDER.NAME in CTest. Tests may include internal headers.
if(EMSCRIPTEN)
    return() # the wasm build is tested from outside, by scripts that run it in node and Chromium
endif()
find_library(CMOCKA_LIBRARY cmocka REQUIRED)
file(GLOB AMBLE_TEST_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/*/test_*.c)
file(GLOB AMBLE_TEST_SUPPORT CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/support/*.c)
add_library(amble_test_support STATIC ${AMBLE_TEST_SUPPORT})
target_include_directories(amble_test_support PUBLIC
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
target_compile_definitions(amble_test_support PUBLIC
    AMBLE_SOURCE_DIR="${PROJECT_SOURCE_DIR}" AMBLE_BINARY_DIR="${PROJECT_BINARY_DIR}")
target_link_libraries(amble_test_support PUBLIC amble_static amble_flags ${CMOCKA_LIBRARY})
foreach(source ${AMBLE_TEST_SOURCES})
    get_filename_component(name ${source} NAME_WE)
    get_filename_component(folder ${source} DIRECTORY)
    get_filename_component(folder ${folder} NAME)
    string(REGEX REPLACE "^test_" "" name ${name})
    set(target test_${folder}_${name})
    add_executable(${target} ${source})
    target_link_libraries(${target} PRIVATE amble_test_support)
    add_test(NAME ${folder}.${name} COMMAND ${target})
    # Several tests call the built command.
    add_dependencies(${target} amble_cli)
    if(TARGET amble_assimp)
        add_dependencies(${target} amble_assimp)
    endif()
endforeach()
# The one test that looks at Assimp from the inside; it says so when it has to skip itself.
find_library(ASSIMP_LIBRARY assimp)
if(ASSIMP_LIBRARY AND TARGET test_io_assimp_agreement)
    target_compile_definitions(test_io_assimp_agreement PRIVATE AMBLE_TEST_ASSIMP=1)
    target_link_libraries(test_io_assimp_agreement PRIVATE ${ASSIMP_LIBRARY})
endif()
