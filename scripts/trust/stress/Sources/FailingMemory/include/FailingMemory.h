/*
** An allocator for SQLite that fails when it is told to. SQLite takes allocators by a function with a
** variable argument list, which Swift can't call.
*/
#ifndef FAILING_MEMORY_H
#define FAILING_MEMORY_H

/* Gives SQLite the allocator. To be called before anything else of SQLite; returns its result code. */
int failing_memory_install(void);

/*
** From now on, the allocation with this number fails, the next one being number 1: that one alone, or
** all that follow as well.
*/
void failing_memory_start(long number, int alsoFollowing);

/* Lets all allocations succeed again. Returns the number of those that have failed. */
long failing_memory_stop(void);

#endif
