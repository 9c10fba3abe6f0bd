/* A static library, in C. */
#ifndef WORDS_H
#define WORDS_H

#ifdef __cplusplus
extern "C" {
#endif

int words_in(const char *text);

#ifdef __cplusplus
}
#endif

#endif
