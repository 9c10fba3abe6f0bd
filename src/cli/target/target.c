#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "cli/target/target.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#define MACHINE_NAME "x86-64"
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
#define MACHINE_NAME "AArch64"
#endif

#define BUILD_IT "build it with `sleave cc`"

/* What the ELF file contains, collected before it is judged. */
struct facts {
	bool interpreter; /* it is started by the dynamic linker */
	bool dynamic;
	bool pie;
	bool soname;
	bool needs_library;
	bool tsan_undefined;   /* instrumented: calls __tsan_…, which another object defines */
	const char *sanitizer; /* the sanitizer whose runtime is linked; clang links it into the program */
};

static bool
starts(const char *text, const char *prefix)
{
	return text && strncmp(text, prefix, strlen(prefix)) == 0;
}

/* The names for -fsanitize=, and those of the runtimes in libraries and functions. */
static const struct {
	const char *option, *runtime, *name;
} sanitizers[] = {
	{"thread", "tsan", "the compiler's own ThreadSanitizer"},
	{"address", "asan", "AddressSanitizer"},
	{"hwaddress", "hwasan", "HWAddressSanitizer"},
	{"leak", "lsan", "LeakSanitizer"},
	{"memory", "msan", "MemorySanitizer"},
};
#define SANITIZERS (sizeof(sanitizers) / sizeof(*sanitizers))

/* Recognises names like libtsan.so.2 and libclang_rt.asan-x86_64.so. */
static bool
is_runtime(const char *library, const char *runtime)
{
	const char *rest = starts(library, "libclang_rt.") ? library + 12
			   : starts(library, "lib")        ? library + 3
							   : "";

	return starts(rest, runtime) && strchr(".-", rest[strlen(runtime)]);
}

static bool
is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* Searches PATH like execvp(): an empty element is the current folder. */
static int
find(const char *name, struct sl_target *out, struct sl_err *err)
{
	const char *path = getenv("PATH");
	size_t length;

	if (!*name)
		return sl_err_set(err, "the name of the program is empty");
	if (strlen(name) >= sizeof(out->path))
		return sl_err_set(err, "the name of the program is too long");
	if (strchr(name, '/') || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
		snprintf(out->path, sizeof(out->path), "%s", name);
		return 0;
	}
	for (path = path ? path : "/bin:/usr/bin"; path; path = path[length] ? path + length + 1 : NULL) {
		length = strcspn(path, ":");
		int written = snprintf(out->path, sizeof(out->path), "%.*s%s%s", (int)length, path,
				       length ? "/" : "./", name);

		if (written > 0 && (size_t)written < sizeof(out->path) && is_program(out->path))
			return 0;
	}
	if (is_program(name))
		return sl_err_set(err, "%s is not in PATH; for the one in this folder say ./%s", name, name);
	return sl_err_set(err, "%s is not in PATH, and no program of that name is in this folder", name);
}

/* Checks everything besides the contents; returns an open descriptor. */
static int
open_program(const char *path, struct sl_err *err)
{
	struct stat st;

	if (stat(path, &st)) {
		if (errno == ENOENT || errno == ENOTDIR)
			return sl_err_set(err, "%s does not exist", path);
		return sl_err_set(err, "cannot access %s: %s", path, strerror(errno));
	}
	if (S_ISDIR(st.st_mode))
		return sl_err_set(err, "%s is a directory; name the program in it", path);
	if (!S_ISREG(st.st_mode))
		return sl_err_set(err, "%s is not a file; name a program", path);
	if (access(path, X_OK) && st.st_mode & 0111)
		return sl_err_set(
			err, "%s may not be executed by this user: it belongs to user %ld, and its mode is %04o",
			path, (long)st.st_uid, st.st_mode & 07777);
	if (access(path, X_OK))
		return sl_err_set(err, "%s is not executable; name the linked program (or is `chmod +x` missing?)",
				  path);

	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 && errno == EACCES)
		return sl_err_set(
			err,
			"%s may not be read by this user, and Sleave has to read it: it belongs to user %ld, and "
			"its mode is %04o",
			path, (long)st.st_uid, st.st_mode & 07777);
	if (fd < 0)
		return sl_err_set(err, "%s cannot be read: %s", path, strerror(errno));
	if ((st.st_mode & S_ISUID && st.st_uid != geteuid()) || (st.st_mode & S_ISGID && st.st_gid != getegid())) {
		close(fd);
		return sl_err_set(
			err,
			"%s runs as another user or group (its mode is %04o), and the kernel lets no other process control it: run "
			"a copy without that bit",
			path, st.st_mode & 07777);
	}
	return fd;
}

/* The interpreter of a script is not followed: the script may start several programs. */
static int
check_content(int fd, const char *path, struct sl_err *err)
{
	char head[EI_NIDENT] = {0};

	if (pread(fd, head, sizeof(head), 0) < 0)
		return sl_err_set(err, "%s cannot be read: %s", path, strerror(errno));
	if (head[0] == '#' && head[1] == '!')
		return sl_err_set(err, "%s is a script; name the program itself", path);
	if (memcmp(head, ELFMAG, SELFMAG) != 0)
		return sl_err_set(err, "%s is not a program that Linux can start (no ELF file); " BUILD_IT, path);
	return 0;
}

