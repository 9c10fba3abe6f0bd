/* The last include of every engine file: it makes the compiler refuse what the law of the engine forbids. */
#ifndef SL_DEFINES_MEMORY_FUNCTIONS
#pragma GCC poison strcpy strcat strcmp strdup
#endif
#ifndef SL_DEFINES_STDIO_FUNCTIONS
#pragma GCC poison printf fprintf sprintf snprintf vsnprintf puts perror fopen fclose
#endif
#ifndef SL_DEFINES_ENVIRONMENT_FUNCTIONS
#pragma GCC poison setenv
#endif
