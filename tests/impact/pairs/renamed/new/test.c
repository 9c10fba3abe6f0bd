#include "shelf.h"

int
main(void)
{
	store_fill(2);
	return store_level();
}
