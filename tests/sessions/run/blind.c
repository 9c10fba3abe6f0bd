void __tsan_write4(void *p) { (void)p; }
void __tsan_read4(void *p) { (void)p; }
