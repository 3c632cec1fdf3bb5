# The command, and the child process that talks to Assimp.
file(GLOB AMBLE_CLI_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/cli/*.c)
add_executable(amble_cli ${AMBLE_CLI_SOURCES})
set_target_properties(amble_cli PROPERTIES OUTPUT_NAME amble)
target_link_libraries(amble_cli PRIVATE amble_static amble_flags)
if(TARGET amble_train)
    target_link_libraries(amble_cli PRIVATE amble_train)
    target_compile_definitions(amble_cli PRIVATE AMBLE_HAS_TRAIN=1)
endif()
if(TARGET amble_physics)
    target_link_libraries(amble_cli PRIVATE amble_physics)
    target_compile_definitions(amble_cli PRIVATE AMBLE_HAS_PHYSICS=1)
endif()
if(EMSCRIPTEN)
    # The whole command under node: the tests compare what it writes with the native one.
    target_link_options(amble_cli PRIVATE -sNODERAWFS=1 -sALLOW_MEMORY_GROWTH=1 -sEXIT_RUNTIME=1
        -sMAXIMUM_MEMORY=4GB -sTOTAL_STACK=1MB
        -sWASM_ASYNC_COMPILATION=0) # the other way asks node to fetch a plain file name, which node 18 on refuses
endif()

if(AMBLE_ASSIMP AND NOT EMSCRIPTEN AND EXISTS ${PROJECT_SOURCE_DIR}/src/io/assimp_child.c)
    find_library(ASSIMP_LIBRARY assimp)
    if(ASSIMP_LIBRARY)
        add_executable(amble_assimp src/io/assimp_child.c)
        set_target_properties(amble_assimp PROPERTIES OUTPUT_NAME amble-assimp)
        target_include_directories(amble_assimp PRIVATE src)
        target_link_libraries(amble_assimp PRIVATE amble_static amble_flags ${ASSIMP_LIBRARY})
        set(AMBLE_HAS_ASSIMP ON)
    endif()
endif()
