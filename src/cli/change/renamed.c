#include "cli/change/renamed.h"

#include "cli/change/mapping.h"

static int
renamed_rewind(void *data, struct sl_err *err)
{
	const struct sl_renamed *r = data;

	return r->inner.rewind(r->inner.data, err);
}

static int
renamed_next(void *data, struct sl_item *item, struct sl_err *err)
{
	const struct sl_renamed *r = data;

	return r->inner.next(r->inner.data, item, err);
}

static bool
renamed_place(void *data, uint64_t pc, struct sl_place *place)
{
	const struct sl_renamed *r = data;

	if (!r->inner.place(r->inner.data, pc, place))
		return false;
	if (place->path)
		place->stable = sl_binaries_name(r->files, place->path);
	return true;
}

static const struct sl_site *
renamed_site(void *data, uint64_t pc, bool writes)
{
	const struct sl_renamed *r = data;

	return r->inner.site ? r->inner.site(r->inner.data, pc, writes) : NULL;
}

static const char *
renamed_variable(void *data, uint64_t address, uint32_t size, char *text, size_t room)
{
	const struct sl_renamed *r = data;

	return r->inner.variable(r->inner.data, address, size, text, room);
}

static const char *
renamed_function(void *data, uint64_t address)
{
	const struct sl_renamed *r = data;

	return r->inner.function(r->inner.data, address);
}

static const char *
renamed_thread_path(void *data, uint32_t thread)
{
	const struct sl_renamed *r = data;

	return r->inner.thread_path(r->inner.data, thread);
}

struct sl_observed
sl_renamed_observed(struct sl_renamed *renamed)
{
	return (struct sl_observed){.data = renamed,
				    .rewind = renamed_rewind,
				    .next = renamed_next,
				    .place = renamed_place,
				    .site = renamed_site,
				    .variable = renamed_variable,
				    .function = renamed_function,
				    .thread_path = renamed_thread_path};
}

static bool
map_place(void *data, const struct sl_place *place, struct sl_place *old)
{
	const struct sl_program_change *change = data;

	*old = *place;
	return place->line && !sl_mapping_is_changed(change, place->file, place->line) &&
	       sl_mapping_line(change, SL_MAPPING_TO_OLD, place->file, place->line, &old->stable, &old->line);
}

struct sl_place_map
sl_renamed_map(const struct sl_program_change *change)
{
	return (struct sl_place_map){(void *)(uintptr_t)change, map_place};
}
