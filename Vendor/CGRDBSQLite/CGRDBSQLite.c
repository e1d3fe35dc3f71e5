/*
** The one file that compiles SQLite: the amalgamation under renamed symbols, and after it, in the
** same translation unit, the functions that need its internals.
*/
#include "options.h"
#include "include/grdb_sqlite3_extnames.h"
#include "amalgamation/static_names.h"
#ifdef GRDB_ENCRYPTION
#include "../CGRDBSQLiteCiphers/options.h"
#include "../CGRDBSQLiteCiphers/amalgamation/extnames.h"
#endif
/*
** SQLite's own sessions and preupdate hook share one place of the connection. These functions of ours
** take the public names, and call the ones of SQLite: see grdbPreUpdateHooks.
*/
#define sqlite3_preupdate_hook grdb_set_preupdate_slot
#define sqlite3session_create grdb_create_session
#define sqlite3session_delete grdb_delete_session
/* C code must not free the statements of Swift objects: see grdb_own_statement(). */
#define sqlite3_finalize grdb_finalize_statement
#define sqlite3_next_stmt grdb_next_statement
/* Table-valued functions must forget the former schema: see below. */
#define sqlite3_deserialize grdb_deserialize_content
#ifdef GRDB_ENCRYPTION
/* SQLite with ciphers, from another distribution, which may be of another version. */
#include "../CGRDBSQLiteCiphers/amalgamation/sqlite3.c"
#else
#include "amalgamation/sqlite3.c"
#endif
#undef sqlite3_preupdate_hook
#undef sqlite3session_create
#undef sqlite3session_delete
#undef sqlite3_finalize
#undef sqlite3_next_stmt
#undef sqlite3_deserialize
#include "include/grdb_sqlite3_shims.h"
#include "include/grdb_columns.h"
#include "include/grdb_atomics.h"
#include <pthread.h>

/*
** What follows reads structures of SQLite, and copies two of its static functions, columnMem() and
** vdbeUnbind(): grdbColumn() and grdbParameter() must do what they do. Compare them, and all other
** uses of internals, with a new version before changing this number.
*/
#ifdef GRDB_ENCRYPTION
#define GRDB_CHECKED_VERSION 3054000
#else
#define GRDB_CHECKED_VERSION 3053004
#endif
#if SQLITE_VERSION_NUMBER!=GRDB_CHECKED_VERSION
#error "CGRDBSQLite.c was not checked against this version of SQLite"
#endif

#if !defined(SQLITE_ENABLE_PREUPDATE_HOOK) || !defined(SQLITE_ENABLE_SESSION)
#error "grdb_sqlite3_features.h promises functions that this file does not compile"
#endif

int grdb_get_query_only(sqlite3 *db){
  return (db->flags & SQLITE_QueryOnly)!=0;
}

int grdb_set_query_only(sqlite3 *db, int onoff){
  int old;
  sqlite3_mutex_enter(db->mutex);
  old = (db->flags & SQLITE_QueryOnly)!=0;
  /* OP_Transaction tests the bit each time a statement starts, so nothing has to be recompiled. */
  if( onoff ){
    db->flags |= SQLITE_QueryOnly;
  }else{
    db->flags &= ~(u64)SQLITE_QueryOnly;
  }
  sqlite3_mutex_leave(db->mutex);
  return old;
}

void grdb_restore_changes(sqlite3 *db, sqlite3_int64 rowID, sqlite3_int64 count){
  db->lastRowid = rowID;
  db->nChange = count;
}

/* Flags beside those of sqlite3_prepare_v3(), which a recompilation keeps as well. */
#define GRDB_PREPARE_OWNED 0x40
#define GRDB_PREPARE_FINALIZED 0x08
#if (SQLITE_PREPARE_SAVESQL|SQLITE_PREPARE_PERSISTENT|SQLITE_PREPARE_NORMALIZE|SQLITE_PREPARE_NO_VTAB \
  |SQLITE_PREPARE_DONT_LOG|SQLITE_PREPARE_FROM_DDL) & (GRDB_PREPARE_OWNED|GRDB_PREPARE_FINALIZED)
#error "the flags of grdb_own_statement() are in use"
#endif

void grdb_own_statement(sqlite3_stmt *statement){
  ((Vdbe*)statement)->prepFlags = (((Vdbe*)statement)->prepFlags & ~GRDB_PREPARE_FINALIZED) | GRDB_PREPARE_OWNED;
}

int grdb_is_finalized(sqlite3_stmt *statement){
  return (((Vdbe*)statement)->prepFlags & GRDB_PREPARE_FINALIZED)!=0;
}

int grdb_step(sqlite3_stmt *statement){
  if( ((Vdbe*)statement)->prepFlags & GRDB_PREPARE_FINALIZED ){
    sqlite3ErrorWithMsg(((Vdbe*)statement)->db, SQLITE_MISUSE, "sqlite3_finalize() was called on this statement");
    return SQLITE_MISUSE;
  }
  return sqlite3_step(statement);
}

SQLITE_API int sqlite3_finalize(sqlite3_stmt *statement){
  Vdbe *p = (Vdbe*)statement;
  int rc;
  if( p==0 || (p->prepFlags & GRDB_PREPARE_OWNED)==0 ) return grdb_finalize_statement(statement);
  rc = sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
  p->prepFlags |= GRDB_PREPARE_FINALIZED;
  return rc;
}

SQLITE_API sqlite3_stmt *sqlite3_next_stmt(sqlite3 *db, sqlite3_stmt *statement){
  do{
    statement = grdb_next_statement(db, statement);
  }while( statement && grdb_is_finalized(statement) );
  return statement;
}

/* Eponymous tables, such as pragma_table_info, refer to the schema of the main database, which is another one
** afterwards. An authorizer that is asked for their columns would read freed memory. */
SQLITE_API int sqlite3_deserialize(
  sqlite3 *db, const char *schema, unsigned char *data, sqlite3_int64 size, sqlite3_int64 bufferSize, unsigned flags
){
  HashElem *element;
  int rc = grdb_deserialize_content(db, schema, data, size, bufferSize, flags);
  sqlite3_mutex_enter(db->mutex);
  for(element=sqliteHashFirst(&db->aModule); element; element=sqliteHashNext(element)){
    sqlite3VtabEponymousTableClear(db, (Module*)sqliteHashData(element));
  }
  sqlite3_mutex_leave(db->mutex);
  return rc;
}

void grdb_reset_deferred_foreign_keys(sqlite3 *db){
  sqlite3_mutex_enter(db->mutex);
  db->flags &= ~(u64)SQLITE_DeferFKs;
  sqlite3_mutex_leave(db->mutex);
}

void grdb_clear_expiration(sqlite3_stmt *statement){
  ((Vdbe*)statement)->expired = 0;
}

