// std::cin and std::cout on pipes between threads: they go through stdio.
#include <cassert>
#include <iostream>
#include <string>
#include <thread>
#include <unistd.h>

int
main()
{
	int in[2], out[2];
	assert(!pipe(in) && !pipe(out) && dup2(in[0], 0) == 0 && dup2(out[1], 1) == 1);
	std::thread reader([] {
		std::string word;
		int number = 0;
		std::cin >> word >> number;
		assert(word == "abc" && number == 7);
	});
	FILE *to = fdopen(in[1], "w");
	fputs("abc 7\n", to);
	fclose(to);
	reader.join();
	std::thread other([&] {
		char text[4];
		assert(read(out[0], text, sizeof(text)) == 3);
	});
	std::cout << "hi" << std::endl;
	other.join();
}
