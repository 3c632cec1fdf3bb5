# The program that prints hashes of results, built for every compiler and platform; scripts/check_bits.sh compares them.
file(GLOB AMBLE_BITS_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/bits/*.c)
add_executable(amble_bits ${AMBLE_BITS_SOURCES})
set_target_properties(amble_bits PROPERTIES OUTPUT_NAME bits)
target_include_directories(amble_bits PRIVATE ${AMBLE_INTERNAL} ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(amble_bits PRIVATE amble_tools amble_flags)
if(TARGET amble_train)
    target_link_libraries(amble_bits PRIVATE amble_train)
else() # the files of training that it needs
    target_sources(amble_bits PRIVATE ${PROJECT_SOURCE_DIR}/src/train/learned_pack.c ${PROJECT_SOURCE_DIR}/src/train/starts.c)
endif()
if(EMSCRIPTEN)
    # Linked with little optimisation, which takes 2 s instead of 22: the objects are the library's own. Loaded at once: this
    # Emscripten's other way asks node to fetch a plain file name, which node 18 on refuses.
    target_link_options(amble_bits PRIVATE -O1 -sEXIT_RUNTIME=1 -sALLOW_MEMORY_GROWTH=1 -sWASM_ASYNC_COMPILATION=0)
elseif(AMBLE_TESTS)
    add_test(NAME bits.golden COMMAND sh ${PROJECT_SOURCE_DIR}/scripts/check_bits.sh $<TARGET_FILE:amble_bits>)
endif()
