/* A virtual function is called on a changed line: each that overrides it may be called. */
class Shelf {
	int boxes;

public:
	Shelf();
	virtual int put(int count);
};

class Wide : public Shelf {
	int width;

public:
	Wide();
	int put(int count) override;
};

Shelf::Shelf() : boxes(0)
{
}

Wide::Wide() : width(0)
{
}

int
Shelf::put(int count)
{
	boxes += count;
	return boxes;
}

int
Wide::put(int count)
{
	width += count;
	return width;
}

static int
fill(Shelf &shelf)
{
	return shelf.put(3);
}

int
main()
{
	Wide wide;

	return fill(wide);
}
