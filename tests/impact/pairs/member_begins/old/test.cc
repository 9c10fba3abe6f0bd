/* How a member begins changes: that is code of the constructors. */
class Shelf {
	int boxes = 3;
	int uses;

public:
	Shelf();
	int put(int count);
};

Shelf::Shelf()
{
	uses = 0;
}

int
Shelf::put(int count)
{
	boxes += count;
	return boxes + uses;
}

int
main()
{
	Shelf shelf;

	return shelf.put(2);
}
