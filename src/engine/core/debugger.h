/*
 * The engine's interface to a debugger (`sleave replay --gdb`): where and why the program stops, and which of the
 * program's threads each kernel thread carries. Used by the parts of the engine that stop the program, and by
 * those that begin, name and end threads. The functions do nothing unless a debugger was announced
 * (stop_at_failure).
 *
 * The debugger (cli/session/gdb.py) reads the exported variables of debugger.c by name and without debug
 * information: their layout is the protocol.
 */
#ifndef SL_ENGINE_CORE_DEBUGGER_H
#define SL_ENGINE_CORE_DEBUGGER_H

struct sl_finding;
struct sl_thread;

void sl_debugger_knows(
	const struct sl_thread
		*thread); /* to be called when the thread begins, is named, leaves its function, or has ended */
void sl_debugger_stop_before(void); /* stops before the operation of the running thread */
void sl_debugger_stop_at(const struct sl_finding *finding);
void sleave_stop(void); /* the debugger has a breakpoint here */

#endif
