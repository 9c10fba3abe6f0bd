struct pair {
	int first[9], second;
};

static struct pair make(int n)
{
	struct pair p = {{n}, 1};

	if (n > 1)
		return p;
	p.second = n;
	return p;
}

static int variable(int n)
{
	volatile char bytes[n + 1];

	for (int i = 0; i < n; i++)
		bytes[i] = (char)i;
	if (n > 1)
		return bytes[1];
	return bytes[0];
}

static void nothing(void)
{
}

static int again(int n)
{
	if (!n)
		return 0;
	return again(n - 1) + 1;
}

int main(void)
{
	struct pair p = make(1), q = make(2);

	nothing();
	return variable(1) + variable(2) + again(3) + p.second + q.second - 6;
}
