# cmake --install: libraries, headers, the command, a pkg-config file and a CMake package.
include(CMakePackageConfigHelpers)
install(TARGETS ${AMBLE_LIBRARIES} EXPORT amble
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
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
# The networks that ship: the command looks for them beside itself, in ../share/amble/models.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/models/ DESTINATION ${CMAKE_INSTALL_DATADIR}/amble/models
    FILES_MATCHING PATTERN "*.amnet" PATTERN "README.md")
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
