static volatile unsigned char data[1 << 16];

static void step(unsigned n)
{
	data[n & 0xffff]++;
}

int main(void)
{
	unsigned n = 1;

	for (int i = 0; i < 400000; i++)
		step((n = n * 1103515245 + 12345) >> 8);
	return 0;
}
