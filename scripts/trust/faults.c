#include "faults.h"
#include "GRDBSQLite.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_int armedFault = -1;
static atomic_int isPersistent;
static atomic_long failingNumber;
static atomic_long operationCount;
static atomic_long failureCount;

static const char *const faultNames[TRUST_FAULT_COUNT] = {
  "open", "read", "short-read", "write", "partial-write", "full", "truncate", "sync", "file-size",
  "lock", "unlock", "check-reserved", "shm-map", "shm-lock", "delete", "delete-sync", "access", "full-path",
  "fetch", "memory",
};

const char *trust_fault_name(int fault){
  return fault>=0 && fault<TRUST_FAULT_COUNT ? faultNames[fault] : 0;
}

void trust_arm(int fault, long number, int persistent){
  atomic_store(&armedFault, -1);
  atomic_store(&operationCount, 0);
  atomic_store(&failureCount, 0);
  atomic_store(&failingNumber, number);
  atomic_store(&isPersistent, persistent);
  atomic_store(&armedFault, fault);
}

long trust_disarm(void){
  atomic_store(&armedFault, -1);
  return atomic_load(&failureCount);
}

long trust_fired(void){ return atomic_load(&failureCount); }

/* A place for breakpoints. */
__attribute__((noinline)) void trust_failed(void){ atomic_fetch_add(&failureCount, 1); }

static int mustFail(int fault){
  long number, first;
  if( atomic_load(&armedFault)!=fault ) return 0;
  number = atomic_fetch_add(&operationCount, 1) + 1;
  first = atomic_load(&failingNumber);
  if( number==first || (number>first && atomic_load(&isPersistent)) ){
    trust_failed();
    return 1;
  }
  return 0;
}

/*
** The allocator.
*/
static sqlite3_mem_methods originalMemory;

static void *failingMalloc(int size){
  return mustFail(TRUST_MEMORY) ? 0 : originalMemory.xMalloc(size);
}

static void *failingRealloc(void *memory, int size){
  return mustFail(TRUST_MEMORY) ? 0 : originalMemory.xRealloc(memory, size);
}

int trust_install_allocator(void){
  sqlite3_mem_methods methods;
  int code = sqlite3_config(SQLITE_CONFIG_GETMALLOC, &originalMemory);
  if( code!=SQLITE_OK ) return code;
  methods = originalMemory;
  methods.xMalloc = failingMalloc;
  methods.xRealloc = failingRealloc;
  return sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
}

/*
** The file system. Each file is followed in memory by the file of the original file system.
*/
typedef struct FaultFile {
  sqlite3_file base;
  int flags;
} FaultFile;

static sqlite3_vfs *originalVFS;
static sqlite3_vfs faultVFS;

static sqlite3_file *original(sqlite3_file *file){
  return (sqlite3_file*)&((FaultFile*)file)[1];
}

static int faultClose(sqlite3_file *file){
  return original(file)->pMethods ? original(file)->pMethods->xClose(original(file)) : SQLITE_OK;
}

static int faultRead(sqlite3_file *file, void *buffer, int count, sqlite3_int64 offset){
  if( mustFail(TRUST_READ) ) return SQLITE_IOERR_READ;
  /* Pages only: other files have an end that their size does not tell, and the counters in the header
  ** would change each time. */
  if( count>=512 && (((FaultFile*)file)->flags & SQLITE_OPEN_MAIN_DB) && mustFail(TRUST_SHORT_READ) ){
    int half = count / 2;
    int code = original(file)->pMethods->xRead(original(file), buffer, half, offset);
    if( code!=SQLITE_OK ) return code;
    memset((char*)buffer + half, 0, count - half);
    return SQLITE_IOERR_SHORT_READ;
  }
  return original(file)->pMethods->xRead(original(file), buffer, count, offset);
}

static int faultWrite(sqlite3_file *file, const void *buffer, int count, sqlite3_int64 offset){
  if( mustFail(TRUST_WRITE) ) return SQLITE_IOERR_WRITE;
  if( mustFail(TRUST_FULL) ) return SQLITE_FULL;
  if( mustFail(TRUST_PARTIAL_WRITE) ){
    original(file)->pMethods->xWrite(original(file), buffer, count / 2, offset);
    return SQLITE_IOERR_WRITE;
  }
  return original(file)->pMethods->xWrite(original(file), buffer, count, offset);
}

static int faultTruncate(sqlite3_file *file, sqlite3_int64 size){
  if( mustFail(TRUST_TRUNCATE) ) return SQLITE_IOERR_TRUNCATE;
  return original(file)->pMethods->xTruncate(original(file), size);
}

static int faultSync(sqlite3_file *file, int flags){
  return mustFail(TRUST_SYNC) ? SQLITE_IOERR_FSYNC : SQLITE_OK;
}

static int faultFileSize(sqlite3_file *file, sqlite3_int64 *size){
  if( mustFail(TRUST_FILE_SIZE) ) return SQLITE_IOERR_FSTAT;
  return original(file)->pMethods->xFileSize(original(file), size);
}

static int faultLock(sqlite3_file *file, int level){
  if( mustFail(TRUST_LOCK) ) return SQLITE_IOERR_LOCK;
  return original(file)->pMethods->xLock(original(file), level);
}

static int faultUnlock(sqlite3_file *file, int level){
  int code = original(file)->pMethods->xUnlock(original(file), level);
  return mustFail(TRUST_UNLOCK) ? SQLITE_IOERR_UNLOCK : code;
}

