#include "analysis/line_rows.h"

#include <string.h>

void
sl_line_rows_each(const struct sl_binaries *binaries, const struct sl_binary *binary,
		  void (*row)(void *data, const char *file, uint32_t line, uint64_t low, uint64_t high),
		  void *data)
{
	struct sl_site_unit unit = {.directory = "/"};
	const char *source = NULL, *name = NULL;
	Dwarf_Off offset = 0, next;
	size_t header;
	char path[4096];

	while (binary->dwarf && dwarf_nextcu(binary->dwarf, offset, &next, &header, NULL, NULL, NULL) == 0) {
		Dwarf_Lines *lines;
		Dwarf_Die die;
		size_t count;

		if (!dwarf_offdie(binary->dwarf, offset + header, &die) ||
		    dwarf_getsrclines(&die, &lines, &count) != 0)
			count = 0;
		else
			unit.directory = sl_binary_folder(&die);
		source = NULL;
		for (size_t i = 0; i + 1 < count; i++) {
			Dwarf_Line *line = dwarf_onesrcline(lines, i);
			const char *file = dwarf_linesrc(line, NULL, NULL);
			Dwarf_Addr low, high;
			int number;
			bool end;

			if (!file || dwarf_lineendsequence(line, &end) != 0 || end ||
			    dwarf_lineaddr(line, &low) != 0 ||
			    dwarf_lineaddr(dwarf_onesrcline(lines, i + 1), &high) != 0 || low >= high ||
			    dwarf_lineno(line, &number) != 0 || number <= 0)
				continue;
			if (file != source) {
				source = file;
				name = sl_sites_path(&unit, file, path, sizeof(path))
					       ? sl_binaries_name(binaries, path)
					       : NULL;
			}
			if (name)
				row(data, name, (uint32_t)number, low, high);
		}
		offset = next;
	}
}
