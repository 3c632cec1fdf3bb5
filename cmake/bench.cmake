# Peers of the benches: bench/peers/NAME.c becomes peers/NAME beside the command, when its library is here. Nothing of
# the product links them.
if(EMSCRIPTEN)
    return()
endif()
find_library(ASSIMP_LIBRARY assimp)
if(ASSIMP_LIBRARY)
    add_executable(peer_load_assimp ${PROJECT_SOURCE_DIR}/bench/peers/load_assimp.c)
    set_target_properties(peer_load_assimp PROPERTIES OUTPUT_NAME load_assimp RUNTIME_OUTPUT_DIRECTORY peers)
    target_link_libraries(peer_load_assimp PRIVATE amble_flags ${ASSIMP_LIBRARY})
endif()
