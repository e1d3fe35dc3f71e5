/*
** The functions of CGRDBSQLiteCiphers.h. Part of CGRDBSQLite.c: they need the internals of SQLite and
** of the ciphers.
*/
#include "include/CGRDBSQLiteCiphers.h"

/* Compare the uses of Codec, sqlite3mc_file and CipherDescriptor with a new version. */
#if SQLITE3MC_VERSION_MAJOR!=2 || SQLITE3MC_VERSION_MINOR!=6
#error "ciphers.c was not checked against this version of SQLite3 Multiple Ciphers"
#endif

#define GRDB_SALT_LENGTH 16
#define GRDB_SALT_KEY "sqlite3mc_cipher_salt"

void grdb_cipher_wipe(void *bytes, size_t count){
  sqlite3mcSecureZeroMemory(bytes, count);
}

int grdb_cipher_select(grdb_ciphers_connection *connection, const char *cipher, int lasts){
  sqlite3 *db = (sqlite3*)connection;
  int index = sqlite3mc_cipher_index(cipher);
  if( index<=0 ) return 0;
  return sqlite3mc_config(db, lasts ? "default:cipher" : "cipher", index)==index;
}

int grdb_cipher_set_parameter(
  grdb_ciphers_connection *connection, const char *cipher, const char *parameter, int value, int lasts
){
  sqlite3 *db = (sqlite3*)connection;
  char name[64];
  sqlite3_snprintf(sizeof(name), name, "%s%s", lasts ? "default:" : "", parameter);
  return sqlite3mc_config_cipher(db, cipher, name, value)==value;
}

static void grdbFreeSalt(void *salt){
  sqlite3mcSecureZeroMemory(salt, 2*GRDB_SALT_LENGTH);
  sqlite3_free(salt);
}

int grdb_cipher_set_salt(grdb_ciphers_connection *connection, const unsigned char *salt){
  sqlite3 *db = (sqlite3*)connection;
  char *hex;
  if( salt==0 ) return sqlite3_set_clientdata(db, GRDB_SALT_KEY, 0, 0);
  hex = sqlite3_malloc(2*GRDB_SALT_LENGTH + 1);
  if( hex==0 ) return SQLITE_NOMEM;
  for(int i=0; i<GRDB_SALT_LENGTH; i++) sqlite3_snprintf(3, hex + 2*i, "%02x", salt[i]);
  return sqlite3_set_clientdata(db, GRDB_SALT_KEY, hex, grdbFreeSalt);
}

int grdb_cipher_get_salt(
  grdb_ciphers_connection *connection, const char *schema, unsigned char *salt
){
  unsigned char *bytes = sqlite3mc_codec_data((sqlite3*)connection, schema, "raw:cipher_salt");
  if( bytes==0 ) return 0;
  memcpy(salt, bytes, GRDB_SALT_LENGTH);
  sqlite3_free(bytes);
  return 1;
}

/* Who wants memory to be cleared: the process, and the copies that are being made. */
static int grdbSecureProcess = 0;
static int grdbSecureCopies = 0;

static void grdbSecureMemory(int *count, int change, int value){
  sqlite3_mutex *mutex;
  sqlite3_initialize();
  mutex = sqlite3_mutex_alloc(SQLITE_MUTEX_STATIC_APP1);
  sqlite3_mutex_enter(mutex);
  *count = change ? *count + change : value;
  sqlite3mcSetMemorySecurity(grdbSecureProcess || grdbSecureCopies ? SECURE_MEMORY_FILL : SECURE_MEMORY_NONE);
  sqlite3_mutex_leave(mutex);
}

void grdb_cipher_secure_memory(int onoff){
  grdbSecureMemory(&grdbSecureProcess, 0, onoff!=0);
}

int grdb_cipher_key(
  grdb_ciphers_connection *db, const char *schema, const void *key, int count
){
  return sqlite3_key_v2((sqlite3*)db, schema, key, count);
}

int grdb_cipher_rekey(
  grdb_ciphers_connection *db, const char *schema, const void *key, int count
){
  return sqlite3_rekey_v2((sqlite3*)db, schema, key, count);
}

