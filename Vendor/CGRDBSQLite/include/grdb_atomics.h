/*
** An atomic word, for the one place where a lock costs too much: every statement asks whether its
** connection belongs to the current thread. (Swift's own atomics need newer Apple systems than
** those that the package supports.)
*/
#ifndef GRDB_ATOMICS_H
#define GRDB_ATOMICS_H

#include <stdint.h>

static inline uintptr_t grdb_atomic_load(const uintptr_t *word){
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static inline void grdb_atomic_store(uintptr_t *word, uintptr_t value){
  __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

/* Roughly where the stack of the current thread ends now. */
static inline uintptr_t grdb_stack_address(void){
  return (uintptr_t)__builtin_frame_address(0);
}

/*
** How many forks there are between the process and the one that called grdb_watch_forks() first: it
** changes in children only.
*/
extern uintptr_t grdb_fork_count;

static inline uintptr_t grdb_current_fork_count(void){
  return grdb_fork_count;
}

void grdb_watch_forks(void);

#endif
