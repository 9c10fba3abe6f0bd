/*
 * A library of types: shapes in a plane.
 */
#ifndef SHAPES_H
#define SHAPES_H

#include "registry.h"

int shapes_declare(struct registry *registry); /* 0: the names are in use */

#endif
