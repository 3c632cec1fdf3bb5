# libamble as a module for a page: what tests/browser loads in Chromium and compares with the native command.
add_executable(amble_test_wasm ${PROJECT_SOURCE_DIR}/tests/browser/wasm/module.c)
target_link_libraries(amble_test_wasm PRIVATE amble_tools amble_flags)
set_target_properties(amble_test_wasm PROPERTIES SUFFIX .mjs)
string(CONCAT AMBLE_TEST_WASM_FUNCTIONS "_test_alloc,_test_free,_test_read,_test_error,_test_frames,_test_joints,"
    "_test_hash,_test_write_glb,_test_written,_test_clear")
target_link_options(amble_test_wasm PRIVATE -O1 -sMODULARIZE=1 -sEXPORT_ES6=1 -sENVIRONMENT=web,worker
    -sALLOW_MEMORY_GROWTH=1 -sEXPORTED_RUNTIME_METHODS=ccall -sEXPORTED_FUNCTIONS=${AMBLE_TEST_WASM_FUNCTIONS})
