struct box {
	int value;
	int (*get)(int value);
};

int give(int *count, void (*done)(int box));
void take(int *count);
