#include "filters.h"
#include "session.h"

#include <stdlib.h>

#define PASSED "limit.passed" /* attribute: an unsigned long, which the session's lock guards */

static void
opened(struct filter *filter, struct session *session)
{
	unsigned long *passed = calloc(1, sizeof(*passed));

	(void)filter;
	if (!passed)
		abort();
	session_set(session, PASSED, passed, free);
}

static enum chain_result
filter_write(struct filter *filter, struct filter_link *link, struct session *session,
	     struct write_request *request)
{
	const struct limit_filter *limit = filter->context;
	unsigned long *passed = session_get(session, PASSED);
	int may_pass;

	pthread_mutex_lock(&session->lock);
	may_pass = !limit->most || *passed < limit->most;
	*passed += (unsigned long)may_pass;
	pthread_mutex_unlock(&session->lock);
	return may_pass ? chain_write(link, session, request) : CHAIN_REJECTED;
}

void
limit_filter_init(struct limit_filter *limit, unsigned long most)
{
	limit->most = most;
	limit->filter = (struct filter){
		.name = "limit",
		.context = limit,
		.opened = opened,
		.write = filter_write,
	};
}