void grdb_clear_interruption(sqlite3 *db){
  /* Memory that is exhausted interrupts as well: see sqlite3OomFault(). */
  if( db->mallocFailed==0 ) AtomicStore(&db->u1.isInterrupted, 0);
}

/* The structures of grdb_columns.h are those of SQLite, as far as they are read. */
#define GRDB_SAME_PLACE(MINE, MY_MEMBER, ITS, ITS_MEMBER) \
  _Static_assert(offsetof(MINE, MY_MEMBER)==offsetof(ITS, ITS_MEMBER) \
    && sizeof(((MINE*)0)->MY_MEMBER)==sizeof(((ITS*)0)->ITS_MEMBER), #ITS_MEMBER " has moved")
GRDB_SAME_PLACE(grdb_cell, number, Mem, u);
GRDB_SAME_PLACE(grdb_cell, number.integer, Mem, u.i);
GRDB_SAME_PLACE(grdb_cell, number.real, Mem, u.r);
GRDB_SAME_PLACE(grdb_cell, start, Mem, z);
GRDB_SAME_PLACE(grdb_cell, count, Mem, n);
GRDB_SAME_PLACE(grdb_cell, flags, Mem, flags);
GRDB_SAME_PLACE(grdb_cell, encoding, Mem, enc);
_Static_assert(sizeof(grdb_cell)==sizeof(Mem), "the size of Mem has changed");
GRDB_SAME_PLACE(grdb_statement, code, Vdbe, rc);
GRDB_SAME_PLACE(grdb_statement, row, Vdbe, pResultRow);
GRDB_SAME_PLACE(grdb_statement, columnCount, Vdbe, nResColumn);
_Static_assert(GRDB_NO_MEMORY==SQLITE_NOMEM, "SQLITE_NOMEM has changed");
_Static_assert(
  GRDB_CELL_NULL==MEM_Null && GRDB_CELL_TEXT==MEM_Str && GRDB_CELL_INTEGER==MEM_Int
    && GRDB_CELL_REAL==MEM_Real && GRDB_CELL_BLOB==MEM_Blob && GRDB_CELL_TYPE==MEM_AffMask
    && GRDB_CELL_ZEROS==MEM_Zero,
  "the types of Mem have changed"
);

/* columnMem(), without the mutex and the error of a column that is out of range. */
static Mem *grdbColumn(sqlite3_stmt *statement, int index){
  Vdbe *p = (Vdbe*)statement;
  if( p->pResultRow!=0 && (unsigned)index<p->nResColumn ) return &p->pResultRow[index];
  return (Mem*)columnNullValue();
}

int grdb_column_type(sqlite3_stmt *statement, int index){
  return sqlite3_value_type(grdbColumn(statement, index));
}

grdb_integer_column grdb_any_column_integer(sqlite3_stmt *statement, int index){
  Mem *column = grdbColumn(statement, index);
  grdb_integer_column result = { sqlite3_value_type(column), 0 };
  if( result.type==SQLITE_INTEGER ) result.value = sqlite3_value_int64(column);
  return result;
}

grdb_real_column grdb_any_column_real(sqlite3_stmt *statement, int index){
  Mem *column = grdbColumn(statement, index);
  grdb_real_column result = { sqlite3_value_type(column), 0 };
  if( result.type==SQLITE_FLOAT || result.type==SQLITE_INTEGER ){
    result.value = sqlite3_value_double(column);
  }
  return result;
}

static void grdbFree(void *memory){ free(memory); }

/* UTF-16 as UTF-8. What is no character becomes U+FFFD. Returns the end of the UTF-8. */
static unsigned char *grdbUTF16ToUTF8(
  const unsigned char *from, int count, int isBigEndian, unsigned char *to
){
  const unsigned char *end = from + (count & ~1);
  u8 *out = to;
  while( from<end ){
    u32 c = isBigEndian ? (u32)(from[0]<<8 | from[1]) : (u32)(from[1]<<8 | from[0]);
    from += 2;
    if( c>=0xd800 && c<0xe000 ){
      u32 low = 0;
      if( from<end ) low = isBigEndian ? (u32)(from[0]<<8 | from[1]) : (u32)(from[1]<<8 | from[0]);
      if( c<0xdc00 && low>=0xdc00 && low<0xe000 ){
        c = 0x10000 + ((c & 0x3ff)<<10) + (low & 0x3ff);
        from += 2;
      }else{
        c = 0xfffd;
      }
    }
    WRITE_UTF8(out, c);
  }
  return out;
}

/* The number of bytes that grdbWriteBytes() needs. */
static size_t grdbCapacity(const Mem *value){
  size_t length = (size_t)value->n;
  if( (value->flags & (MEM_Str|MEM_Blob))==0 ) return 32;
  if( (value->flags & MEM_Str)!=0 && value->enc!=SQLITE_UTF8 ) length = length/2*3;
  if( value->flags & MEM_Zero ) length += (size_t)value->u.nZero;
  return length + 1;
}

/* Writes the UTF-8 of a text or number, or the bytes of a blob, and a NUL. Returns their number. */
static int grdbWriteBytes(const Mem *value, unsigned char *bytes){
  size_t length = (size_t)value->n;
  size_t zeros = (value->flags & MEM_Zero) ? (size_t)value->u.nZero : 0;
  if( (value->flags & (MEM_Str|MEM_Blob))==0 ){
    Mem number = *value;
    vdbeMemRenderNum(32, (char*)bytes, &number);
    return (int)strlen((const char*)bytes);
  }
  if( (value->flags & MEM_Str)!=0 && value->enc!=SQLITE_UTF8 ){
    unsigned char *end = grdbUTF16ToUTF8(
        (const unsigned char*)value->z, value->n, value->enc==SQLITE_UTF16BE, bytes);
    length = (size_t)(end - bytes);
  }else if( length>0 ){
    memcpy(bytes, value->z, length);
  }
  memset(bytes+length, 0, zeros+1);
  return (int)(length + zeros);
}

unsigned char *grdb_copy_bytes(sqlite3_value *value, int *count){
  unsigned char *bytes;
  *count = 0;
  if( value==0 || sqlite3_value_type(value)==SQLITE_NULL ) return 0;
  bytes = malloc(grdbCapacity(value));
  if( bytes ) *count = grdbWriteBytes(value, bytes);
  return bytes;
}

/*
** Converts a column that is not NULL, as sqlite3_column_text() and sqlite3_column_blob() do. They would
** lose the value if there is no memory. This function then notes it for the next step, and converts the
** column with memory of the C library: what can throw does, and what can't reads the right value.
*/
static grdb_bytes_column grdbConvertColumn(sqlite3_stmt *statement, Mem *column){
  Vdbe *p = (Vdbe*)statement;
  grdb_bytes_column result = { 0, 0, sqlite3_value_type(column) };
  size_t capacity = grdbCapacity(column);
  void (*destructor)(void*) = SQLITE_DYNAMIC;
  unsigned char *bytes = sqlite3DbMallocRaw(p->db, capacity);
  if( bytes==0 ){
    p->rc = sqlite3ApiExit(p->db, p->rc);
    destructor = grdbFree;
    bytes = malloc(capacity);
    if( bytes==0 ) return result;
  }
  result.start = bytes;
  result.count = grdbWriteBytes(column, bytes);
  if( (column->flags & (MEM_Str|MEM_Blob))==0 ){
    /* The number stays a number. */
    Mem number = *column;
    sqlite3VdbeMemSetStr(column, (char*)bytes, result.count, SQLITE_UTF8, destructor);
    column->u = number.u;
    column->flags |= (number.flags & (MEM_Int|MEM_Real|MEM_IntReal)) | MEM_Term;
  }else{
    u8 encoding = (column->flags & MEM_Str) ? SQLITE_UTF8 : 0;
    if( sqlite3VdbeMemSetStr(column, (char*)bytes, result.count, encoding, destructor)!=SQLITE_OK ){
      /* Longer than a text may be, and freed. */
      result.start = 0;
      result.count = 0;
    }
  }
  return result;
}

grdb_bytes_column grdb_any_column_bytes(sqlite3_stmt *statement, int index){
  Mem *column = grdbColumn(statement, index);
  grdb_bytes_column result = { 0, 0, sqlite3_value_type(column) };
  if( result.type==SQLITE_NULL ) return result;
  if( (column->flags & MEM_Zero)==0
   && ((column->flags & MEM_Str)!=0 ? column->enc==SQLITE_UTF8 : result.type==SQLITE_BLOB)
  ){
    result.start = (const unsigned char*)column->z;
    result.count = column->n;
    return result;
  }
  return grdbConvertColumn(statement, column);
}

/*
** The memory of a parameter, which keeps its content: vdbeUnbind() frees it. Null when there is
** something to say against it, which the public function then says; or when it is too much memory
** to be kept for the next value.
*/
static Mem *grdbParameter(sqlite3_stmt *statement, int index){
  Vdbe *p = (Vdbe*)statement;
  u32 i = (u32)index - 1;
  if( p==0 || p->db==0 || p->db->mutex!=0 || p->eVdbeState!=VDBE_READY_STATE ) return 0;
  if( i>=(u32)p->nVar || p->aVar[i].szMalloc>4096 ) return 0;
  p->db->errCode = SQLITE_OK;
  /* The plan of the statement may depend on the value: see vdbeUnbind(). */
  if( p->expmask!=0 && (p->expmask & (i>=31 ? 0x80000000 : (u32)1<<i))!=0 ) p->expired = 1;
  return &p->aVar[i];
}

int grdb_bind_null(sqlite3_stmt *statement, int index){
  Mem *parameter = grdbParameter(statement, index);
  if( parameter==0 ) return sqlite3_bind_null(statement, index);
  sqlite3VdbeMemSetNull(parameter);
  return SQLITE_OK;
}

int grdb_bind_int64(sqlite3_stmt *statement, int index, sqlite3_int64 value){
  Mem *parameter = grdbParameter(statement, index);
  if( parameter==0 ) return sqlite3_bind_int64(statement, index, value);
  sqlite3VdbeMemSetInt64(parameter, value);
  return SQLITE_OK;
}

int grdb_bind_double(sqlite3_stmt *statement, int index, double value){
  Mem *parameter = grdbParameter(statement, index);
  if( parameter==0 ) return sqlite3_bind_double(statement, index, value);
  sqlite3VdbeMemSetDouble(parameter, value);
  return SQLITE_OK;
}

/* Longer values are copied by the public functions, which free them with the next binding. */
#define GRDB_SHORT_LENGTH 1024

int grdb_bind_text(
  sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 length
){
  if( text!=0 && length<=GRDB_SHORT_LENGTH ){
    Mem *parameter = grdbParameter(statement, index);
    if( parameter!=0 && ENC(parameter->db)==SQLITE_UTF8
     && sqlite3VdbeMemSetText(parameter, text, (i64)length, SQLITE_TRANSIENT)==SQLITE_OK
    ){
      return SQLITE_OK;
    }
  }
  return sqlite3_bind_text64(statement, index, text, length, SQLITE_TRANSIENT, SQLITE_UTF8);
}

int grdb_bind_blob(
  sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 length
){
  if( bytes!=0 && length<=GRDB_SHORT_LENGTH ){
    Mem *parameter = grdbParameter(statement, index);
    if( parameter!=0
     && sqlite3VdbeMemSetStr(parameter, bytes, (i64)length, 0, SQLITE_TRANSIENT)==SQLITE_OK
    ){
      parameter->enc = ENC(parameter->db);
      return SQLITE_OK;
    }
  }
  return sqlite3_bind_blob64(statement, index, bytes, length, SQLITE_TRANSIENT);
}

sqlite3_value *grdb_bound_value(sqlite3_stmt *statement, int index){
  Vdbe *p = (Vdbe*)statement;
  if( p==0 || index<1 || index>p->nVar ) return 0;
  /* A copy, because reading a text may convert it to another encoding. */
  return sqlite3_value_dup((const sqlite3_value*)&p->aVar[index-1]);
}

int grdb_is_bound_null(sqlite3_stmt *statement, int index){
  Vdbe *p = (Vdbe*)statement;
  if( p==0 || index<1 || index>p->nVar ) return 1;
  return (p->aVar[index-1].flags & MEM_Null)!=0;
}

int grdb_is_bound_long_text(sqlite3_stmt *statement, int index){
  Vdbe *p = (Vdbe*)statement;
  if( p==0 || index<1 || index>p->nVar ) return 0;
  return (p->aVar[index-1].flags & MEM_Str)!=0 && p->aVar[index-1].n>15;
}

int grdb_replaced_text(sqlite3_stmt *statement, int after){
  Vdbe *p = (Vdbe*)statement;
  int index;
  if( p==0 ) return 0;
  for(index=after; index<p->nVar; index++){
    const Mem *value = &p->aVar[index];
    const char *text, *end;
    if( (value->flags & MEM_Str)==0 || value->enc!=SQLITE_UTF8 ) continue;
    end = value->z + value->n;
    for(text=value->z; end-text>=3; text++){
      text = memchr(text, 0xEF, (size_t)(end-text-2));
      if( text==0 ) break;
      if( (unsigned char)text[1]==0xBF && (unsigned char)text[2]==0xBD ) return index+1;
    }
  }
  return 0;
}

const char *grdb_preupdate_column_name(sqlite3 *db, int index){
  PreUpdate *p = db->pPreUpdate;
  /* The table of statistics that ANALYZE passes has no columns. */
  if( p==0 || p->pTab->aCol==0 || index<0 || index>=p->pTab->nCol ) return 0;
  return p->pTab->aCol[index].zCnName;
}

int grdb_preupdate_column_is_stored(sqlite3 *db, int index){
  PreUpdate *p = db->pPreUpdate;
  /* The table of statistics that ANALYZE passes has no columns. */
  if( p==0 || p->pTab->aCol==0 || index<0 || index>=p->pTab->nCol ) return 0;
  return (p->pTab->aCol[index].colFlags & COLFLAG_VIRTUAL)==0;
}

int grdb_preupdate_has_rowid(sqlite3 *db){
  PreUpdate *p = db->pPreUpdate;
  return p!=0 && p->pPk==0;
}

int grdb_preupdate_is_shadow(sqlite3 *db){
  PreUpdate *p = db->pPreUpdate;
  return p!=0 && (p->pTab->tabFlags & TF_Shadow)!=0;
}

/* Tells the columns of the tables whose rows a program deletes, other than to update them. */
static void grdbDeletions(
  const Op *ops, int count, void *context,
  void (*found)(void *context, const char *table, const char *column)
){
  for(int i=0; i<count; i++){
    const Table *table;
    if( ops[i].opcode!=OP_Delete || ops[i].p4type!=P4_TABLE ) continue;
    if( ops[i].p2 & OPFLAG_ISUPDATE ) continue;
    table = ops[i].p4.pTab;
    for(int c=0; c<table->nCol; c++) found(context, table->zName, table->aCol[c].zCnName);
  }
}

void grdb_deletions(
  sqlite3_stmt *statement, void *context,
  void (*found)(void *context, const char *table, const char *column)
){
  Vdbe *p = (Vdbe*)statement;
  if( p==0 ) return;
  grdbDeletions(p->aOp, p->nOp, context, found);
  for(SubProgram *sub=p->pProgram; sub; sub=sub->pNext){
    grdbDeletions(sub->aOp, sub->nOp, context, found);
  }
}

typedef struct {
  Table *table;
  const char *column;
  void *context;
  void (*found)(void *context, const char *column, const char *source);
} grdbSources;

static int grdbSource(Walker *walker, Expr *expression){
  grdbSources *sources = (grdbSources*)walker->u.pTab;
  int column = expression->iColumn;
  if( column<0 ) column = sources->table->iPKey;
  if( expression->op==TK_COLUMN && column>=0 && column<sources->table->nCol ){
    sources->found(
        sources->context, sources->column, sources->table->aCol[column].zCnName);
  }
  return WRC_Continue;
}

void grdb_generated_columns(
  sqlite3 *db, const char *name, void *context,
  void (*found)(void *context, const char *column, const char *source)
){
  sqlite3_mutex_enter(db->mutex);
  for(int i=0; i<db->nDb; i++){
    Table *table = sqlite3FindTable(db, name, db->aDb[i].zDbSName);
    if( table==0 || (table->tabFlags & TF_HasGenerated)==0 ) continue;
    for(int c=0; c<table->nCol; c++){
      Column *column = &table->aCol[c];
      grdbSources sources = { table, column->zCnName, context, found };
      Walker walker;
      if( (column->colFlags & COLFLAG_GENERATED)==0 ) continue;
      memset(&walker, 0, sizeof(walker));
      walker.xExprCallback = grdbSource;
      walker.u.pTab = (Table*)&sources;
      sqlite3WalkExpr(&walker, sqlite3ColumnExpr(table, column));
    }
  }
  sqlite3_mutex_leave(db->mutex);
}

const void *grdb_current_compilation(sqlite3 *db){
  return db->pParse;
}

const void *grdb_enclosing_compilation(sqlite3 *db){
  /* Each program of a trigger has a parser of its own, which belongs to that of the statement. */
  Parse *parse = db->pParse;
  return parse ? sqlite3ParseToplevel(parse)->pOuterParse : 0;
}

int grdb_is_change_of_app(sqlite3 *db, const char *schema, const char *table){
  Parse *parse = db->pParse;
  Parse *top;
  Table *changed;
  if( parse==0 || db->init.busy || (db->mDbFlags & DBFLAG_Vacuum)!=0 ) return 0;
  top = sqlite3ParseToplevel(parse);
  /* SQLite writes some SQL itself. */
  if( parse->nested || top->nested ) return 0;
  /* SQLite compiles statements again after a change of the schema. Those of Swift objects have been declared. */
  if( top->pReprepare && (top->pReprepare->prepFlags & GRDB_PREPARE_OWNED) ) return 0;
  changed = sqlite3FindTable(db, table, schema);
  return changed==0 || (changed->tabFlags & TF_Shadow)==0;
}

int grdb_running_statements(sqlite3 *db){
  return db->nVdbeActive;
}

int grdb_may_write_by_function(sqlite3 *db, const char *name){
  FuncDef *function;
  for(
    function = (FuncDef*)sqlite3HashFind(&db->aFunc, name);
    function;
    function = function->pNext
  ){
    /* SQLITE_FUNC_UNSAFE is the bit of SQLITE_INNOCUOUS, inverted. */
    if( (function->funcFlags & SQLITE_FUNC_CONSTANT)==0
     && (function->funcFlags & SQLITE_FUNC_UNSAFE)!=0
    ){
      return 1;
    }
  }
  return 0;
}

void grdb_columns_of_table(
  sqlite3 *db, const char *schema, const char *name, void *context,
  void (*found)(void *context, const char *column)
){
  Table *table = sqlite3FindTable(db, name, schema);
  if( table==0 ) return;
  for(int c=0; c<table->nCol; c++) found(context, table->aCol[c].zCnName);
  if( HasRowid(table) && !IsVirtual(table) ) found(context, "rowid");
}

int grdb_virtual_table_prefix(sqlite3 *db, const char *schema, const char *name){
  int length = sqlite3Strlen30(name);
  int result = 0;
  char *prefix = sqlite3_mprintf("%s", name);
  if( prefix==0 ) return 0;
  while( --length>0 && result==0 ){
    Table *table;
    if( prefix[length]!='_' ) continue;
    prefix[length] = 0;
    table = sqlite3FindTable(db, prefix, schema);
    if( table && IsVirtual(table) ) result = length;
  }
  sqlite3_free(prefix);
  return result;
}

const void *grdb_extension_api(void){
  return &sqlite3Apis;
}

int grdb_counts_memory(void){
  return sqlite3GlobalConfig.bMemstat;
}

int grdb_was_undone(sqlite3_stmt *statement){
  /* As sqlite3VdbeHalt() decides. Without another statement that writes, a statement outside of a
  ** transaction has been rolled back as a whole. */
  Vdbe *p = (Vdbe*)statement;
  if( p==0 || p->rc==SQLITE_OK || p->db==0 || p->usesStmtJournal==0 ) return 0;
  if( p->db->autoCommit && p->db->nVdbeWrite==0 ) return 0;
  switch( p->rc & 0xff ){
    case SQLITE_NOMEM:
    case SQLITE_FULL:
      return 1;
    default:
      return p->errorAction==OE_Abort;
  }
}

int grdb_read_schema_version(sqlite3 *db, int *schemaVersion){
  Btree *main = db->aDb[0].pBt;
  u32 version = 0;
  if( db->mutex!=0 || main==0 || main->inTrans==TRANS_NONE || main->sharable ) return 0;
  /* It reads already, so that nothing begins, and nothing can fail. */
  sqlite3BtreeBeginTrans(main, 0, (int*)&version);
  *schemaVersion = (int)version;
  return 1;
}

int grdb_compiled_schema_version(sqlite3 *db){
  return db->aDb[0].pSchema ? db->aDb[0].pSchema->schema_cookie : 0;
}

int grdb_begin_read(sqlite3 *db, const char *schema, int *schemaVersion){
  int rc = SQLITE_ERROR;
  int i;
  int current;
  if( db->autoCommit==0 && strcmp(schema, db->aDb[0].zDbSName)==0
   && grdb_read_schema_version(db, &current)
  ){
    if( schemaVersion ) *schemaVersion = current;
    db->errCode = SQLITE_OK;
    return SQLITE_OK;
  }
  sqlite3_mutex_enter(db->mutex);
  i = sqlite3FindDbName(db, schema);
  if( db->autoCommit==0 && i>=0 && db->aDb[i].pBt ){
    /* As sqlite3_snapshot_get() does. COMMIT and ROLLBACK end what was begun here. */
    u32 version = 0;
    rc = sqlite3BtreeBeginTrans(db->aDb[i].pBt, 0, (int*)&version);
    if( schemaVersion ) *schemaVersion = (int)version;
  }
  sqlite3Error(db, rc);
  rc = sqlite3ApiExit(db, rc);
  sqlite3_mutex_leave(db->mutex);
  return rc;
}

void grdb_set_busy_handler(
  sqlite3 *db, int (*handler)(void *context, int count), void *context, int milliseconds
){
  sqlite3_mutex_enter(db->mutex);
  sqlite3_busy_handler(db, handler, context);
  /* What `PRAGMA busy_timeout` answers. */
  db->busyTimeout = milliseconds;
  sqlite3_mutex_leave(db->mutex);
}

int grdb_config_log(void (*log)(void *context, int code, const char *message), void *context){
  return sqlite3_config(SQLITE_CONFIG_LOG, log, context);
}

int grdb_config_memory_status(int onoff){
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, onoff);
}