static int faultCheckReservedLock(sqlite3_file *file, int *result){
  if( mustFail(TRUST_CHECK_RESERVED) ) return SQLITE_IOERR_CHECKRESERVEDLOCK;
  return original(file)->pMethods->xCheckReservedLock(original(file), result);
}

static int faultFileControl(sqlite3_file *file, int operation, void *argument){
  return original(file)->pMethods->xFileControl(original(file), operation, argument);
}

static int faultSectorSize(sqlite3_file *file){
  return original(file)->pMethods->xSectorSize(original(file));
}

static int faultDeviceCharacteristics(sqlite3_file *file){
  return original(file)->pMethods->xDeviceCharacteristics(original(file));
}

static int faultShmMap(
  sqlite3_file *file, int page, int size, int extend, void volatile **memory
){
  if( mustFail(TRUST_SHM_MAP) ){
    *memory = 0;
    return SQLITE_IOERR_SHMMAP;
  }
  return original(file)->pMethods->xShmMap(original(file), page, size, extend, memory);
}

static int faultShmLock(sqlite3_file *file, int offset, int count, int flags){
  if( (flags & SQLITE_SHM_LOCK) && mustFail(TRUST_SHM_LOCK) ) return SQLITE_IOERR_SHMLOCK;
  return original(file)->pMethods->xShmLock(original(file), offset, count, flags);
}

static void faultShmBarrier(sqlite3_file *file){
  original(file)->pMethods->xShmBarrier(original(file));
}

static int faultShmUnmap(sqlite3_file *file, int deletes){
  return original(file)->pMethods->xShmUnmap(original(file), deletes);
}

static int faultFetch(sqlite3_file *file, sqlite3_int64 offset, int count, void **memory){
  if( mustFail(TRUST_FETCH) ){
    *memory = 0;
    return SQLITE_IOERR_MMAP;
  }
  return original(file)->pMethods->xFetch(original(file), offset, count, memory);
}

static int faultUnfetch(sqlite3_file *file, sqlite3_int64 offset, void *memory){
  return original(file)->pMethods->xUnfetch(original(file), offset, memory);
}

static const sqlite3_io_methods faultMethods = {
  3,
  faultClose, faultRead, faultWrite, faultTruncate, faultSync, faultFileSize,
  faultLock, faultUnlock, faultCheckReservedLock, faultFileControl, faultSectorSize,
  faultDeviceCharacteristics, faultShmMap, faultShmLock, faultShmBarrier, faultShmUnmap,
  faultFetch, faultUnfetch,
};

static int faultOpen(
  sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags, int *outFlags
){
  int code;
  file->pMethods = 0;
  ((FaultFile*)file)->flags = flags;
  if( mustFail(TRUST_OPEN) ) return SQLITE_CANTOPEN;
  code = originalVFS->xOpen(originalVFS, name, original(file), flags, outFlags);
  if( code==SQLITE_OK ) file->pMethods = &faultMethods;
  return code;
}

static int faultDelete(sqlite3_vfs *vfs, const char *name, int syncs){
  if( mustFail(TRUST_DELETE) ) return SQLITE_IOERR_DELETE;
  int code = originalVFS->xDelete(originalVFS, name, 0);
  /* The file is gone, but the folder that lists it can't be written. */
  return code==SQLITE_OK && syncs && mustFail(TRUST_DELETE_SYNC) ? SQLITE_IOERR_DIR_FSYNC : code;
}

static int faultAccess(sqlite3_vfs *vfs, const char *name, int flags, int *result){
  if( mustFail(TRUST_ACCESS) ) return SQLITE_IOERR_ACCESS;
  return originalVFS->xAccess(originalVFS, name, flags, result);
}

static int faultFullPathname(sqlite3_vfs *vfs, const char *name, int count, char *path){
  if( mustFail(TRUST_FULL_PATH) ) return SQLITE_CANTOPEN_FULLPATH;
  return originalVFS->xFullPathname(originalVFS, name, count, path);
}

#ifdef TRUST_ENCRYPTED
/* Of SQLite3 Multiple Ciphers. */
int grdb_sqlite3mc_vfs_create(const char *original, int isDefault);
#endif

int trust_install_vfs(void){
  int code = sqlite3_initialize();
  if( code!=SQLITE_OK ) return code;
#ifdef TRUST_ENCRYPTED
  /* The ciphers are in a VFS, which must be above the one whose operations fail, as above a file system. */
  originalVFS = sqlite3_vfs_find("unix");
#else
  originalVFS = sqlite3_vfs_find(0);
#endif
  if( originalVFS==0 ) return SQLITE_ERROR;
  faultVFS = *originalVFS;
  faultVFS.pNext = 0;
  faultVFS.zName = "trust";
  faultVFS.szOsFile += (int)sizeof(FaultFile);
  faultVFS.xOpen = faultOpen;
  faultVFS.xDelete = faultDelete;
  faultVFS.xAccess = faultAccess;
  faultVFS.xFullPathname = faultFullPathname;
  code = sqlite3_vfs_register(&faultVFS, 1);
#ifdef TRUST_ENCRYPTED
  if( code==SQLITE_OK ) code = grdb_sqlite3mc_vfs_create(faultVFS.zName, 1);
#endif
  return code;
}
