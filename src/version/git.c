#include "version/git.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define FILE_NAME "libgit2.so." LIBGIT2_SOVERSION

/*
 * libgit2 brings TLS, Kerberos and SSH, some fifteen libraries: to load them is more than half of the start of a command, and few
 * commands read repositories. So each function is a jump to where libgit2 has it; the first call of any loads libgit2. The
 * arguments, which are all in these six registers or on the stack, are kept meanwhile.
 */
__asm__(".pushsection .text\n.type sl_git_arrive, @function\nsl_git_arrive:\n"
	"push %rdi\npush %rsi\npush %rdx\npush %rcx\npush %r8\npush %r9\n"
	"call sl_git_load\n"
	"pop %r9\npop %r8\npop %rcx\npop %rdx\npop %rsi\npop %rdi\nret\n"
	".size sl_git_arrive, . - sl_git_arrive\n.popsection");
#define SL_GIT(name)                                                                                              \
	__attribute__((visibility("hidden"), used)) void *sl_at_##name;                                           \
	__asm__(".pushsection .text\n.hidden " #name "\n.globl " #name "\n.type " #name ", @function\n" #name     \
		":\n\tcmpq $0, sl_at_" #name "(%rip)\n\tjne 1f\n\tcall sl_git_arrive\n1:\tjmp *sl_at_" #name      \
		"(%rip)\n"                                                                                        \
		".size " #name ", . - " #name "\n.popsection");
#include "version/git.def"
#undef SL_GIT

static const struct {
	const char *name;
	void **at;
} functions[] = {
#define SL_GIT(name) {#name, &sl_at_##name},
#include "version/git.def"
#undef SL_GIT
};

/* Ends the command in the words of the dynamic linker, and with its status, as if the command had been linked with libgit2. */
static void __attribute__((noreturn)) missing(void)
{
	dprintf(STDERR_FILENO, "sleave: error while loading shared libraries: %s\n", dlerror());
	_exit(127);
}

void sl_git_load(void) __attribute__((visibility("hidden"), used));

void
sl_git_load(void)
{
	void *library = dlopen(FILE_NAME, RTLD_LAZY);

	if (!library)
		missing();
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		*functions[i].at = dlsym(library, functions[i].name);
		if (!*functions[i].at)
			missing();
	}
}

void
sl_git_start(void)
{
	static bool started;

	if (!started && git_libgit2_init() < 0)
		abort();
	started = true;
}

int
sl_git_err(struct sl_err *err, const char *format, ...)
{
	const git_error *last = git_error_last();
	char what[sizeof(err->text)];
	va_list list;

	va_start(list, format);
	vsnprintf(what, sizeof(what), format, list);
	va_end(list);
	return sl_err_set(err, "%s: %s", what, last && last->message ? last->message : "libgit2 does not say why");
}