uintptr_t grdb_fork_count = 0;

static void grdbForkedChild(void){
  grdb_fork_count++;
#if SQLITE_OS_UNIX
  /* The locks that the parent holds, which the child has not. The connections that know of them are
  ** never used nor closed in the child. Those that the child opens must take locks of their own: the
  ** parent would else delete the WAL file that they write. */
  inodeList = 0;
#endif
}

static void grdbWatchForks(void){ pthread_atfork(0, 0, grdbForkedChild); }

void grdb_watch_forks(void){
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, grdbWatchForks);
}

int grdb_file_identity(sqlite3 *db, sqlite3_uint64 *device, sqlite3_uint64 *inode){
#if SQLITE_OS_UNIX
  sqlite3_file *file = 0;
  sqlite3_vfs *vfs = 0;
  if( sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file)!=SQLITE_OK
   || sqlite3_file_control(db, "main", SQLITE_FCNTL_VFS_POINTER, &vfs)!=SQLITE_OK
  ){
    return 0;
  }
#ifdef GRDB_ENCRYPTION
  /* The VFS of the ciphers passes everything on to another one. */
  if( file!=0 && file->pMethods!=0 && vfs!=0 && vfs->xOpen==mcVfsOpen ){
    file = REALFILE(file);
    vfs = REALVFS(vfs);
  }
