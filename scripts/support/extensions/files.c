/*
** An extension for scripts/check-extensions, compiled with the header of another SQLite: a virtual file system
** that is the default one under another name, and a function that writes through its connection.
*/
#include "sqlite3ext.h"
SQLITE_EXTENSION_INIT1

static sqlite3_vfs files;

static void clear(sqlite3_context *context, int count, sqlite3_value **values){
  sqlite3 *db = sqlite3_context_db_handle(context);
  (void)count;
  (void)values;
  if( sqlite3_exec(db, "DELETE FROM player", 0, 0, 0)!=SQLITE_OK ){
    sqlite3_result_error(context, sqlite3_errmsg(db), -1);
  }
}

int sqlite3_files_init(sqlite3 *db, char **message, const sqlite3_api_routines *api){
  SQLITE_EXTENSION_INIT2(api);
  (void)message;
  if( sqlite3_vfs_find("files")==0 ){
    files = *sqlite3_vfs_find(0);
    files.zName = "files";
    files.pNext = 0;
    if( sqlite3_vfs_register(&files, 0)!=SQLITE_OK ) return SQLITE_ERROR;
  }
  if( sqlite3_create_function_v2(db, "files_clear", 0, SQLITE_UTF8, 0, clear, 0, 0, 0)!=SQLITE_OK ){
    return SQLITE_ERROR;
  }
  return SQLITE_OK_LOAD_PERMANENTLY;
}
