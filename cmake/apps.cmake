# The command, the lab beside it, and the child process that runs Assimp.
# amble_cli_shared: options, messages, progress, where things are found.
file(GLOB AMBLE_CLI_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/cli/*.c)
set(AMBLE_CLI_SHARED ${AMBLE_CLI_SOURCES})
list(FILTER AMBLE_CLI_SHARED EXCLUDE REGEX "/(main|verb_[a-z]+)\\.c$")
list(REMOVE_ITEM AMBLE_CLI_SOURCES ${AMBLE_CLI_SHARED})
add_library(amble_cli_shared STATIC ${AMBLE_CLI_SHARED})
target_include_directories(amble_cli_shared PUBLIC ${PROJECT_SOURCE_DIR}/apps/cli)
target_link_libraries(amble_cli_shared PUBLIC amble_tools PRIVATE amble_flags)
foreach(extra train physics)
    if(TARGET amble_${extra})
        string(TOUPPER ${extra} name)
        target_link_libraries(amble_cli_shared PUBLIC amble_${extra})
        target_compile_definitions(amble_cli_shared PUBLIC AMBLE_HAS_${name}=1)
    endif()
endforeach()
add_executable(amble_cli ${AMBLE_CLI_SOURCES})
set_target_properties(amble_cli PROPERTIES OUTPUT_NAME amble)
target_link_libraries(amble_cli PRIVATE amble_cli_shared amble_flags)
if(WIN32)
    enable_language(RC)
    target_sources(amble_cli PRIVATE ${PROJECT_SOURCE_DIR}/apps/cli/windows.rc)
endif()

if(EMSCRIPTEN)
    # The whole command under node: the tests compare what it writes with the native one.
    target_link_options(amble_cli PRIVATE -sNODERAWFS=1 -sALLOW_MEMORY_GROWTH=1 -sEXIT_RUNTIME=1
        -sMAXIMUM_MEMORY=4GB -sTOTAL_STACK=1MB
        -sWASM_ASYNC_COMPILATION=0) # the other way asks node to fetch a plain file name, which node 18 on refuses
endif()

if(AMBLE_ASSIMP AND NOT EMSCRIPTEN)
    find_library(ASSIMP_LIBRARY assimp)
    if(ASSIMP_LIBRARY)
        add_executable(amble_assimp src/tools/formats/assimp_child.c)
        set_target_properties(amble_assimp PROPERTIES OUTPUT_NAME amble-assimp)
        target_include_directories(amble_assimp PRIVATE ${AMBLE_INTERNAL})
        target_link_libraries(amble_assimp PRIVATE amble_tools amble_flags ${ASSIMP_LIBRARY})
        set(AMBLE_HAS_ASSIMP ON)
    endif()
endif()