#endif
  if( file!=0 && file->pMethods!=0 && vfs!=0 && vfs->xOpen==unixOpen ){
    unixInodeInfo *info = ((unixFile*)file)->pInode;
    if( info ){
      *device = (sqlite3_uint64)info->fileId.dev;
      *inode = (sqlite3_uint64)info->fileId.ino;
      return 1;
    }
  }
#endif
  return 0;
}

uintptr_t grdb_stack_bounds(uintptr_t *size){
  uintptr_t low = 0;
  *size = 0;
#if defined(__APPLE__)
  *size = pthread_get_stacksize_np(pthread_self());
  low = (uintptr_t)pthread_get_stackaddr_np(pthread_self()) - *size;
#elif defined(__linux__)
  {
    pthread_attr_t attributes;
    void *address = 0;
    size_t count = 0;
    if( pthread_getattr_np(pthread_self(), &attributes)==0 ){
      if( pthread_attr_getstack(&attributes, &address, &count)==0 ){
        low = (uintptr_t)address;
        *size = count;
      }
      pthread_attr_destroy(&attributes);
    }
  }
#endif
  return low;
}

/*
** Measured. The address sanitizer surrounds local variables with memory that must not be accessed: few
** of them when optimized, all when not.
*/
#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define GRDB_ADDRESS_SANITIZER 1
#elif __has_feature(thread_sanitizer)
#define GRDB_THREAD_SANITIZER 1
#endif
#endif

