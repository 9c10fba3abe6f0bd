extern const int table[];
int total;

int
main(void)
{
	for (int i = 0; i < 3; i++)
		total += table[i];
	return total != 6;
}
