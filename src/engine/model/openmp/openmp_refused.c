/*
 * OpenMP functions that are not modelled, refused by name under control. Outside of control they are the
 * runtime's.
 */
#include "engine/model/openmp/openmp.h"
#include "engine/under/poison.h"

/* Neither refusing nor passing on needs a signature. */
#define REFUSE_AS(name, text)                                                                                     \
	SL_OMP_ENTRY(name);                                                                                       \
	__asm__(".pushsection .text\n.globl " #name "\n.type " #name ", @function\n" #name ":\n"                  \
		"cmpb $0, sl_engine(%rip)\njne 1f\n" SL_OMP_REAL(name) "1: leaq 3f(%rip), %rdi\n"                 \
								       "movq (%rsp), %rsi\njmp sl_unsupported\n"  \
								       ".size " #name ", .-" #name                \
								       "\n.popsection\n"                          \
								       ".pushsection .rodata\n3: .asciz \"" text  \
								       "\"\n.popsection\n");
#define REFUSE(name) REFUSE_AS(name, #name)
#define REFUSE_CLANG(name)                                                                                        \
	REFUSE_AS(name, #name ": OpenMP by clang. By gcc it is modelled: SLEAVE_CC=gcc sleave cc -fopenmp")
#define REFUSE_FORTRAN(name) REFUSE(name##_)

/* clang-format off */
/* offloading */
REFUSE(GOMP_target) REFUSE(GOMP_target_ext) REFUSE(GOMP_target_data) REFUSE(GOMP_target_data_ext)
REFUSE(GOMP_target_end_data) REFUSE(GOMP_target_update) REFUSE(GOMP_target_update_ext)
REFUSE(GOMP_target_enter_exit_data) REFUSE(GOMP_teams) REFUSE(GOMP_teams4)

/* reductions of tasks */
REFUSE(GOMP_parallel_reductions) REFUSE(GOMP_scope_start)
REFUSE(GOMP_taskgroup_reduction_register) REFUSE(GOMP_taskgroup_reduction_unregister)
REFUSE(GOMP_task_reduction_remap) REFUSE(GOMP_workshare_task_reduction_unregister)
REFUSE(omp_fulfill_event)

/* clang */
REFUSE_CLANG(__kmpc_fork_call) REFUSE_CLANG(__kmpc_fork_teams) REFUSE_CLANG(__kmpc_critical)
REFUSE_CLANG(__kmpc_critical_with_hint) REFUSE_CLANG(__kmpc_serialized_parallel) REFUSE_CLANG(__kmpc_omp_task)
REFUSE_CLANG(__kmpc_omp_task_with_deps) REFUSE_CLANG(__kmpc_taskloop) REFUSE_CLANG(__kmpc_barrier)

/* Fortran's names of modelled functions */
REFUSE_FORTRAN(omp_init_lock) REFUSE_FORTRAN(omp_set_lock) REFUSE_FORTRAN(omp_test_lock) REFUSE_FORTRAN(omp_unset_lock)
REFUSE_FORTRAN(omp_destroy_lock) REFUSE_FORTRAN(omp_init_nest_lock) REFUSE_FORTRAN(omp_set_nest_lock)
REFUSE_FORTRAN(omp_test_nest_lock) REFUSE_FORTRAN(omp_unset_nest_lock) REFUSE_FORTRAN(omp_destroy_nest_lock)
REFUSE_FORTRAN(omp_get_thread_num) REFUSE_FORTRAN(omp_get_num_threads) REFUSE_FORTRAN(omp_get_max_threads)
REFUSE_FORTRAN(omp_get_num_procs) REFUSE_FORTRAN(omp_in_parallel) REFUSE_FORTRAN(omp_get_level)
REFUSE_FORTRAN(omp_get_active_level) REFUSE_FORTRAN(omp_get_ancestor_thread_num) REFUSE(omp_get_ancestor_thread_num_8_)
REFUSE_FORTRAN(omp_get_team_size) REFUSE(omp_get_team_size_8_) REFUSE_FORTRAN(omp_in_final)
REFUSE_FORTRAN(omp_get_thread_limit) REFUSE_FORTRAN(omp_get_num_teams) REFUSE_FORTRAN(omp_get_team_num)
REFUSE_FORTRAN(omp_set_dynamic) REFUSE(omp_set_dynamic_8_) REFUSE_FORTRAN(omp_get_dynamic)
REFUSE_FORTRAN(omp_set_max_active_levels) REFUSE(omp_set_max_active_levels_8_)
REFUSE_FORTRAN(omp_get_max_active_levels) REFUSE_FORTRAN(omp_set_nested) REFUSE(omp_set_nested_8_)
REFUSE_FORTRAN(omp_get_nested) REFUSE_FORTRAN(omp_set_schedule) REFUSE(omp_set_schedule_8_)
REFUSE_FORTRAN(omp_get_schedule) REFUSE(omp_get_schedule_8_) REFUSE_FORTRAN(omp_set_num_threads)
REFUSE(omp_set_num_threads_8_) REFUSE_FORTRAN(omp_fulfill_event)
	/* clang-format on */
