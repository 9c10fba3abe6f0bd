// The program, in C++, with both libraries.
#include "tally.h"
#include "words.h"

#include <cstdio>
#include <string>
#include <thread>

#ifndef HAVE_THREADS
#error "the check for threads failed"
#endif

int
main()
{
	std::string texts[] = {"a rose is", "a rose"};
	std::thread first([&] { tally_add(words_in(texts[0].c_str())); });
	std::thread second([&] { tally_add(words_in(texts[1].c_str())); });

	first.join();
	second.join();
	std::printf("%d words\n", tally_sum());
	return tally_sum() == 5 ? 0 : 1;
}
