void store_fill(int much);
int store_level(void);
