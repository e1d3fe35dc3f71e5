#include "power.h"
#include "GRDBSQLite.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
** The record. The lock covers an operation and its event, so that the events are in the order of the operations.
*/
static pthread_mutex_t recordLock = PTHREAD_MUTEX_INITIALIZER;
static FILE *record;

static void emit(uint32_t kind, uint32_t file, int64_t offset, const void *bytes, int64_t count){
  struct { uint32_t kind, file; int64_t offset, count; } header = { kind, file, offset, count };
  if( record==0 ) return;
  fwrite(&header, sizeof header, 1, record);
  if( count>0 ) fwrite(bytes, 1, (size_t)count, record);
}

/*
** The entries of folders.
*/
typedef struct Entry {
  char *name;
  uint32_t file;
  struct Entry *next;
} Entry;

static Entry *entries;
static uint32_t fileCount;

static Entry **findEntry(const char *name){
  Entry **entry = &entries;
  while( *entry && strcmp((*entry)->name, name)!=0 ) entry = &(*entry)->next;
  return entry;
}

static uint32_t addEntry(const char *name){
  Entry *entry = malloc(sizeof *entry);
  entry->name = strdup(name);
  entry->file = ++fileCount;
  entry->next = entries;
  entries = entry;
  return entry->file;
}

static void removeEntry(Entry **entry){
  Entry *removed = *entry;
  *entry = removed->next;
  free(removed->name);
  free(removed);
}

static void emitContent(const char *name, uint32_t file){
  FILE *stream = fopen(name, "rb");
  char *bytes;
  long count;
  if( stream==0 ) return;
  fseek(stream, 0, SEEK_END);
  count = ftell(stream);
  rewind(stream);
  bytes = malloc((size_t)count + 1);
  count = (long)fread(bytes, 1, (size_t)count, stream);
  fclose(stream);
  emit(TRUST_EVENT_CONTENT, file, 0, bytes, count);
  free(bytes);
}

int trust_record(const char *path){
  pthread_mutex_lock(&recordLock);
  while( entries ) removeEntry(&entries);
  record = fopen(path, "wb");
  pthread_mutex_unlock(&recordLock);
  return record ? SQLITE_OK : SQLITE_CANTOPEN;
}

void trust_mark(const char *text, long count){
  pthread_mutex_lock(&recordLock);
  emit(TRUST_EVENT_MARK, 0, 0, text, count);
  pthread_mutex_unlock(&recordLock);
}

void trust_end_record(void){
  pthread_mutex_lock(&recordLock);
  if( record ) fclose(record);
  record = 0;
  pthread_mutex_unlock(&recordLock);
}

unsigned trust_crc32(unsigned former, const void *bytes, long count){
  static uint32_t table[256];
  const unsigned char *byte = bytes;
  uint32_t crc = ~former;
  pthread_mutex_lock(&recordLock);
  if( table[1]==0 ){
    for(uint32_t i=0; i<256; i++){
      uint32_t value = i;
      for(int bit=0; bit<8; bit++) value = value & 1 ? value>>1 ^ 0xEDB88320u : value>>1;
      table[i] = value;
    }
  }
  pthread_mutex_unlock(&recordLock);
  while( count-- > 0 ) crc = crc>>8 ^ table[(crc ^ *byte++) & 0xFF];
  return ~crc;
}

/*
** The file system. Each file is followed in memory by the file of the original file system.
*/
typedef struct RecordedFile {
  sqlite3_file base;
  uint32_t file;     /* 0 if it is not recorded: temporary files */
  int syncsFolder;   /* the next sync also syncs the folder */
} RecordedFile;

static sqlite3_vfs *originalVFS;
static sqlite3_vfs recordingVFS;
static int hidesSafeOverwrites;
static uint64_t randomState;

static sqlite3_file *original(sqlite3_file *file){
  return (sqlite3_file*)&((RecordedFile*)file)[1];
}

static int recordedClose(sqlite3_file *file){
  return original(file)->pMethods ? original(file)->pMethods->xClose(original(file)) : SQLITE_OK;
}

static int recordedRead(sqlite3_file *file, void *buffer, int count, sqlite3_int64 offset){
  return original(file)->pMethods->xRead(original(file), buffer, count, offset);
}

static int recordedWrite(sqlite3_file *file, const void *buffer, int count, sqlite3_int64 offset){
  uint32_t number = ((RecordedFile*)file)->file;
  int code;
  if( number==0 ) return original(file)->pMethods->xWrite(original(file), buffer, count, offset);
  pthread_mutex_lock(&recordLock);
  code = original(file)->pMethods->xWrite(original(file), buffer, count, offset);
  if( code==SQLITE_OK ) emit(TRUST_EVENT_WRITE, number, offset, buffer, count);
  pthread_mutex_unlock(&recordLock);
  return code;
}

static int recordedTruncate(sqlite3_file *file, sqlite3_int64 size){
  uint32_t number = ((RecordedFile*)file)->file;
  int code;
  if( number==0 ) return original(file)->pMethods->xTruncate(original(file), size);
  pthread_mutex_lock(&recordLock);
  code = original(file)->pMethods->xTruncate(original(file), size);
  if( code==SQLITE_OK ) emit(TRUST_EVENT_TRUNCATE, number, size, 0, 0);
  pthread_mutex_unlock(&recordLock);
  return code;
}

/* As the file system for Unix: the first sync of a file that may be new also syncs its folder. */
static int recordedSync(sqlite3_file *file, int flags){
  RecordedFile *recorded = (RecordedFile*)file;
  if( recorded->file==0 ) return SQLITE_OK;
  pthread_mutex_lock(&recordLock);
  emit(TRUST_EVENT_SYNC, recorded->file, recorded->syncsFolder, 0, 0);
  recorded->syncsFolder = 0;
  pthread_mutex_unlock(&recordLock);
  return SQLITE_OK;
}

