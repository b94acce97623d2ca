# Fuse the marked loops of a target's CUDA sources while it is built.
#
#     include(RfRewrite)
#     rf_rewrite(TARGET [CHECK] [OPTIONS option...])
#
# Every .cu source of TARGET is rewritten into the build folder, and the
# rewritten file is compiled in its place; the sources stay as they are. With
# CHECK nothing is rewritten: a test "rf_rewrite_TARGET" fails when a source is
# not what rf-rewrite would make of it. OPTIONS go to rf-rewrite. Include folders
# and definitions of the target are passed on. RF_REWRITE names the program.
find_program(RF_REWRITE rf-rewrite)

# The target's include folders and definitions as flags.
function(_rf_rewrite_flags target out)
  set(include "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
  set(define "$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>")
  set(${out}
      "$<$<BOOL:${include}>:-I$<JOIN:${include},;-I>>"
      "$<$<BOOL:${define}>:-D$<JOIN:${define},;-D>>"
      PARENT_SCOPE)
endfunction()

# Rewrite one source; the new file's name goes to "out".
function(_rf_rewrite_source target source options out)
  get_filename_component(path ${source} ABSOLUTE)
  get_filename_component(folder ${path} DIRECTORY)
  get_filename_component(name ${path} NAME)
  set(new ${CMAKE_CURRENT_BINARY_DIR}/${target}.rf/${name})
  _rf_rewrite_flags(${target} flags)
  add_custom_command(
    OUTPUT ${new}
    COMMAND ${CMAKE_COMMAND} -E make_directory
            ${CMAKE_CURRENT_BINARY_DIR}/${target}.rf
    COMMAND ${RF_REWRITE} --quiet ${options} -o ${new} ${path} -- -I${folder}
            "${flags}"
    DEPENDS ${path} ${RF_REWRITE}
    COMMENT "Fusing the loops of ${name}"
    COMMAND_EXPAND_LISTS VERBATIM)
  # quoted includes are looked up beside the original
  set_property(SOURCE ${new} APPEND PROPERTY INCLUDE_DIRECTORIES ${folder})
  set(${out} ${new} PARENT_SCOPE)
endfunction()

function(rf_rewrite target)
  cmake_parse_arguments(RF "CHECK" "" "OPTIONS" ${ARGN})
  if(NOT RF_REWRITE)
    message(FATAL_ERROR "rf_rewrite: rf-rewrite was not found; set RF_REWRITE")
  endif()
  get_target_property(sources ${target} SOURCES)
  set(kept)
  set(checked)
  foreach(source IN LISTS sources)
    if(NOT source MATCHES "\\.cu$")
      list(APPEND kept ${source})
    elseif(RF_CHECK)
      get_filename_component(path ${source} ABSOLUTE)
      list(APPEND checked ${path})
    else()
      _rf_rewrite_source(${target} ${source} "${RF_OPTIONS}" new)
      list(APPEND kept ${new})
    endif()
  endforeach()
  if(RF_CHECK)
    _rf_rewrite_flags(${target} flags)
    add_test(NAME rf_rewrite_${target}
             COMMAND ${RF_REWRITE} --check ${RF_OPTIONS} ${checked} --
                     "${flags}" COMMAND_EXPAND_LISTS)
  else()
    set_target_properties(${target} PROPERTIES SOURCES "${kept}")
  endif()
endfunction()
