#ifndef ACCOUNTS_H
#define ACCOUNTS_H

#include <pthread.h>

struct account {
	pthread_mutex_t lock;
	int number, balance;
};

/* What the tellers of a bank have done: a line for each booking. */
struct journal {
	pthread_mutex_t lock;
	int lines, sum;
};

void account_init(struct account *account, int number, int balance);
void account_release(struct account *account);
void account_deposit(struct account *account, struct journal *journal, int amount);
void account_transfer(struct account *from, struct account *to, struct journal *journal, int amount);
int account_balance(struct account *account);
int account_total(struct account *a, struct account *b);

void journal_init(struct journal *journal);
void journal_release(struct journal *journal);
int journal_lines(struct journal *journal);

#endif