/* Whether a transaction has changed a database. `BEGIN IMMEDIATE` writes the first page of an empty one. */
static int grdbHasWritten(Btree *btree){
  Pager *pager;
  u32 value = 0;
  if( btree==0 || sqlite3BtreeTxnState(btree)!=SQLITE_TXN_WRITE ) return 0;
  pager = sqlite3BtreePager(btree);
  if( pager->eState<=PAGER_WRITER_LOCKED ) return 0;
  if( pager->dbOrigSize>0 || sqlite3BtreeLastPage(btree)>1 ) return 1;
  for(int i=BTREE_SCHEMA_VERSION; i<=BTREE_APPLICATION_ID; i++){
    if( i!=BTREE_SCHEMA_VERSION && i!=BTREE_USER_VERSION && i!=BTREE_APPLICATION_ID ) continue;
    sqlite3BtreeGetMeta(btree, i, &value);
    if( value ) return 1;
  }
  return 0;
}

/* Runs a statement that no hook, trace function or authorizer hears of. */
static int grdbRunUnheard(sqlite3 *db, const char *sql){
  sqlite3_xauth authorizer = db->xAuth;
  int (*commitHook)(void*) = db->xCommitCallback;
  void (*rollbackHook)(void*) = db->xRollbackCallback;
  u8 trace = db->mTrace;
  int rc;
  db->xAuth = 0;
  db->xCommitCallback = 0;
  db->xRollbackCallback = 0;
  db->mTrace = 0;
  rc = sqlite3_exec(db, sql, 0, 0, 0);
  db->mTrace = trace;
  db->xRollbackCallback = rollbackHook;
  db->xCommitCallback = commitHook;
  db->xAuth = authorizer;
  return rc;
}

#define GRDB_TRANSACTION_WRITES 1
#define GRDB_TRANSACTION_EXCLUDES 2
#define GRDB_TRANSACTION_DEFERS 4

int grdb_cipher_pause_transaction(grdb_ciphers_connection *connection, int *state){
  sqlite3 *db = (sqlite3*)connection;
  *state = -1;
  if( db->autoCommit ) return SQLITE_OK;
  if( db->isTransactionSavepoint || db->nSavepoint>0 ) return SQLITE_MISUSE;
  for(int i=0; i<db->nDb; i++){
    if( grdbHasWritten(db->aDb[i].pBt) ) return SQLITE_MISUSE;
  }
  *state = 0;
  if( sqlite3_txn_state(db, "main")==SQLITE_TXN_WRITE ){
    Pager *pager = sqlite3BtreePager(db->aDb[0].pBt);
    *state |= GRDB_TRANSACTION_WRITES;
    if( pager->pWal==0 && pager->eLock==EXCLUSIVE_LOCK && pager->exclusiveMode==0 ){
      *state |= GRDB_TRANSACTION_EXCLUDES;
    }
  }
  if( db->flags & SQLITE_DeferFKs ) *state |= GRDB_TRANSACTION_DEFERS;
  return grdbRunUnheard(db, "ROLLBACK");
}

int grdb_cipher_resume_transaction(grdb_ciphers_connection *connection, int state){
  sqlite3 *db = (sqlite3*)connection;
  int rc;
  if( state<0 ) return SQLITE_OK;
  rc = grdbRunUnheard(db,
      state & GRDB_TRANSACTION_EXCLUDES ? "BEGIN EXCLUSIVE"
      : state & GRDB_TRANSACTION_WRITES ? "BEGIN IMMEDIATE" : "BEGIN");
  if( rc==SQLITE_OK ){
    if( state & GRDB_TRANSACTION_DEFERS ) db->flags |= SQLITE_DeferFKs;
  }else if( db->xRollbackCallback ){
    db->xRollbackCallback(db->pRollbackArg);
  }
  return rc;
}

int grdb_cipher_has_key(grdb_ciphers_connection *connection, const char *schema){
  Codec *codec = sqlite3mcGetCodec((sqlite3*)connection, schema);
  return codec!=0 && sqlite3mcIsEncrypted(codec);
}

/* The file of a schema below the ciphers, and its size. Null if it is in no file, or in an empty one. */
static sqlite3_file *grdbPlainFile(sqlite3 *db, int index, i64 *size){
  Btree *btree = db->aDb[index].pBt;
  sqlite3_file *file;
  if( btree==0 ) return 0;
  file = sqlite3PagerFile(sqlite3BtreePager(btree));
  if( file==0 || file->pMethods==0 || file->pMethods->xClose!=mcIoClose ) return 0;
  file = REALFILE(file);
  if( file->pMethods==0 || file->pMethods->xFileSize(file, size)!=SQLITE_OK || *size<=0 ) return 0;
  return file;
}