static int
check_machine(Elf *elf, const char *path, struct sl_err *err)
{
	GElf_Ehdr header;
	size_t size = 0;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header))
		return sl_err_set(err, "%s is a damaged ELF file (%s); " BUILD_IT " again", path, elf_errmsg(-1));
	if (header.e_ident[EI_CLASS] != ELFCLASS64)
		return sl_err_set(err,
				  "%s is a 32-bit program; Sleave controls 64-bit ones: build it without -m32",
				  path);
	if (header.e_machine != MACHINE)
		return sl_err_set(err,
				  "%s is for another machine than this one (" MACHINE_NAME "); " BUILD_IT " here",
				  path);
	elf_rawfile(elf, &size);
	if (header.e_phoff > size || header.e_shoff > size)
		return sl_err_set(err, "%s is cut short; " BUILD_IT " again", path);
	if (header.e_type == ET_REL)
		return sl_err_set(err, "%s is an object file; link it with `sleave cc` and name the program",
				  path);
	if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
		return sl_err_set(err, "%s is an ELF file but not a program (a core file?)", path);
	return 0;
}

static void
read_dynamic(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, struct facts *facts)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Dyn entry;

	facts->dynamic = true;
	for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++) {
		if (entry.d_tag == DT_FLAGS_1)
			facts->pie = entry.d_un.d_val & DF_1_PIE;
		if (entry.d_tag == DT_SONAME)
			facts->soname = true;
		if (entry.d_tag != DT_NEEDED)
			continue;

		const char *name = elf_strptr(elf, header->sh_link, entry.d_un.d_val);
		const char *base = name ? strrchr(name, '/') : NULL;

		base = base ? base + 1 : name;
		facts->needs_library |= starts(base, "libsleave.so");
		for (size_t k = 0; k < SANITIZERS; k++)
			if (is_runtime(base, sanitizers[k].runtime) && !facts->sanitizer)
				facts->sanitizer = sanitizers[k].option;
	}
}

static void
read_symbols(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, struct facts *facts)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Sym symbol;

	for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
		const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);

		if (symbol.st_shndx == SHN_UNDEF) {
			facts->tsan_undefined |= starts(name, "__tsan_") || starts(name, "__sleave_init");
			continue;
		}
		for (size_t k = 0; starts(name, "__") && k < SANITIZERS && !facts->sanitizer; k++)
			if (starts(name + 2, sanitizers[k].runtime) &&
			    strcmp(name + 2 + strlen(sanitizers[k].runtime), "_init") == 0)
				facts->sanitizer = sanitizers[k].option;
	}
}

static void
read_facts(Elf *elf, struct facts *facts)
{
	GElf_Phdr segment;
	GElf_Shdr header;
	Elf_Scn *section = NULL;
	size_t count = 0;

	if (elf_getphdrnum(elf, &count) == 0)
		for (size_t i = 0; i < count; i++)
			if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_INTERP)
				facts->interpreter = true;

	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header))
			continue;
		if (header.sh_type == SHT_DYNAMIC)
			read_dynamic(elf, section, &header, facts);
		else if (header.sh_type == SHT_DYNSYM || header.sh_type == SHT_SYMTAB) /* if it is not stripped */
			read_symbols(elf, section, &header, facts);
	}
}

/* The order of the checks matters: only the first sentence that applies is reported. */
static int
judge(const struct facts *facts, const char *path, bool sync_only, struct sl_err *err)
{
	if (!facts->interpreter && facts->dynamic && !facts->pie)
		return sl_err_set(err, "%s is a shared library; name a program that uses it", path);
	if (!facts->interpreter)
		return sl_err_set(err,
				  "%s is statically linked, so Sleave cannot control it: " BUILD_IT
				  ", without -static",
				  path);
	for (size_t i = 0; facts->sanitizer && i < SANITIZERS; i++)
		if (strcmp(facts->sanitizer, sanitizers[i].option) == 0)
			return sl_err_set(
				err,
				"%s was linked with %s, which would replace Sleave's library: link it with "
				"`sleave cc`, without -fsanitize=%s and -l%s",
				path, sanitizers[i].name, sanitizers[i].option, sanitizers[i].runtime);
	if (!facts->needs_library && facts->tsan_undefined)
		return sl_err_set(err,
				  "%s was compiled for Sleave but does not link libsleave.so itself: link it with "
				  "`sleave cc` too",
				  path);
	if (sync_only)
		return 0;
	if (!facts->needs_library)
		return sl_err_set(
			err,
			"%s was not built for Sleave: " BUILD_IT
			" (or run it without seeing its accesses to memory: --sync-only of `sleave run`, `cover` and `record`)",
			path);
	if (!facts->tsan_undefined)
		return sl_err_set(
			err,
			"%s links libsleave.so but its code is not instrumented, so its accesses to memory would not be "
			"seen: compile it with `sleave cc` too",
			path);
	return 0;
}

int
sl_target_check(const char *path, bool sync_only, struct sl_target *out, struct sl_err *err)
{
	struct facts facts = {0};
	int fd, result;
	Elf *elf;

	memset(out, 0, sizeof(*out));
	if (find(path, out, err))
		return -1;
	path = out->path;
	fd = open_program(path, err);
	if (fd < 0)
		return -1;
	result = check_content(fd, path, err);
	if (result == 0) {
		elf_version(EV_CURRENT);
		elf = elf_begin(fd, ELF_C_READ, NULL);
		result = check_machine(elf, path, err);
		if (result == 0) {
			read_facts(elf, &facts);
			out->pie = facts.pie;
			out->linked = facts.needs_library;
			out->instrumented = facts.tsan_undefined;
			result = judge(&facts, path, sync_only, err);
		}
		elf_end(elf);
	}
	close(fd);
	return result;
}
