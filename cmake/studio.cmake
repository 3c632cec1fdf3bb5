# The studio: natively a small web server for the command, for WebAssembly the module that its page loads.
if(EMSCRIPTEN)
    set(AMBLE_WEB_FILES bridge scene step view describe drawn fields)
    list(TRANSFORM AMBLE_WEB_FILES REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/apps/studio/\\1.c")
    add_executable(amble_web ${AMBLE_WEB_FILES})
    target_link_libraries(amble_web PRIVATE amble_tools amble_flags)
    if(TARGET amble_physics)
        target_link_libraries(amble_web PRIVATE amble_physics)
        target_compile_definitions(amble_web PRIVATE AMBLE_HAS_PHYSICS=1)
    endif()
    set_target_properties(amble_web PROPERTIES SUFFIX .mjs)
    string(CONCAT AMBLE_WEB_FUNCTIONS "_web_alloc,_web_free,_web_open,_web_direction,_web_error,_web_describe,_web_clip_name,"
        "_web_networks,_web_method,_web_options,_web_walk_speed,_web_reset,_web_step,_web_push,_web_world,_web_view,_web_hash,_web_cast,_web_choose,"
        "_web_values,_web_field_options,_web_send,_web_crowd,_web_path_options,_web_obstacles,_web_follow,_web_leave,_web_path,_web_path_count,_web_measure")
    target_link_options(amble_web PRIVATE -sMODULARIZE=1 -sEXPORT_ES6=1 -sENVIRONMENT=web,worker
        -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=1GB -sTOTAL_STACK=1MB
        -sEXPORTED_RUNTIME_METHODS=ccall,cwrap,UTF8ToString -sEXPORTED_FUNCTIONS=${AMBLE_WEB_FUNCTIONS})
    return()
endif()
find_path(CIVETWEB_INCLUDE civetweb.h)
find_library(CIVETWEB_LIBRARY civetweb)
if(CIVETWEB_INCLUDE AND CIVETWEB_LIBRARY)
    add_library(amble_studio STATIC ${PROJECT_SOURCE_DIR}/apps/studio/server.c ${PROJECT_SOURCE_DIR}/apps/studio/sets.c)
    target_include_directories(amble_studio PUBLIC ${PROJECT_SOURCE_DIR}/apps/studio PRIVATE ${CIVETWEB_INCLUDE})
    target_link_libraries(amble_studio PRIVATE amble_tools amble_flags ${CIVETWEB_LIBRARY})
    target_compile_definitions(amble_cli PRIVATE AMBLE_HAS_STUDIO=1)
    target_link_libraries(amble_cli PRIVATE amble_studio)
endif()