/* Whether a page authenticates that is at an offset of a file or its WAL. */
static int grdbAuthenticatesAt(
  Codec *codec, sqlite3_file *file, i64 size, i64 offset, Pgno page, int pageSize
){
  unsigned char *bytes;
  int rc;
  if( offset+pageSize>size ) return 0;
  bytes = sqlite3_malloc(pageSize);
  if( bytes==0 ) return 0;
  rc = file->pMethods->xRead(file, bytes, pageSize, offset);
  if( rc==SQLITE_OK ) rc = sqlite3mcDecrypt(codec, page, bytes, pageSize);
  if( rc==SQLITE_OK && page==1 ){
    /* Ciphers without authentication: the payload fractions are the same in all files. */
    int isSize = (bytes[16]<<8 | bytes[17]<<16)==pageSize;
    if( !isSize || bytes[21]!=64 || bytes[22]!=32 || bytes[23]!=32 ) rc = SQLITE_NOTADB;
  }
  sqlite3mcSecureZeroMemory(bytes, pageSize);
  sqlite3_free(bytes);
  return rc==SQLITE_OK;
}

static int grdbAuthenticates(Codec *codec, sqlite3_file *file, i64 size, Pgno page, int pageSize){
  return grdbAuthenticatesAt(codec, file, size, (i64)(page-1)*pageSize, page, pageSize);
}

/* What the latest frames of a WAL say about a key. */
typedef struct grdbFrames {
  int tested;
  int authentic;
  int containsPage;
} grdbFrames;

static grdbFrames grdbTestFrames(Codec *codec, Pager *pager, Pgno failedPage, int pageSize){
  grdbFrames frames = {0, 0, 0};
  Wal *wal = pager->pWal;
  sqlite3_file *file;
  i64 size = 0;
  u32 last;
  if( wal==0 || wal->pWalFd->pMethods==0 || (int)wal->szPage!=pageSize ) return frames;
  file = REALFILE(wal->pWalFd);
  if( file->pMethods==0 || file->pMethods->xFileSize(file, &size)!=SQLITE_OK ) return frames;
  last = wal->hdr.mxFrame;
  for(u32 i=last; i>0 && (last-i<20 || !frames.containsPage); i--){
    unsigned char number[4];
    i64 offset = walFrameOffset(i, pageSize);
    Pgno page;
    if( file->pMethods->xRead(file, number, 4, offset)!=SQLITE_OK ) continue;
    page = sqlite3Get4byte(number);
    if( page==failedPage ) frames.containsPage = 1;
    if( page==0 || last-i>=20 ) continue;
    frames.tested++;
    frames.authentic += grdbAuthenticatesAt(codec, file, size, offset+WAL_FRAME_HDRSIZE, page, pageSize);
  }
  return frames;
}

/* Whether pages are authenticated at all, which version 1 of SQLCipher does not do. */
static int grdbChecksPages(Codec *codec){
  if( codec->m_hmacCheck==0 ) return 0;
  if( codec->m_readCipherType!=sqlite3mc_cipher_index(CIPHER_NAME_SQLCIPHER) ) return 1;
  return ((SQLCipherCipher*)codec->m_readCipher)->m_hmacUse!=0;
}

static int grdbPageSize(Codec *codec){
  int size = sqlite3mcGetPageSizeReadCipher(codec);
  return size>0 ? size : 4096;
}

int grdb_cipher_opens(
  grdb_ciphers_connection *connection, const char *schema, const void *key, int count
){
  sqlite3 *db = (sqlite3*)connection;
  int index = sqlite3FindDbName(db, schema);
  int result = -1;
  i64 size = 0;
  sqlite3_file *file = index<0 ? 0 : grdbPlainFile(db, index, &size);
  Codec *codec;
  if( file==0 ) return -1;
  codec = (Codec*)sqlite3_malloc(sizeof(Codec));
  if( codec==0 ) return -1;
  sqlite3mcCodecInit(codec);
  sqlite3mcSetDb(codec, db);
  sqlite3mcSetBtree(codec, db->aDb[index].pBt);
  {
    const char *salt = (const char*)sqlite3_get_clientdata(db, GRDB_SALT_KEY);
    if( salt ){
      codec->m_hasKeySalt = 1;
      sqlite3mcConvertHex2Bin((const unsigned char*)salt, 2*GRDB_SALT_LENGTH, codec->m_keySalt);
    }
  }
  if( sqlite3mcCodecSetup(codec, sqlite3mcGetCipherType(db), (char*)key, count)==SQLITE_OK ){
    sqlite3mcSetReadReserved(codec, sqlite3mcGetReservedReadCipher(codec));
    result = grdbAuthenticates(codec, file, size, 1, grdbPageSize(codec));
  }
  sqlite3mcCodecFree(codec);
  return result;
}

