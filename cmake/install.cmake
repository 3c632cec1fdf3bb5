# cmake --install: libraries, headers, the command, a pkg-config file and a CMake package.
include(CMakePackageConfigHelpers)
install(TARGETS ${AMBLE_LIBRARIES} EXPORT amble
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS amble_tools EXPORT amble ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET amble_train)
    install(TARGETS amble_train EXPORT amble ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
if(TARGET amble_physics AND NOT EMSCRIPTEN)
    install(TARGETS amble_physics EXPORT amble ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/amble DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(NOT EMSCRIPTEN)
    install(TARGETS amble_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    if(TARGET amble_assimp)
        install(TARGETS amble_assimp RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    endif()
endif()
# What the command finds from its own place (apps/cli/places.c): networks, configs, the page and its module. The page's
# packages and the module are there when ./run install, ./run studio or their own steps have made them.
set(AMBLE_SHARE share/amble)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/configs DESTINATION ${AMBLE_SHARE})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/models DESTINATION ${AMBLE_SHARE} PATTERN recipes EXCLUDE PATTERN "*.losses.csv" EXCLUDE)
# The pages that messages name.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION share/doc/amble FILES_MATCHING PATTERN "*.md")
if(NOT EMSCRIPTEN)
    set(AMBLE_WEB ${PROJECT_SOURCE_DIR}/apps/studio/web)
    install(DIRECTORY ${AMBLE_WEB}/ DESTINATION ${AMBLE_SHARE}/web
        PATTERN node_modules EXCLUDE PATTERN "package*.json" EXCLUDE PATTERN "*.sh" EXCLUDE)
    # What the page imports of its packages, and what that imports.
    foreach(file three/LICENSE three/build/three.core.js three/build/three.module.js
            three/examples/jsm/controls/OrbitControls.js three/examples/jsm/libs/meshopt_decoder.module.js
            three/examples/jsm/loaders/GLTFLoader.js three/examples/jsm/utils/BufferGeometryUtils.js
            three/examples/jsm/utils/SkeletonUtils.js mannequin/LICENSE mannequin/dist/assets/mannequin.js)
        get_filename_component(folder ${file} DIRECTORY)
        install(FILES ${AMBLE_WEB}/node_modules/${file} DESTINATION ${AMBLE_SHARE}/web/node_modules/${folder} OPTIONAL)
    endforeach()
    install(FILES ${PROJECT_SOURCE_DIR}/build/wasm/amble_web.mjs ${PROJECT_SOURCE_DIR}/build/wasm/amble_web.wasm
        DESTINATION ${AMBLE_SHARE}/wasm OPTIONAL)
endif()
install(EXPORT amble NAMESPACE amble:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/amble FILE amble-targets.cmake)
configure_package_config_file(cmake/amble-config.cmake.in ${PROJECT_BINARY_DIR}/amble-config.cmake
    INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/amble)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/amble-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/amble-config.cmake ${PROJECT_BINARY_DIR}/amble-config-version.cmake
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/amble)
# The way from the pkg-config file to the prefix, so that an installed tree can be moved.
file(RELATIVE_PATH AMBLE_PC_TO_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(cmake/amble.pc.in ${PROJECT_BINARY_DIR}/amble.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/amble.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
# The other libraries, static as they are: what each links, the run time last.
set(runtime "\${libdir}/libamble.a -lpthread -lm")
get_target_property(zlib amble_tools INTERFACE_LINK_LIBRARIES)
set(tools "\${libdir}/libamble_tools.a ${runtime}")
if(zlib MATCHES ":z>")
    string(APPEND tools " -lz")
endif()
string(REPLACE ";" " " mpi "${MPI_C_LIBRARIES}")
set(parts "tools|motion files, databases and scripts|${tools}")
if(TARGET amble_train)
    list(APPEND parts "train|training|\${libdir}/libamble_train.a ${tools} ${mpi}")
endif()
if(TARGET amble_physics)
    list(APPEND parts "physics|pushes|\${libdir}/libamble_physics.a ${runtime} -lode")
endif()
foreach(row ${parts})
    string(REGEX MATCH "^(.*)[|](.*)[|](.*)$" row "${row}")
    set(part ${CMAKE_MATCH_1})
    set(purpose ${CMAKE_MATCH_2})
    set(libraries ${CMAKE_MATCH_3})
    configure_file(cmake/amble-part.pc.in ${PROJECT_BINARY_DIR}/amble-${part}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/amble-${part}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
