static volatile int x;

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		x = 2;
	else
		x = 3;
	return 0;
}