static int grdbDiagnoseSchema(sqlite3 *db, int index, int resultCode, unsigned *page){
  static const unsigned char magic[16] = SQLITE_FILE_HEADER;
  unsigned char header[101];
  i64 size = 0;
  Codec *codec = sqlite3mcGetCodec(db, db->aDb[index].zDbSName);
  sqlite3_file *file = grdbPlainFile(db, index, &size);
  int pageSize;
  int isPlain;
  int flags;
  *page = 0;
  if( file==0 ) return GRDB_CIPHER_UNKNOWN;
  memset(header, 0, sizeof(header));
  file->pMethods->xRead(file, header, size<(i64)sizeof(header) ? (int)size : (int)sizeof(header), 0);
  flags = header[100];
  /* A file may have a readable header, and be encrypted beyond it. */
  isPlain = memcmp(header, magic, 16)==0 && (flags==2 || flags==5 || flags==10 || flags==13);
  if( codec==0 || !sqlite3mcIsEncrypted(codec) ){
    if( (resultCode&0xff)!=SQLITE_NOTADB || isPlain || size<512 ) return GRDB_CIPHER_UNKNOWN;
    /* Encrypted files consist of pages. */
    return size%512==0 ? GRDB_CIPHER_MISSING_KEY : GRDB_CIPHER_UNKNOWN;
  }
  if( isPlain ) return GRDB_CIPHER_NOT_ENCRYPTED;
  *page = codec->m_failedPage;
  codec->m_failedPage = 0;
  if( (resultCode&0xff)!=SQLITE_NOTADB && *page==0 ) return GRDB_CIPHER_UNKNOWN;
  pageSize = grdbPageSize(codec);
  {
    /* The reserved bytes that SQLite takes from the header of the first page may be wrong. */
    int reserved = codec->m_readReserved;
    Pgno count = (Pgno)(size/pageSize);
    int result = GRDB_CIPHER_WRONG_KEY;
    grdbFrames frames;
    codec->m_readReserved = sqlite3mcGetReservedReadCipher(codec);
    frames = grdbTestFrames(codec, sqlite3BtreePager(db->aDb[index].pBt), *page, pageSize);
    if( *page>0 && frames.containsPage && grdbChecksPages(codec) ){
      /* Another connection has changed the key if all frames have another one. */
      if( frames.authentic>0 || frames.tested<2 ) result = GRDB_CIPHER_ALTERED;
    }else if( grdbAuthenticates(codec, file, size, 1, pageSize) ){
      result = *page>1 ? GRDB_CIPHER_ALTERED : GRDB_CIPHER_UNKNOWN;
    }else if( grdbChecksPages(codec) ){
      int isKey = frames.authentic>0;
      for(Pgno other=2; !isKey && other<=count && other<=20; other++){
        isKey = grdbAuthenticates(codec, file, size, other, pageSize);
      }
      if( isKey ){
        result = GRDB_CIPHER_ALTERED;
        if( *page==0 ) *page = 1;
      }
    }
    codec->m_readReserved = reserved;
    return result;
  }
}

int grdb_cipher_diagnose(
  grdb_ciphers_connection *connection, int resultCode, const char **schema, unsigned *page
){
  sqlite3 *db = (sqlite3*)connection;
  for(int i=0; i<db->nDb; i++){
    int result = i==1 ? GRDB_CIPHER_UNKNOWN : grdbDiagnoseSchema(db, i, resultCode, page);
    if( result!=GRDB_CIPHER_UNKNOWN ){
      *schema = db->aDb[i].zDbSName;
      return result;
    }
  }
  return GRDB_CIPHER_UNKNOWN;
}

