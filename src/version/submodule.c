/* The repository of a submodule, and whether its folder is dirty. */
#include "version/listing_parts.h"

#include <stdlib.h>

static git_repository *
open_at(const char *folder, const char *name)
{
	char *path = sl_line_new("%s%s", folder, name);
	git_repository *repository = NULL;

	if (git_repository_open_ext(&repository, path, GIT_REPOSITORY_OPEN_NO_SEARCH, NULL) < 0)
		repository = NULL;
	free(path);
	return repository;
}

git_repository *
sl_submodule_open(git_repository *checkout, const char *path)
{
	const char *workdir = git_repository_workdir(checkout);
	git_submodule *submodule = NULL;
	git_repository *found = workdir ? open_at(workdir, path) : NULL;
	char *name;

	if (found)
		return found;
	if (workdir && git_submodule_lookup(&submodule, checkout, path) == 0)
		name = sl_line_new("modules/%s", git_submodule_name(submodule));
	else
		name = sl_line_new("modules/%s", path);
	git_submodule_free(submodule);
	found = open_at(git_repository_path(checkout), name);
	if (!found) /* a linked working tree has its own modules, or shares them */
		found = open_at(git_repository_commondir(checkout), name);
	free(name);
	return found;
}

bool
sl_submodule_dirt(git_repository *checkout, const char *path)
{
	git_submodule *submodule;
	unsigned status = 0;
	bool dirty;

	if (!git_repository_workdir(checkout) || git_submodule_lookup(&submodule, checkout, path) < 0)
		return false;
	dirty = git_submodule_status(&status, checkout, git_submodule_name(submodule),
				     GIT_SUBMODULE_IGNORE_NONE) == 0 &&
		GIT_SUBMODULE_STATUS_IS_WD_DIRTY(status);
	git_submodule_free(submodule);
	return dirty;
}
