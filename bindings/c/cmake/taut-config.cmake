# find_package(taut) reads this file, which defines the targets taut::taut (the shared library) and taut::static
# (the static library). `scripts/bindings-c.sh --install FOLDER` puts it into FOLDER/lib/cmake/taut.

get_filename_component(_taut_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
find_package(Threads REQUIRED)

if(NOT TARGET taut::taut)
    add_library(taut::taut SHARED IMPORTED)
    if(WIN32)
        set_target_properties(taut::taut PROPERTIES
            IMPORTED_LOCATION "${_taut_prefix}/bin/taut.dll"
            IMPORTED_IMPLIB "${_taut_prefix}/lib/taut.dll.lib")
    else()
        set_target_properties(taut::taut PROPERTIES
            IMPORTED_LOCATION
                "${_taut_prefix}/lib/${CMAKE_SHARED_LIBRARY_PREFIX}taut${CMAKE_SHARED_LIBRARY_SUFFIX}"
            IMPORTED_NO_SONAME TRUE)
    endif()
    set_target_properties(taut::taut PROPERTIES
        INTERFACE_INCLUDE_DIRECTORIES "${_taut_prefix}/include")

    add_library(taut::static STATIC IMPORTED)
    set_target_properties(taut::static PROPERTIES
        IMPORTED_LOCATION
            "${_taut_prefix}/lib/${CMAKE_STATIC_LIBRARY_PREFIX}taut${CMAKE_STATIC_LIBRARY_SUFFIX}"
        INTERFACE_INCLUDE_DIRECTORIES "${_taut_prefix}/include"
        INTERFACE_LINK_LIBRARIES "Threads::Threads;${CMAKE_DL_LIBS}")
    if(UNIX)
        set_property(TARGET taut::static APPEND PROPERTY INTERFACE_LINK_LIBRARIES m)
    endif()
endif()

unset(_taut_prefix)