/* Runs a statement that may contain a key: no trace function and no authorizer hears of it. */
static int grdbRunSecretly(
  sqlite3 *db, const char *sql, const char *first, const char *second, const void *blob, int count
){
  sqlite3_stmt *statement = 0;
  sqlite3_xauth authorizer = db->xAuth;
  u8 trace = db->mTrace;
  int rc;
  if( sql==0 ) return SQLITE_NOMEM;
  grdbSecureMemory(&grdbSecureCopies, 1, 0);
  db->xAuth = 0;
  db->mTrace = 0;
  rc = sqlite3_prepare_v2(db, sql, -1, &statement, 0);
  if( rc==SQLITE_OK ) rc = sqlite3_bind_text(statement, 1, first, -1, SQLITE_STATIC);
  if( rc==SQLITE_OK && second ) rc = sqlite3_bind_text(statement, 2, second, -1, SQLITE_STATIC);
  if( rc==SQLITE_OK && second ){
    rc = sqlite3_bind_blob(statement, 3, count ? blob : "", count, SQLITE_STATIC);
  }
  if( rc==SQLITE_OK ) rc = sqlite3_step(statement);
  /* Repeats the code and the message of the step. */
  if( rc==SQLITE_DONE ) rc = SQLITE_OK;
  if( statement ){
    int last = sqlite3_finalize(statement);
    if( rc==SQLITE_OK ) rc = last;
  }
  db->mTrace = trace;
  db->xAuth = authorizer;
  grdbSecureMemory(&grdbSecureCopies, -1, 0);
  return rc;
}

int grdb_cipher_vacuum(
  grdb_ciphers_connection *connection, const char *schema, const char *uri, const void *key, int count,
  int pageSize
){
  sqlite3 *db = (sqlite3*)connection;
  sqlite3mcCopyKey copyKey = {key, count};
  int nextPageSize = db->nextPagesize;
  char *sql = sqlite3_mprintf("VACUUM \"%w\" INTO ?1", schema);
  int rc;
  db->nextPagesize = pageSize;
  rc = sqlite3_set_clientdata(db, "grdb_copy_key", &copyKey, 0);
  if( rc==SQLITE_OK ) rc = grdbRunSecretly(db, sql, uri, 0, 0, 0);
  sqlite3_set_clientdata(db, "grdb_copy_key", 0, 0);
  db->nextPagesize = nextPageSize;
  sqlite3_free(sql);
  return rc;
}

