# Writes OUT, a header with one hash of all sources that decide a database's bytes: a kept database is made anew when they
# change. Run as a script with -DROOT and -DOUT; AMBLE_BUILDER_SOURCES is for the rule that depends on them.
foreach(folder runtime/base runtime/math runtime/kernel runtime/data tools/clip tools/formats tools/doctor tools/synth tools/build)
    file(GLOB found ${ROOT}/src/${folder}/*.[ch])
    list(APPEND AMBLE_BUILDER_SOURCES ${found})
endforeach()
if(OUT)
    foreach(source ${AMBLE_BUILDER_SOURCES})
        file(SHA256 ${source} one)
        string(SHA256 all "${all}${one}")
    endforeach()
    file(WRITE ${OUT} "#define AMI_BUILDER_VERSION \"${all}\"\n")
endif()