static int recordedFileSize(sqlite3_file *file, sqlite3_int64 *size){
  return original(file)->pMethods->xFileSize(original(file), size);
}

static int recordedLock(sqlite3_file *file, int level){
  return original(file)->pMethods->xLock(original(file), level);
}

static int recordedUnlock(sqlite3_file *file, int level){
  return original(file)->pMethods->xUnlock(original(file), level);
}

static int recordedCheckReservedLock(sqlite3_file *file, int *result){
  return original(file)->pMethods->xCheckReservedLock(original(file), result);
}

static int recordedFileControl(sqlite3_file *file, int operation, void *argument){
  return original(file)->pMethods->xFileControl(original(file), operation, argument);
}

static int recordedSectorSize(sqlite3_file *file){
  return original(file)->pMethods->xSectorSize(original(file));
}

static int recordedDeviceCharacteristics(sqlite3_file *file){
  int flags = original(file)->pMethods->xDeviceCharacteristics(original(file));
  return hidesSafeOverwrites ? flags & ~SQLITE_IOCAP_POWERSAFE_OVERWRITE : flags;
}

static int recordedShmMap(
  sqlite3_file *file, int page, int size, int extend, void volatile **memory
){
  return original(file)->pMethods->xShmMap(original(file), page, size, extend, memory);
}

static int recordedShmLock(sqlite3_file *file, int offset, int count, int flags){
  return original(file)->pMethods->xShmLock(original(file), offset, count, flags);
}

static void recordedShmBarrier(sqlite3_file *file){
  original(file)->pMethods->xShmBarrier(original(file));
}

static int recordedShmUnmap(sqlite3_file *file, int deletes){
  return original(file)->pMethods->xShmUnmap(original(file), deletes);
}

static int recordedFetch(sqlite3_file *file, sqlite3_int64 offset, int count, void **memory){
  return original(file)->pMethods->xFetch(original(file), offset, count, memory);
}

static int recordedUnfetch(sqlite3_file *file, sqlite3_int64 offset, void *memory){
  return original(file)->pMethods->xUnfetch(original(file), offset, memory);
}

static const sqlite3_io_methods recordedMethods = {
  3,
  recordedClose, recordedRead, recordedWrite, recordedTruncate, recordedSync, recordedFileSize,
  recordedLock, recordedUnlock, recordedCheckReservedLock, recordedFileControl, recordedSectorSize,
  recordedDeviceCharacteristics, recordedShmMap, recordedShmLock, recordedShmBarrier, recordedShmUnmap,
  recordedFetch, recordedUnfetch,
};

static int recordedOpen(
  sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags, int *outFlags
){
  const int journals = SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_WAL;
  RecordedFile *recorded = (RecordedFile*)file;
  int isRecorded = name!=0 && (flags & (SQLITE_OPEN_MAIN_DB | journals))!=0;
  int exists, code;
  recorded->base.pMethods = 0;
  recorded->file = 0;
  recorded->syncsFolder = (flags & SQLITE_OPEN_CREATE) && (flags & journals);
  pthread_mutex_lock(&recordLock);
  exists = isRecorded && access(name, F_OK)==0;
  code = originalVFS->xOpen(originalVFS, name, original(file), flags, outFlags);
  if( code==SQLITE_OK ){
    recorded->base.pMethods = &recordedMethods;
    if( isRecorded && record ){
      Entry *entry = *findEntry(name);
      if( entry ){
        recorded->file = entry->file;
      }else{
        recorded->file = addEntry(name);
        emit(exists ? TRUST_EVENT_EXISTING : TRUST_EVENT_CREATE, recorded->file, 0, name, (int64_t)strlen(name));
        if( exists ) emitContent(name, recorded->file);
      }
    }
  }
  pthread_mutex_unlock(&recordLock);
  return code;
}

static int recordedDelete(sqlite3_vfs *vfs, const char *name, int syncs){
  Entry **entry;
  int code;
  pthread_mutex_lock(&recordLock);
  code = originalVFS->xDelete(originalVFS, name, 0);
  entry = findEntry(name);
  if( code==SQLITE_OK && *entry ){
    emit(TRUST_EVENT_DELETE, (*entry)->file, syncs!=0, name, (int64_t)strlen(name));
    removeEntry(entry);
  }
  pthread_mutex_unlock(&recordLock);
  return code;
}

static int recordedRandomness(sqlite3_vfs *vfs, int count, char *bytes){
  pthread_mutex_lock(&recordLock);
  for(int i=0; i<count; i++){
    randomState = randomState * 6364136223846793005u + 1442695040888963407u;
    bytes[i] = (char)(randomState >> 56);
  }
  pthread_mutex_unlock(&recordLock);
  return count;
}

int trust_install_recorder(int overwrites, unsigned long long seed){
  int code;
  randomState = seed;
  hidesSafeOverwrites = !overwrites;
  code = sqlite3_initialize();
  if( code!=SQLITE_OK ) return code;
  originalVFS = sqlite3_vfs_find(0);
  if( originalVFS==0 ) return SQLITE_ERROR;
  recordingVFS = *originalVFS;
  recordingVFS.pNext = 0;
  recordingVFS.zName = "power";
  recordingVFS.szOsFile += (int)sizeof(RecordedFile);
  recordingVFS.xOpen = recordedOpen;
  recordingVFS.xDelete = recordedDelete;
  recordingVFS.xRandomness = recordedRandomness;
  return sqlite3_vfs_register(&recordingVFS, 1);
}
