/*
 * What a debugger is told (`sleave replay --gdb`): where and why the program stops, and which of the program's threads each
 * kernel thread carries. For the parts of the engine that stop, and for those that begin, name and end threads; each of these
 * functions does nothing unless a debugger was announced (stop_at_failure).
 *
 * The debugger reads the exported variables of debugger.c by name, and without debugging information: they are its protocol,
 * and the other end of it is cli/session/gdb.py.
 */
#ifndef SL_ENGINE_CORE_DEBUGGER_H
#define SL_ENGINE_CORE_DEBUGGER_H

struct sl_finding;
struct sl_thread;

void sl_debugger_knows(const struct sl_thread *thread); /* it begins, is named, leaves its function, has ended */
void sl_debugger_stop_before(void);                     /* the operation of the thread that runs */
void sl_debugger_stop_at(const struct sl_finding *finding);
void sleave_stop(void); /* the debugger has a breakpoint here */

#endif
