static inline int
step(int of)
{
	return of + 1;
}
