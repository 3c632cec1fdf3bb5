# libamble_train: training, a library of its own with a dependency of its own (MPI, where it is installed).
option(AMBLE_TRAIN "Build training" ON)
option(AMBLE_MPI "Train over several processes where MPI is installed" ON)
if(EMSCRIPTEN OR NOT AMBLE_TRAIN)
    return()
endif()
file(GLOB AMBLE_TRAIN_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/train/*.c)
list(FILTER AMBLE_TRAIN_SOURCES EXCLUDE REGEX "src/train/mpi.c$")
add_library(amble_train STATIC ${AMBLE_TRAIN_SOURCES})
set_target_properties(amble_train PROPERTIES EXPORT_NAME train)
target_include_directories(amble_train PRIVATE ${AMBLE_INTERNAL})
target_link_libraries(amble_train PUBLIC amble_tools PRIVATE $<BUILD_INTERFACE:amble_flags>)

# Arithmetic of training may fuse: it repeats on the same machine, not across machines. One file an instruction set.
set(AMBLE_TRAIN_FLAGS "-O3;-ffp-contract=fast")
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/train/ops_base.c ${PROJECT_SOURCE_DIR}/src/train/poses_base.c
    PROPERTIES COMPILE_OPTIONS "${AMBLE_TRAIN_FLAGS}")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND NOT AMBLE_SCALAR)
    target_compile_definitions(amble_train PRIVATE AMI_TRAIN_X86=1)
    set_source_files_properties(${PROJECT_SOURCE_DIR}/src/train/ops_avx2.c
        ${PROJECT_SOURCE_DIR}/src/train/poses_avx2.c PROPERTIES
        COMPILE_OPTIONS "${AMBLE_TRAIN_FLAGS};-mavx2;-mfma")
    set_source_files_properties(${PROJECT_SOURCE_DIR}/src/train/ops_avx512.c
        ${PROJECT_SOURCE_DIR}/src/train/poses_avx512.c PROPERTIES
        COMPILE_OPTIONS "${AMBLE_TRAIN_FLAGS};-mavx512f;-mfma;-mprefer-vector-width=512")
endif()

# Several processes: only programs started by mpirun ever call it.
if(AMBLE_MPI AND NOT CMAKE_CROSSCOMPILING)
    find_package(MPI COMPONENTS C)
    if(MPI_C_FOUND)
        target_sources(amble_train PRIVATE ${PROJECT_SOURCE_DIR}/src/train/mpi.c)
        target_compile_definitions(amble_train PRIVATE AMI_HAS_MPI=1)
        target_link_libraries(amble_train PRIVATE $<BUILD_INTERFACE:MPI::MPI_C>)
        target_link_libraries(amble_train INTERFACE $<INSTALL_INTERFACE:${MPI_C_LIBRARIES}>)
    endif()
endif()