int grdb_stack_bytes_per_level(void){
#if defined(GRDB_ADDRESS_SANITIZER) && !defined(__OPTIMIZE__)
  return 10240;
#elif defined(GRDB_ADDRESS_SANITIZER) || defined(GRDB_THREAD_SANITIZER) || !defined(__OPTIMIZE__)
  return 1152;
#else
  return 512;
#endif
}

int grdb_db_config_int(sqlite3 *db, int op, int value, int *result){
  /* These two take other arguments, which SQLite would read as pointers. */
  if( op==SQLITE_DBCONFIG_MAINDBNAME || op==SQLITE_DBCONFIG_LOOKASIDE ) return SQLITE_MISUSE;
  return sqlite3_db_config(db, op, value, result);
}

int grdb_vtab_config(sqlite3 *db, int op, int value){
  return sqlite3_vtab_config(db, op, value);
}

/* As a column stores a value, and as OP_RealAffinity reads it. */
static void grdbStore(Mem *value, int affinity, u8 encoding){
  if( affinity==SQLITE_AFF_REAL && (value->flags & MEM_Real) ) return;
  sqlite3ValueApplyAffinity(value, (u8)affinity, encoding);
  if( affinity==SQLITE_AFF_REAL && (value->flags & (MEM_Int|MEM_IntReal)) ){
    sqlite3VdbeMemRealify(value);
  }
}

int grdb_encodes_utf16(sqlite3 *db){
  return ENC(db)!=SQLITE_UTF8;
}

int grdb_affinity(const char *type){
  return type[0] ? sqlite3AffinityType(type, 0) : SQLITE_AFF_BLOB;
}

