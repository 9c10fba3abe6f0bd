/*
 * OpenMP: objects of C++ that are copied for each thread and each task, exceptions inside of an iteration, a reduction of
 * one's own.
 */
/* flags: -fopenmp */
/* compiler: gcc */
#include <cassert>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

int
main()
{
	std::vector<std::string> out(2);
	std::vector<int> before(2), all;
	std::string copied;
	int caught = 0;

#pragma omp parallel for schedule(dynamic) firstprivate(before) num_threads(2)
	for (int i = 0; i < 2; i++) {
		before[0] = i;
		out[i] = std::string(20, (char)('a' + before[0]));
		try {
			if (i == 1)
				throw std::runtime_error("one");
		} catch (const std::exception &) {
			caught++;
		}
	}
	assert(out[1] == std::string(20, 'b') && caught == 1);
#pragma omp parallel num_threads(2)
#pragma omp single
	{
		std::string text("a text that is too long to be kept in place");

#pragma omp task firstprivate(text) shared(copied)
		copied = text;
	}
	assert(copied.size() == 43);
#pragma omp declare reduction(join : std::vector<int> : omp_out.insert(omp_out.end(), omp_in.begin(), omp_in.end()))
#pragma omp parallel for reduction(join : all) num_threads(2)
	for (int i = 0; i < 3; i++)
		all.push_back(i);
	assert(all.size() == 3 && std::accumulate(all.begin(), all.end(), 0) == 3);
	return 0;
}
