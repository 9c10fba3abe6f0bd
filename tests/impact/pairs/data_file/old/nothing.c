#ifdef _WIN32
int unused;
#endif
