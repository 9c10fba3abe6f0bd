/*
 * Found by `sleave c++` in the place of libstdc++'s header of this name, which it includes.
 *
 * std::string is compiled with the program. Otherwise its functions would be libstdc++'s, which are not
 * instrumented, and a race of two threads that append to one string would not be seen. (Streams stay libstdc++'s:
 * concurrent use of std::cout is no race.)
 */
#pragma GCC system_header
#include_next <bits/c++config.h>
#if defined(_GLIBCXX_EXTERN_TEMPLATE) && _GLIBCXX_EXTERN_TEMPLATE > 0
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE -1
#endif
