#include "trace/replay/replay_file.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* FNV-1a: enough to tell one build from another; it need not resist attacks. */
static int
hash_content(int fd, uint64_t *hash)
{
	unsigned char buffer[16384];
	ssize_t n;

	*hash = 0xcbf29ce484222325u;
	if (lseek(fd, 0, SEEK_SET) < 0)
		return -1;
	while ((n = read(fd, buffer, sizeof(buffer))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		for (ssize_t i = 0; i < n; i++)
			*hash = (*hash ^ buffer[i]) * 0x100000001b3u;
	}
	return 0;
}

/* The linker's note; 0: there is none, or this is not an ELF file. */
static size_t
linker_id(int fd, unsigned char *bytes, size_t room)
{
	const void *id;
	ssize_t n = 0;
	Elf *elf;

	if (elf_version(EV_CURRENT) == EV_NONE || !(elf = elf_begin(fd, ELF_C_READ, NULL)))
		return 0;
	if (elf_kind(elf) == ELF_K_ELF)
		n = dwelf_elf_gnu_build_id(elf, &id);
	if (n < 0 || (size_t)n > room)
		n = 0;
	memcpy(bytes, n ? id : "", (size_t)n);
	elf_end(elf);
	return (size_t)n;
}

int
sl_build_id(const char *path, char *text, size_t size, struct sl_err *err)
{
	unsigned char bytes[31];
	struct stat status;
	uint64_t hash;
	size_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return sl_err_set(err, "cannot open %s: %s", path, strerror(errno));
	if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
		close(fd);
		return sl_err_set(err, "%s is not a program: it is not a regular file", path);
	}
	n = linker_id(fd, bytes, sizeof(bytes));
	if (n) {
		size_t used = (size_t)snprintf(text, size, "build-id:");

		for (size_t i = 0; i < n && used < size; i++)
			used += (size_t)snprintf(text + used, size - used, "%02x", bytes[i]);
	} else if (hash_content(fd, &hash) != 0) {
		sl_err_set(err, "cannot read %s: %s", path, strerror(errno));
		close(fd);
		return -1;
	} else {
		snprintf(text, size, "content:%016llx", (unsigned long long)hash);
	}
	close(fd);
	return 0;
}
