#include "FailingMemory.h"
#include "GRDBSQLite.h"

#include <stdatomic.h>

static sqlite3_mem_methods original;
static atomic_long allocationCount;
static atomic_long failureCount;
static atomic_long firstFailure;
static atomic_int failsFollowing;

static int mustFail(void){
  long first = atomic_load(&firstFailure);
  long number;
  if( first==0 ) return 0;
  number = atomic_fetch_add(&allocationCount, 1) + 1;
  if( number==first || (number>first && atomic_load(&failsFollowing)) ){
    atomic_fetch_add(&failureCount, 1);
    return 1;
  }
  return 0;
}

static void *failingMalloc(int size){
  return mustFail() ? 0 : original.xMalloc(size);
}

static void *failingRealloc(void *memory, int size){
  return mustFail() ? 0 : original.xRealloc(memory, size);
}

int failing_memory_install(void){
  sqlite3_mem_methods methods;
  int code = sqlite3_config(SQLITE_CONFIG_GETMALLOC, &original);
  if( code!=SQLITE_OK ) return code;
  methods = original;
  methods.xMalloc = failingMalloc;
  methods.xRealloc = failingRealloc;
  return sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
}

void failing_memory_start(long number, int alsoFollowing){
  atomic_store(&allocationCount, 0);
  atomic_store(&failureCount, 0);
  atomic_store(&failsFollowing, alsoFollowing);
  atomic_store(&firstFailure, number);
}

long failing_memory_stop(void){
  atomic_store(&firstFailure, 0);
  return atomic_load(&failureCount);
}
