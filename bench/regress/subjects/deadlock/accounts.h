#ifndef ACCOUNTS_H
#define ACCOUNTS_H

#include <pthread.h>

struct account {
	pthread_mutex_t lock;
	int number, balance;
};

void account_init(struct account *account, int number, int balance);
void account_release(struct account *account);
void account_transfer(struct account *from, struct account *to, int amount);
int account_total(struct account *a, struct account *b);

#endif
