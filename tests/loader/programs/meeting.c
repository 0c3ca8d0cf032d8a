/* A library that the tests share between ranks: all wait until `ranks` callers have come. */
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int waiting, rounds;

void meet(int ranks)
{
  pthread_mutex_lock(&mutex);
  const int round = rounds;
  if (++waiting == ranks) {
    waiting = 0;
    ++rounds;
    pthread_cond_broadcast(&changed);
  }
  while (round == rounds) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
}