int grdb_declared_affinities(sqlite3 *db, unsigned char *affinities, int count){
  Table *table = db->pVtabCtx->pTab;
  for(int c=0; c<table->nCol; c++){
    Column *column = &table->aCol[c];
    /* "HIDDEN" is no type, but is taken for a numeric one. */
    if( sqlite3_stricmp(sqlite3ColumnType(column, ""), "hidden")==0 ){
      column->affinity = SQLITE_AFF_BLOB;
    }
    if( c<count ) affinities[c] = (unsigned char)column->affinity;
  }
  return table->nCol;
}

void grdb_store_result(sqlite3_context *context, int affinity){
  grdbStore(context->pOut, affinity, context->enc);
}

sqlite3_value *grdb_stored_value(
  int type, sqlite3_int64 integer, double real, const char *text, int count, int affinity
){
  sqlite3_value *value = sqlite3ValueNew(0);
  if( value==0 ) return 0;
  if( type==SQLITE_INTEGER ) sqlite3VdbeMemSetInt64(value, integer);
  else if( type==SQLITE_FLOAT ) sqlite3VdbeMemSetDouble(value, real);
  else sqlite3ValueSetStr(value, count, text ? text : "", SQLITE_UTF8, SQLITE_TRANSIENT);
  grdbStore(value, affinity, SQLITE_UTF8);
  return value;
}

/*
** R*Trees store what is no number as 0, where it is found, and integers modulo 2^32. They refuse both. The
** loop is that of rtreeUpdate().
*/
static int grdbUpdateRTree(
  sqlite3_vtab *base, int count, sqlite3_value **values, sqlite_int64 *rowID
){
  Rtree *tree = (Rtree*)base;
  int coordinates = MIN(count-4, tree->nDim2);
  for(int c=0; c<coordinates+(coordinates & 1); c++){
    sqlite3_value *value = values[c+3];
    int type = sqlite3_value_numeric_type(value);
    const char *problem = 0;
    if( type!=SQLITE_INTEGER && type!=SQLITE_FLOAT ){
      problem = type==SQLITE_NULL ? "is NULL" : "is not a number";
    }else if( tree->eCoordType==RTREE_COORD_INT32 ){
      double number = sqlite3_value_double(value);
      if( number<=-2147483649.0 || number>=2147483648.0 ) problem = "has more than 32 bits";
    }
    if( problem ){
      Table *table = sqlite3FindTable(tree->db, tree->zName, tree->zDb);
      sqlite3_free(base->zErrMsg);
      base->zErrMsg = sqlite3_mprintf(
        "rtree constraint failed: %s.%s %s", tree->zName,
        table && c+1<table->nCol ? table->aCol[c+1].zCnName : "?", problem
      );
      return SQLITE_CONSTRAINT;
    }
  }
  return rtreeUpdate(base, count, values, rowID);
}

__attribute__((constructor)) static void grdbReplaceRTreeUpdate(void){
  rtreeModule.xUpdate = grdbUpdateRTree;
}

void grdb_log(int code, const char *message){
  sqlite3_log(code, "%s", message);
}

/*
** Not by `SELECT fts5(?)`, as the documentation has it: that reads the schema, and so fails on files
** that are locked, or no databases. The module's client data begins with the API.
*/
fts5_api *grdb_fts5_api_from_db(sqlite3 *db, int *resultCode){
  Module *module = (Module*)sqlite3HashFind(&db->aModule, "fts5");
  if( resultCode ) *resultCode = module ? SQLITE_OK : SQLITE_ERROR;
  return module ? &((Fts5Global*)module->pAux)->api : 0;
}

static int grdbIsUTF8(const unsigned char *bytes, int count){
  const unsigned char *end = bytes + count;
  while( bytes<end ){
    unsigned char c;
    int following;
    unsigned char low = 0x80, high = 0xbf;
    while( end-bytes>=8 ){
      u64 eight;
      memcpy(&eight, bytes, 8);
      if( eight & 0x8080808080808080ULL ) break;
      bytes += 8;
    }
    if( bytes==end ) break;
    c = *bytes++;
    if( c<0x80 ) continue;
    if( c<0xc2 ) return 0;
    if( c<0xe0 ) following = 1;
    else if( c<0xf0 ){
      following = 2;
      if( c==0xe0 ) low = 0xa0;
      if( c==0xed ) high = 0x9f;
    }else if( c<0xf5 ){
      following = 3;
      if( c==0xf0 ) low = 0x90;
      if( c==0xf4 ) high = 0x8f;
    }else return 0;
    if( end-bytes<following || *bytes<low || *bytes>high ) return 0;
    bytes++;
    while( --following ){
      if( (*bytes++ & 0xc0)!=0x80 ) return 0;
    }
  }
  return 1;
}

int grdb_is_utf8(const unsigned char *bytes, int count){
  return grdbIsUTF8(bytes, count);
}

#if FTS5_MAX_TOKEN_SIZE!=GRDB_MAX_TOKEN_SIZE
# error "FTS5 has another limit"
#endif

/*
** Whether a token is UTF-8, or of a text that is not: of such bytes, no tokenizer has to make something
** that is.
*/
static int grdbIsTokenUTF8(grdb_token_guard *guard, const char *token, int count, int isInText){
  if( !isInText && grdbIsUTF8((const unsigned char*)token, count) ) return 1;
  if( guard->is_text_utf8<0 ){
    guard->is_text_utf8 = grdbIsUTF8((const unsigned char*)guard->text, guard->text_count);
  }
  if( !guard->is_text_utf8 ) return 1;
  /* A part of a text that is UTF-8 is UTF-8, unless it begins or ends inside of a character. */
  return isInText && (count==0 || (
    (token[0] & 0xc0)!=0x80
    && (token+count==guard->text+guard->text_count || (token[count] & 0xc0)!=0x80)
  ));
}

int grdb_guard_token(
  void *context, int flags, const char *token, int count, int start, int end
){
  grdb_token_guard *guard = (grdb_token_guard*)context;
  const char *textEnd = guard->text + guard->text_count;
  int isInText = token>=guard->text && token<textEnd;
  int problem = GRDB_TOKEN_OK;
  if( guard->code!=SQLITE_OK ) return guard->code;
  if( count<0 ){
    problem = GRDB_TOKEN_NEGATIVE_COUNT;
  }else if( token==0 && count>0 ){
    problem = GRDB_TOKEN_WITHOUT_START;
  }else if( start<0 || end<start || end>guard->text_count ){
    problem = GRDB_TOKEN_OUT_OF_TEXT;
  }else if( isInText
    ? count>textEnd-token
    /* In a buffer of the tokenizer, of which nothing is known. Folded characters may be longer than
    ** those of the text, and replacements of broken ones are; longer tokens are cut by those who know
    ** their buffer, at the end of a character. */
    : count>GRDB_MAX_TOKEN_SIZE+3 && count/4>guard->text_count
  ){
    problem = GRDB_TOKEN_TOO_LONG;
  }else if( !grdbIsTokenUTF8(guard, token, count, isInText) ){
    problem = GRDB_TOKEN_NOT_UTF8;
  }
  if( problem==GRDB_TOKEN_OK ){
    guard->code = guard->callback(guard->context, flags, token ? token : "", count, start, end);
  }else{
    guard->problem = problem;
    guard->token_count = count;
    guard->token_start = start;
    guard->token_end = end;
    guard->code = SQLITE_ERROR;
  }
  return guard->code;
}

