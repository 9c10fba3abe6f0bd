/*
 * The commands, one file each. argv[0] is the name of the command; they return the exit status (cli/session/options.h).
 * Used by main alone.
 */
#ifndef SL_CLI_COMMAND_COMMANDS_H
#define SL_CLI_COMMAND_COMMANDS_H

int sl_command_run(int argc, char **argv);
int sl_command_replay(int argc, char **argv);
int sl_command_record(int argc, char **argv);
int sl_command_trace(int argc, char **argv);
int sl_command_test(int argc, char **argv);
int sl_command_schedule(int argc, char **argv);
int sl_command_report(int argc, char **argv);
int sl_command_cover(int argc, char **argv);
int sl_command_regress(int argc, char **argv);
int sl_command_paths(int argc, char **argv);
int sl_command_predict(int argc, char **argv);
int sl_command_impact(int argc, char **argv);
int sl_command_scripts(int argc, char **argv);
int sl_command_bind(int argc, char **argv);

#endif
