struct box {
	int value;
	int (*get)(int of);
};

void take(int *count);