/*
** The storage of the table whose index the tokens go to, or NULL.
*/
static Fts5Storage *grdbIndexedStorage(grdb_token_callback callback, void *context){
  while( callback==fts5PorterCb ){
    callback = ((PorterContext*)context)->xToken;
    context = ((PorterContext*)context)->pCtx;
  }
  return callback==fts5StorageInsertCallback ? ((Fts5InsertCtx*)context)->pStorage : 0;
}

int grdb_token_callback_writes_index(grdb_token_callback callback, void *context){
  return grdbIndexedStorage(callback, context)!=0;
}

const char *grdb_token_callback_table(grdb_token_callback callback, void *context){
  Fts5Storage *storage = grdbIndexedStorage(callback, context);
  return storage ? storage->pConfig->zName : 0;
}

int grdb_token_callback_was_interrupted(grdb_token_callback callback, void *context){
  Fts5Storage *storage = grdbIndexedStorage(callback, context);
  if( storage==0 ) return 0;
  /* The totals, which are loaded before the row is tokenized, and changed afterwards: they would not be
  ** saved again. sqlite3Fts5StorageSync() forgets them even if the row has no token yet. */
  if( !storage->bTotalsValid ) return 1;
  /* sqlite3Fts5IndexBeginWrite() counts the row, and fts5IndexFlush() forgets it. */
  return !storage->pIndex->bDelete && storage->pIndex->nPendingRow==0;
}

static int grdbOpensTable(Op const *ops, int count, Fts5Config const *config){
  int i;
  for(i=0; i<count; i++){
    if( ops[i].opcode==OP_VOpen ){
      sqlite3_vtab *table = ops[i].p4.pVtab->pVtab;
      if( table && table->pModule->xOpen==fts5OpenMethod && ((Fts5Table*)table)->pConfig==config ){
        return 1;
      }
    }
  }
  return 0;
}

int grdb_token_callback_is_read_by(
  grdb_token_callback callback, void *context, sqlite3_stmt *statement
){
  Fts5Storage *storage = grdbIndexedStorage(callback, context);
  Vdbe *program = (Vdbe*)statement;
  SubProgram *trigger;
  if( storage==0 ) return 0;
  if( grdbOpensTable(program->aOp, program->nOp, storage->pConfig) ) return 1;
  for(trigger=program->pProgram; trigger; trigger=trigger->pNext){
    if( grdbOpensTable(trigger->aOp, trigger->nOp, storage->pConfig) ) return 1;
  }
  return 0;
}

int grdb_is_undone_on_failure(sqlite3_stmt *statement){
  return ((Vdbe*)statement)->usesStmtJournal;
}

/*
** A connection has one preupdate callback. Sessions put theirs there, with the list of sessions as its
** argument, and take whatever argument they find for such a list. So a hook that is installed after a
** session would end it, and a session that is created after a hook would crash. Once a connection has
** had a session, this structure keeps both, and the callback is the one of SQLite's sessions, the hook,
** or a function that calls both.
*/
typedef void (*grdbPreUpdateHook)(
  void *context, sqlite3 *db, int op, char const *schema, char const *table,
  sqlite3_int64 oldRowid, sqlite3_int64 newRowid
);

typedef struct {
  grdbPreUpdateHook hook;
  void *argument;
  sqlite3_session *sessions;
} grdbPreUpdateHooks;

static grdbPreUpdateHooks *grdbHooks(sqlite3 *db){
  return (grdbPreUpdateHooks*)sqlite3_get_clientdata(db, "grdb.preupdate");
}

static void grdbPreUpdate(
  void *context, sqlite3 *db, int op, char const *schema, char const *table,
  sqlite3_int64 oldRowid, sqlite3_int64 newRowid
){
  grdbPreUpdateHooks *hooks = (grdbPreUpdateHooks*)context;
  xPreUpdate(hooks->sessions, db, op, schema, table, oldRowid, newRowid);
  if( hooks->hook ) hooks->hook(hooks->argument, db, op, schema, table, oldRowid, newRowid);
}

static void grdbInstallHooks(sqlite3 *db, grdbPreUpdateHooks *hooks){
  if( hooks->sessions==0 ){
    grdb_set_preupdate_slot(db, hooks->hook, hooks->argument);
  }else if( hooks->hook==0 ){
    grdb_set_preupdate_slot(db, xPreUpdate, hooks->sessions);
  }else{
    grdb_set_preupdate_slot(db, grdbPreUpdate, hooks);
  }
}

/* Leaves the place to the sessions, whose functions expect nothing else there. */
static void grdbInstallSessionsOnly(sqlite3 *db, grdbPreUpdateHooks *hooks){
  grdb_set_preupdate_slot(db, hooks->sessions ? xPreUpdate : 0, hooks->sessions);
}

SQLITE_API void *sqlite3_preupdate_hook(sqlite3 *db, grdbPreUpdateHook hook, void *argument){
  void *former;
  grdbPreUpdateHooks *hooks;
  sqlite3_mutex_enter(db->mutex);
  hooks = grdbHooks(db);
  if( hooks==0 ){
    former = grdb_set_preupdate_slot(db, hook, argument);
  }else{
    former = hooks->argument;
    hooks->hook = hook;
    hooks->argument = argument;
    grdbInstallHooks(db, hooks);
  }
  sqlite3_mutex_leave(db->mutex);
  return former;
}

SQLITE_API int sqlite3session_create(sqlite3 *db, const char *schema, sqlite3_session **session){
  int rc = SQLITE_OK;
  grdbPreUpdateHooks *hooks;
  *session = 0;
  sqlite3_mutex_enter(db->mutex);
  hooks = grdbHooks(db);
  if( hooks==0 ){
    hooks = (grdbPreUpdateHooks*)sqlite3_malloc64(sizeof(*hooks));
    if( hooks==0 ){
      rc = SQLITE_NOMEM;
    }else{
      hooks->hook = db->xPreUpdateCallback;
      hooks->argument = db->pPreUpdateArg;
      hooks->sessions = 0;
      /* Frees the memory when it fails. */
      rc = sqlite3_set_clientdata(db, "grdb.preupdate", hooks, sqlite3_free);
    }
  }
  if( rc==SQLITE_OK ){
    int isFirst = hooks->sessions==0;
    grdbInstallSessionsOnly(db, hooks);
    rc = grdb_create_session(db, schema, session);
    if( rc==SQLITE_OK ){
      hooks->sessions = *session;
      /* Statements that were compiled without a hook clear tables at once, which no session sees. */
      if( isFirst ) sqlite3ExpirePreparedStatements(db, 0);
    }
    grdbInstallHooks(db, hooks);
  }
  sqlite3_mutex_leave(db->mutex);
  return rc;
}

