/*
** The one file that compiles SQLite: the amalgamation under renamed symbols, and after it, in the
** same translation unit, the functions that need its internals.
*/
#include "options.h"
#include "include/grdb_sqlite3_extnames.h"
#include "amalgamation/static_names.h"
#include "amalgamation/sqlite3.c"
#include "include/grdb_sqlite3_shims.h"

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

/* columnMem(), without the mutex and the error of a column that is out of range. */
static Mem *grdbColumn(sqlite3_stmt *statement, int index){
  Vdbe *p = (Vdbe*)statement;
  if( p->pResultRow!=0 && (unsigned)index<p->nResColumn ) return &p->pResultRow[index];
  return (Mem*)columnNullValue();
}

int grdb_column_type(sqlite3_stmt *statement, int index){
  return sqlite3_value_type(grdbColumn(statement, index));
}

grdb_integer_column grdb_column_integer(sqlite3_stmt *statement, int index){
  Mem *column = grdbColumn(statement, index);
  grdb_integer_column result = { sqlite3_value_type(column), 0 };
  if( result.type==SQLITE_INTEGER ) result.value = sqlite3_value_int64(column);
  return result;
}

grdb_real_column grdb_column_real(sqlite3_stmt *statement, int index){
  Mem *column = grdbColumn(statement, index);
  grdb_real_column result = { sqlite3_value_type(column), 0 };
  if( result.type==SQLITE_FLOAT || result.type==SQLITE_INTEGER ){
    result.value = sqlite3_value_double(column);
  }
  return result;
}

grdb_bytes_column grdb_column_bytes(sqlite3_stmt *statement, int index){
  Mem *column = grdbColumn(statement, index);
  grdb_bytes_column result = { 0, 0, sqlite3_value_type(column) };
  if( result.type==SQLITE_TEXT && column->enc==SQLITE_UTF8 ){
    result.start = (const unsigned char*)column->z;
    result.count = column->n;
  }else if( result.type!=SQLITE_NULL ){
    /* These convert, and note that memory is exhausted. The length is that of what they return. */
    if( result.type==SQLITE_BLOB ){
      result.start = sqlite3_column_blob(statement, index);
    }else{
      result.start = sqlite3_column_text(statement, index);
    }
    result.count = result.start ? sqlite3_column_bytes(statement, index) : 0;
  }
  return result;
}

int grdb_config_log(void (*log)(void *context, int code, const char *message), void *context){
  return sqlite3_config(SQLITE_CONFIG_LOG, log, context);
}

int grdb_config_memory_status(int onoff){
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, onoff);
}

int grdb_db_config_int(sqlite3 *db, int op, int value, int *result){
  /* These two take other arguments, which SQLite would read as pointers. */
  if( op==SQLITE_DBCONFIG_MAINDBNAME || op==SQLITE_DBCONFIG_LOOKASIDE ) return SQLITE_MISUSE;
  return sqlite3_db_config(db, op, value, result);
}

int grdb_vtab_config(sqlite3 *db, int op, int value){
  return sqlite3_vtab_config(db, op, value);
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
