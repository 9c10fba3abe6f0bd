#include "trace/name/main_type.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

/* The address of main() in the file; 0: the file has no symbols. */
static GElf_Addr
find_main(Elf *elf)
{
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
		GElf_Shdr header;
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB || !header.sh_entsize ||
		    !(data = elf_getdata(section, NULL)))
			continue;
		for (size_t i = 0; i < header.sh_size / header.sh_entsize; i++) {
			const char *name;
			GElf_Sym symbol;

			if (!gelf_getsym(data, (int)i, &symbol) || GELF_ST_TYPE(symbol.st_info) != STT_FUNC)
				continue;
			name = elf_strptr(elf, header.sh_link, symbol.st_name);
			if (name && strcmp(name, "main") == 0)
				return symbol.st_value;
		}
	}
	return 0;
}

static bool
returns_nothing(Dwarf *debug, GElf_Addr main)
{
	Dwarf_Off offset = 0, next;
	size_t header;

	for (; dwarf_nextcu(debug, offset, &next, &header, NULL, NULL, NULL) == 0; offset = next) {
		Dwarf_Die unit, die;
		int more;

		if (!dwarf_offdie(debug, offset + header, &unit) || dwarf_haspc(&unit, main) != 1)
			continue;
		for (more = dwarf_child(&unit, &die); more == 0; more = dwarf_siblingof(&die, &die)) {
			const char *name = dwarf_diename(&die);

			if (dwarf_tag(&die) == DW_TAG_subprogram && name && strcmp(name, "main") == 0 &&
			    dwarf_haspc(&die, main) == 1)
				return !dwarf_hasattr_integrate(&die, DW_AT_type);
		}
	}
	return false;
}

bool
sl_main_returns_nothing(const char *program)
{
	int fd = open(program, O_RDONLY | O_CLOEXEC);
	bool answer = false;
	GElf_Addr main;
	Dwarf *debug;

	if (fd < 0)
		return false;
	elf_version(EV_CURRENT);
	debug = dwarf_begin(fd, DWARF_C_READ);
	if (debug) {
		main = find_main(dwarf_getelf(debug));
		answer = main && returns_nothing(debug, main);
		dwarf_end(debug);
	}
	close(fd);
	return answer;
}
