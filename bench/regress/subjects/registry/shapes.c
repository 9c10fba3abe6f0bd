#include "shapes.h"

#include "declare.h"
#include "object.h"

static const char text[] = "type Shape { x = 0; y = 0; label = \"\"; }\n"
			   "type Circle from Shape { radius = 1; }\n"
			   "type Box from Shape { width = 1; height = 1; }\n"
			   "type Square from Box { }\n";

static int
move(struct object *self, const struct value *arguments, unsigned count, struct value *result)
{
	(void)count;
	(void)result;
	if (arguments[0].kind != VALUE_NUMBER || arguments[1].kind != VALUE_NUMBER)
		return 0;
	return object_add(self, "x", arguments[0].number) == OBJECT_OK &&
	       object_add(self, "y", arguments[1].number) == OBJECT_OK;
}

static int
rename_shape(struct object *self, const struct value *arguments, unsigned count, struct value *result)
{
	(void)count;
	(void)result;
	return object_set(self, "label", &arguments[0]) == OBJECT_OK;
}

/* A plain shape has no extent. */
static int
shape_area(struct object *self, const struct value *arguments, unsigned count, struct value *result)
{
	(void)self;
	(void)arguments;
	(void)count;
	*result = value_number(0);
	return 1;
}

static int
circle_area(struct object *self, const struct value *arguments, unsigned count, struct value *result)
{
	long radius = object_number(self, "radius");

	(void)arguments;
	(void)count;
	*result = value_number(radius * radius * 355 / 113);
	return 1;
}

static int
box_area(struct object *self, const struct value *arguments, unsigned count, struct value *result)
{
	(void)arguments;
	(void)count;
	*result = value_number(object_number(self, "width") * object_number(self, "height"));
	return 1;
}

static int
square_resize(struct object *self, const struct value *arguments, unsigned count, struct value *result)
{
	(void)count;
	(void)result;
	return object_set(self, "width", &arguments[0]) == OBJECT_OK &&
	       object_set(self, "height", &arguments[0]) == OBJECT_OK;
}

int
shapes_declare(struct registry *registry)
{
	struct declare_error error;

	return declare_types(registry, text, &error) == 4 && registry_define(registry, "Shape", "move", move, 2) &&
	       registry_define(registry, "Shape", "rename", rename_shape, 1) &&
	       registry_define(registry, "Shape", "area", shape_area, 0) &&
	       registry_define(registry, "Circle", "area", circle_area, 0) &&
	       registry_define(registry, "Box", "area", box_area, 0) &&
	       registry_define(registry, "Square", "resize", square_resize, 1);
}