/*
** `sqlcipher_export(target, source)`: copies a schema, main by default, into an empty one, as VACUUM INTO does.
** In the SELECT that calls it, a savepoint makes it one transaction.
*/
static void grdbExport(sqlite3_context *context, int count, sqlite3_value **values){
  sqlite3 *db = sqlite3_context_db_handle(context);
  const char *target = (const char*)sqlite3_value_text(values[0]);
  const char *source = count>1 ? (const char*)sqlite3_value_text(values[1]) : "main";
  int targetIndex = target ? sqlite3FindDbName(db, target) : -1;
  int sourceIndex = source ? sqlite3FindDbName(db, source) : -1;
  sqlite3_xauth authorizer = db->xAuth;
  void (*updateHook)(void*,int,char const*,char const*,sqlite_int64) = db->xUpdateCallback;
  void (*preUpdateHook)(void*,sqlite3*,int,char const*,char const*,sqlite3_int64,sqlite3_int64) =
    db->xPreUpdateCallback;
  u64 flags = db->flags;
  u32 dbFlags = db->mDbFlags;
  i64 changeCount = db->nChange;
  i64 totalChangeCount = db->nTotalChange;
  u8 trace = db->mTrace;
  char *message = 0;
  u32 version = 0;
  int rc;
  if( targetIndex<0 || sourceIndex<0 || targetIndex==sourceIndex ){
    sqlite3_result_error(context, "sqlcipher_export needs the names of two databases", -1);
    return;
  }
  target = db->aDb[targetIndex].zDbSName;
  source = db->aDb[sourceIndex].zDbSName;
  db->xAuth = 0;
  db->mTrace = 0;
  rc = execSql(db, &message, "SAVEPOINT sqlcipher_export");
  if( rc==SQLITE_OK ) rc = execSqlF(db, &message, "SELECT 1 FROM \"%w\".sqlite_schema", target);
  if( rc!=SQLITE_OK ) goto end;
  db->xUpdateCallback = 0;
  db->xPreUpdateCallback = 0;
  db->flags |= SQLITE_WriteSchema | SQLITE_IgnoreChecks | SQLITE_Comments;
  db->flags &= ~(u64)(SQLITE_ForeignKeys | SQLITE_ReverseOrder | SQLITE_Defensive | SQLITE_CountRows);
  /* Rows are copied without looking for others. */
  if( sqliteHashCount(&db->aDb[targetIndex].pSchema->tblHash)>1 ){
    rc = SQLITE_ERROR;
    sqlite3SetString(&message, db, "sqlcipher_export needs an empty database");
  }
  db->mDbFlags |= DBFLAG_PreferBuiltin | DBFLAG_Vacuum | DBFLAG_VacuumInto;
  db->init.iDb = targetIndex;
  if( rc==SQLITE_OK ){
    rc = execSqlF(db, &message,
        "SELECT sql FROM \"%w\".sqlite_schema"
        " WHERE type='table' AND name<>'sqlite_sequence' AND coalesce(rootpage,1)>0", source);
  }
  if( rc==SQLITE_OK ){
    rc = execSqlF(db, &message, "SELECT sql FROM \"%w\".sqlite_schema WHERE type='index'", source);
  }
  db->init.iDb = 0;
  if( rc==SQLITE_OK ){
    rc = execSqlF(db, &message,
        "SELECT 'INSERT INTO \"%w\".'||quote(name)||' SELECT * FROM \"%w\".'||quote(name)"
        " FROM \"%w\".sqlite_schema WHERE type='table' AND coalesce(rootpage,1)>0", target, source, target);
  }
  db->mDbFlags &= ~DBFLAG_Vacuum;
  if( rc==SQLITE_OK ){
    rc = execSqlF(db, &message,
        "INSERT INTO \"%w\".sqlite_schema SELECT * FROM \"%w\".sqlite_schema"
        " WHERE type IN ('view', 'trigger') OR (type='table' AND rootpage=0)", target, source);
  }
  if( rc==SQLITE_OK ){
    sqlite3BtreeGetMeta(db->aDb[targetIndex].pBt, BTREE_SCHEMA_VERSION, &version);
    rc = sqlite3BtreeUpdateMeta(db->aDb[targetIndex].pBt, BTREE_SCHEMA_VERSION, version+1);
  }
  db->flags = flags;
  if( rc!=SQLITE_OK ) execSql(db, 0, "ROLLBACK TO sqlcipher_export");
  sqlite3ResetOneSchema(db, targetIndex);
  {
    int released = execSql(db, rc==SQLITE_OK ? &message : 0, "RELEASE sqlcipher_export");
    if( rc==SQLITE_OK ) rc = released;
  }
end:
  db->flags = flags;
  db->mDbFlags &= ~(u32)(DBFLAG_Vacuum | DBFLAG_VacuumInto | (DBFLAG_PreferBuiltin & ~dbFlags));
  db->nChange = changeCount;
  db->nTotalChange = totalChangeCount;
  db->xUpdateCallback = updateHook;
  db->xPreUpdateCallback = preUpdateHook;
  db->mTrace = trace;
  db->xAuth = authorizer;
  if( rc!=SQLITE_OK ){
    sqlite3_result_error(context, message ? message : sqlite3_errstr(rc), -1);
    sqlite3_result_error_code(context, rc);
  }
  sqlite3DbFree(db, message);
}

int grdb_cipher_add_export(grdb_ciphers_connection *connection){
  for(int count=1; count<=2; count++){
    int rc = sqlite3_create_function(
        (sqlite3*)connection, "sqlcipher_export", count, SQLITE_UTF8 | SQLITE_DIRECTONLY, 0, grdbExport, 0, 0);
    if( rc!=SQLITE_OK ) return rc;
  }
  return SQLITE_OK;
}

int grdb_cipher_attach(
  grdb_ciphers_connection *connection, const char *path, const char *schema, const void *key, int count,
  int *isPlain
){
  sqlite3 *db = (sqlite3*)connection;
  const char *sql = "ATTACH DATABASE ?1 AS ?2 KEY ?3";
  int rc = grdbRunSecretly(db, sql, path, schema, key, count);
  *isPlain = 0;
  /* Not by reading the file: closing it would release the locks of other connections. */
  if( (rc&0xff)==SQLITE_NOTADB && count>0 && grdbRunSecretly(db, sql, path, schema, 0, 0)==SQLITE_OK ){
    *isPlain = 1;
    grdbRunSecretly(db, "DETACH DATABASE ?1", schema, 0, 0, 0);
  }
  return rc;
}