SQLITE_API void sqlite3session_delete(sqlite3_session *session){
  sqlite3 *db = session->db;
  grdbPreUpdateHooks *hooks;
  sqlite3_mutex_enter(db->mutex);
  hooks = grdbHooks(db);
  grdbInstallSessionsOnly(db, hooks);
  grdb_delete_session(session);
  hooks->sessions = (sqlite3_session*)db->pPreUpdateArg;
  grdbInstallHooks(db, hooks);
  sqlite3_mutex_leave(db->mutex);
}

int grdb_has_hooks_of_app(sqlite3 *db, void *argument){
  grdbPreUpdateHooks *hooks = grdbHooks(db);
  if( db->xUpdateCallback && db->pUpdateArg!=argument ) return 1;
  if( hooks ) return hooks->hook && hooks->argument!=argument;
  return db->xPreUpdateCallback && db->pPreUpdateArg!=argument;
}

int grdb_is_busy(sqlite3 *db){
  int isBusy;
  sqlite3_mutex_enter(db->mutex);
  isBusy = connectionIsBusy(db);
  sqlite3_mutex_leave(db->mutex);
  return isBusy;
}

int grdb_backup_mismatch(sqlite3_backup *backup, int *source, int *destination){
  Btree *dest = backup->pDest;
#ifdef GRDB_ENCRYPTION
  Codec *codec = sqlite3mcGetCodec(backup->pDestDb, backup->zDestDb);
  if( dest==0 ) dest = findBtree(backup->pDestDb, backup->pDestDb, backup->zDestDb);
#endif
  if( dest==0 ) return 0;
  *source = sqlite3BtreeGetPageSize(backup->pSrc);
  *destination = sqlite3BtreeGetPageSize(dest);
#ifdef GRDB_ENCRYPTION
  if( codec && sqlite3mcIsEncrypted(codec) ){
    *destination = sqlite3mcGetPageSizeWriteCipher(codec);
    if( *source==*destination ){
      sqlite3BtreeEnter(backup->pSrc);
      *source = sqlite3BtreeGetReserveNoMutex(backup->pSrc);
      sqlite3BtreeLeave(backup->pSrc);
      *destination = sqlite3mcGetReservedWriteCipher(codec);
      return *source<*destination ? GRDB_BACKUP_RESERVED_BYTES : 0;
    }
  }
#endif
  return *source!=*destination ? GRDB_BACKUP_PAGE_SIZE : 0;
}

int grdb_serialize(
  sqlite3 *db, const char *schema, unsigned char **bytes, sqlite3_uint64 *count
){
  Btree *btree;
  int rc = SQLITE_OK;
  int index;
  *bytes = 0;
  *count = 0;
  sqlite3_mutex_enter(db->mutex);
  index = sqlite3FindDbName(db, schema);
  btree = index<0 ? 0 : db->aDb[index].pBt;
  if( index<0 ){
    rc = SQLITE_ERROR;
  }else if( btree ){
    int closesTransaction = 0;
    sqlite3BtreeEnter(btree);
    if( sqlite3BtreeTxnState(btree)==SQLITE_TXN_NONE ){
      rc = sqlite3BtreeBeginTrans(btree, 0, 0);
      closesTransaction = rc==SQLITE_OK;
    }
    if( rc==SQLITE_OK ){
      Pager *pager = sqlite3BtreePager(btree);
      sqlite3_uint64 pageSize = (sqlite3_uint64)sqlite3BtreeGetPageSize(btree);
      Pgno pageCount = sqlite3BtreeLastPage(btree);
      /* Not sqlite3_malloc64(), which has a limit of 2 GB. */
      unsigned char *out = pageCount ? malloc(pageSize*pageCount) : 0;
      if( pageCount && !out ) rc = SQLITE_NOMEM;
      for(Pgno number=1; rc==SQLITE_OK && number<=pageCount; number++){
        unsigned char *to = out + pageSize*(number-1);
        DbPage *page = 0;
        if( number==PENDING_BYTE_PAGE(btree->pBt) ){
          /* The page of the locks has no content. */
          memset(to, 0, pageSize);
          continue;
        }
        rc = sqlite3PagerGet(pager, number, &page, 0);
        if( rc==SQLITE_OK ){
          memcpy(to, sqlite3PagerGetData(page), pageSize);
          sqlite3PagerUnref(page);
        }
      }
      if( rc==SQLITE_OK ){
        *bytes = out;
        *count = pageSize*pageCount;
      }else{
        free(out);
      }
    }
    if( closesTransaction ){
      sqlite3BtreeCommitPhaseOne(btree, 0);
      sqlite3BtreeCommitPhaseTwo(btree, 0);
    }
    sqlite3BtreeLeave(btree);
  }
  sqlite3Error(db, rc);
  rc = sqlite3ApiExit(db, rc);
  sqlite3_mutex_leave(db->mutex);
  return rc;
}

const unsigned char *grdb_memory_image(
  sqlite3 *db, const char *schema, sqlite3_int64 *count
){
  const unsigned char *bytes = 0;
  int index;
  *count = 0;
  sqlite3_mutex_enter(db->mutex);
  index = sqlite3FindDbName(db, schema);
  /* Pages that a transaction has changed may be in the cache only. */
  if( index>=0 && db->aDb[index].pBt
   && sqlite3BtreeTxnState(db->aDb[index].pBt)!=SQLITE_TXN_WRITE
  ){
    bytes = sqlite3_serialize(db, schema, count, SQLITE_SERIALIZE_NOCOPY);
    if( !bytes ) *count = 0;
  }
  sqlite3_mutex_leave(db->mutex);
  return bytes;
}

const unsigned char *grdb_changeset_change(sqlite3_changeset_iter *iterator, int *count){
  SessionInput *input = &iterator->in;
  *count = input->iNext - input->iCurrent;
  return &input->aData[input->iCurrent];
}

const char *grdb_session_null_key_table(sqlite3_session *session){
  for(SessionTable *table=session->pTable; table; table=table->pNext){
    if( table->bNullKey ) return table->zName;
  }
  return 0;
}

sqlite3_int64 grdb_foreign_key_violations(sqlite3 *db){
  return db->nDeferredCons + db->nDeferredImmCons;
}

int grdb_get_deferred_foreign_keys(sqlite3 *db, sqlite3_int64 *violations){
  *violations = db->nDeferredImmCons;
  return (db->flags & SQLITE_DeferFKs)!=0;
}

void grdb_set_deferred_foreign_keys(sqlite3 *db, sqlite3_int64 violations){
  db->flags |= SQLITE_DeferFKs;
  db->nDeferredImmCons = violations;
}

#include "vectors.c"

#ifdef GRDB_ENCRYPTION
#include "../CGRDBSQLiteCiphers/ciphers.c"
#endif
