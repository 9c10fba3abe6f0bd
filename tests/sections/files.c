/* Schedules in a file, which has several; and a text with names in it. */
#include <assert.h>
#include <sleave.h>
#include <stdio.h>
#include <string.h>

int
main(void)
{
	char seen[64] = "";
	FILE *file = fopen("order.schedule", "w");

	assert(file);
	fputs("# what the tests want\nschedule \"one\" {\n\ta -> b, # and so on\n}\nschedule \"two\" { b -> c }\n", file);
	fclose(file);
	SLEAVE_SCHEDULES("before", "a -> c", "file", "@order.schedule", "", "schedule \"three\" { a -> c }") {
		strcat(strcat(seen, sleave_schedule_name()), " ");
		sleave_event("a");
		sleave_event("b");
		sleave_event("c");
	}
	assert(!strcmp(seen, "before one two three "));
	remove("order.schedule");
	return 0;
}
