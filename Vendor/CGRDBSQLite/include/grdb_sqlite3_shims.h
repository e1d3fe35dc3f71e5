/*
** What Swift needs and SQLite's header cannot give it: functions without variable argument lists,
** the destructor constants, and functions that reach into SQLite's internals.
**
** Written in SQLite's plain names, which are themselves in CGRDBSQLite.c, and mapped in the module
** that Swift imports. GRDBSQLite leaves it out: two modules cannot declare one function with types
** of different names.
*/
#ifndef GRDB_SQLITE3_SHIMS_H
#define GRDB_SQLITE3_SHIMS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Read-only access ------------------------------------------------------------------- */

/*
** Forbids (1) or allows (0) changes through a connection, and returns the former state, like
** `PRAGMA query_only`. Unlike the pragma, it does not expire the prepared statements of the
** connection. Affects statements that start afterwards. The connection must be open, and no other
** thread may use it.
*/
int grdb_set_query_only(sqlite3 *db, int onoff);

/* Whether `PRAGMA query_only` or grdb_set_query_only() forbids changes. */
int grdb_get_query_only(sqlite3 *db);

/* Clears the flag of `PRAGMA defer_foreign_keys` in the middle of a transaction. */
void grdb_reset_deferred_foreign_keys(sqlite3 *db);

/* ---- Interruptions ----------------------------------------------------------------------- */

/*
** Undoes sqlite3_interrupt(). No other thread may use the connection. SQLite itself does so when a
** statement starts, unless another statement is on a row.
*/
void grdb_clear_interruption(sqlite3 *db);

/* ---- Changes ----------------------------------------------------------------------------- */

/*
** Sets the results of sqlite3_last_insert_rowid() and sqlite3_changes64(), after code between a statement
** of the app and the app has run other statements. No other thread may use the connection.
*/
void grdb_restore_changes(sqlite3 *db, sqlite3_int64 rowID, sqlite3_int64 count);

/* ---- Expired statements ------------------------------------------------------------------ */

/*
** Has a statement run as it was compiled, though the schema or the settings of the connection have changed
** since. Compiling it again would take memory. Only for statements that depend on neither, such as
** ROLLBACK. The statement must not be running, and no other thread may use the connection.
*/
void grdb_clear_expiration(sqlite3_stmt *statement);

/* ---- Values ------------------------------------------------------------------------------ */

/*
** The UTF-8 of a text or number, or the bytes of a blob: for when sqlite3_value_text() and
** sqlite3_value_blob() have no memory. Null for NULL, or if there is no memory at all. To be freed by
** free().
*/
unsigned char *grdb_copy_bytes(sqlite3_value *value, int *count);

/* ---- Parameters -------------------------------------------------------------------------- */

/*
** sqlite3_bind_null(), sqlite3_bind_int64() and their like, but that parameters keep the memory of
** short texts and blobs for the next ones. Text is UTF-8; texts and blobs are copied; a null pointer
** binds NULL. Lengths are in bytes.
*/
int grdb_bind_null(sqlite3_stmt *statement, int index);
int grdb_bind_int64(sqlite3_stmt *statement, int index, sqlite3_int64 value);
int grdb_bind_double(sqlite3_stmt *statement, int index, double value);
int grdb_bind_text(
  sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 length
);
int grdb_bind_blob(
  sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 length
);

/*
** A copy of the value of a parameter, numbered from 1, for sqlite3_value_free(). Null when there is no
** such parameter, or no memory. Another thread may use the connection meanwhile, unless it binds the
** parameters of this statement, or finalizes it.
*/
sqlite3_value *grdb_bound_value(sqlite3_stmt *statement, int index);

/* Whether a parameter is bound to NULL, or to nothing. */
int grdb_is_bound_null(sqlite3_stmt *statement, int index);

/* Whether a parameter is bound to a text of more than 15 bytes. */
int grdb_is_bound_long_text(sqlite3_stmt *statement, int index);

/*
** The next parameter after another one, numbered from 1, whose value is a text in UTF-8 that contains
** U+FFFD, which replaces the invalid bytes of texts that Swift has read; 0 if there is none.
*/
int grdb_replaced_text(sqlite3_stmt *statement, int after);

/* ---- Compilations ------------------------------------------------------------------------ */

/*
** What tells compilations apart: virtual tables, and functions that are called with constants, compile
** statements in the middle of the compilation of another one. The first function identifies the
** compilation that is under way, null if there is none. In the authorizer, the second one identifies
** the compilation that had been under way when the compilation of the statement began that asks. Both
** pointers are for comparison only. No other thread may use the connection.
*/
const void *grdb_current_compilation(sqlite3 *db);
const void *grdb_enclosing_compilation(sqlite3 *db);

/* ---- Changes ----------------------------------------------------------------------------- */

/*
** For the authorizer: whether the change of a table that is compiled is one that SQLite does not compile
** on its own. SQLite does for VACUUM and changes of the schema, for the tables in which virtual tables keep
** their content, and again for statements of Swift objects that have expired.
*/
int grdb_is_change_of_app(sqlite3 *db, const char *schema, const char *table);

/* Whether there is an update hook or a preupdate hook with another argument than ours. */
int grdb_has_hooks_of_app(sqlite3 *db, void *argument);

/* The number of statements of a connection that have begun, and not ended. */
int grdb_running_statements(sqlite3 *db);

/*
** Whether the connection has a function of this name, with any number of arguments, that is declared
** neither SQLITE_DETERMINISTIC nor SQLITE_INNOCUOUS. Not so for the functions of SQLite itself.
*/
int grdb_may_write_by_function(sqlite3 *db, const char *name);

/*
** Reports the columns of a table, and the rowid as one of them, without a statement, so that hooks may
** call it.
*/
void grdb_columns_of_table(
  sqlite3 *db, const char *schema, const char *name, void *context,
  void (*found)(void *context, const char *column)
);

/*
** The length of the name of the virtual table that keeps content in a table, which is how the name of the
** latter begins; 0 if there is none.
*/
int grdb_virtual_table_prefix(sqlite3 *db, const char *schema, const char *name);

/*
** For the callback of sqlite3_preupdate_hook(): the name of a column, numbered as for
** sqlite3_preupdate_old(); whether the row stores the column, which is not so for generated columns
** that are VIRTUAL; and whether the table has row ids. No statement needs to run, which the callback
** could not do. Null, or 0, out of range and outside of the callback. The name is valid during the
** callback.
*/
const char *grdb_preupdate_column_name(sqlite3 *db, int index);
int grdb_preupdate_column_is_stored(sqlite3 *db, int index);
int grdb_preupdate_has_rowid(sqlite3 *db);

/* For the same callback: whether a virtual table keeps its content in the table. */
int grdb_preupdate_is_shadow(sqlite3 *db);

/*
** Whether a statement that has failed, and was not reset yet, has undone its changes, while the
** transaction goes on. Not so when it has kept them, as OR FAIL does, nor when it had none.
*/
int grdb_was_undone(sqlite3_stmt *statement);

/*
** Tells the columns of each table of which a statement may delete rows: by itself, by its triggers and
** foreign keys, and those that make room for others in REPLACE, which the authorizer is not told.
*/
void grdb_deletions(
  sqlite3_stmt *statement, void *context,
  void (*found)(void *context, const char *table, const char *column)
);

/*
** Tells the generated columns of all tables of a name, each with one column that it is computed from at
** a time. Tables that the connection has not read the schema of are not known.
*/
void grdb_generated_columns(
  sqlite3 *db, const char *name, void *context,
  void (*found)(void *context, const char *column, const char *source)
);

/* ---- Sessions ----------------------------------------------------------------------------- */

/*
** The bytes of the change that an iterator points at: the operation, the indirect flag, and the records.
** Valid until the iterator moves on. Not for foreign key conflicts, which have no change.
*/
const unsigned char *grdb_changeset_change(sqlite3_changeset_iter *iterator, int *count);

/*
** The name of a recorded table in which a session has ignored changes of rows whose key contains NULL, or
** NULL. It is valid until the session is deleted.
*/
const char *grdb_session_null_key_table(sqlite3_session *session);

/* The number of violations of foreign keys that wait for the end of the statement or transaction. */
sqlite3_int64 grdb_foreign_key_violations(sqlite3 *db);

/*
** Whether `PRAGMA defer_foreign_keys` is on, and how many violations of immediate constraints wait for
** the end of the transaction. The second function switches it on, with as many violations.
** sqlite3changeset_apply() switches it off, and forgets the violations.
*/
int grdb_get_deferred_foreign_keys(sqlite3 *db, sqlite3_int64 *violations);
void grdb_set_deferred_foreign_keys(sqlite3 *db, sqlite3_int64 violations);

/* ---- Images ------------------------------------------------------------------------------- */

/*
** sqlite3_serialize(), but that a page which can't be read is an error, and not a page of zeros; that it
** contains what the current transaction has changed, also in a database that was deserialized; and that
** the bytes, which are to be freed by free(), may be more than 2 GB. There are none in an empty database.
*/
int grdb_serialize(
  sqlite3 *db, const char *schema, unsigned char **bytes, sqlite3_uint64 *count
);

/*
** The bytes of a database that was deserialized, where they are, until it changes. Null for others, and
** while a transaction has changed it.
*/
const unsigned char *grdb_memory_image(sqlite3 *db, const char *schema, sqlite3_int64 *count);

/* ---- Backups ------------------------------------------------------------------------------ */

#define GRDB_BACKUP_PAGE_SIZE 1
#define GRDB_BACKUP_RESERVED_BYTES 2

/*
** What differs between the pages of both databases of a backup, if that is why a step has failed with
** SQLITE_READONLY: their sizes, or the bytes that are reserved in the source and that the cipher of the
** destination needs.
*/
int grdb_backup_mismatch(sqlite3_backup *backup, int *source, int *destination);

/* ---- Statements of Swift objects ---------------------------------------------------------- */

/*
** Declares that a Swift object owns a statement. From now on, sqlite3_finalize() only resets it and clears its
** bindings, and grdb_step() fails with SQLITE_MISUSE. sqlite3_next_stmt() skips it.
*/
void grdb_own_statement(sqlite3_stmt *statement);

/* Whether sqlite3_finalize() was called on a statement that a Swift object owns. */
int grdb_is_finalized(sqlite3_stmt *statement);

/* sqlite3_step(), for statements that Swift objects own. */
int grdb_step(sqlite3_stmt *statement);

/* sqlite3_finalize(), for the owner of a statement. */
int grdb_finalize_statement(sqlite3_stmt *statement);

/* ---- Closing ------------------------------------------------------------------------------ */

/* Whether statements or backups keep the connection from being closed. */
int grdb_is_busy(sqlite3 *db);

/* ---- Transactions ------------------------------------------------------------------------ */

/*
** Has the current transaction read from now on: it sees the database as it is now, which a deferred
** transaction otherwise decides at its first statement. Costs next to nothing when the transaction
** reads already. Tells the version of the schema that the transaction sees, like
** `PRAGMA schema_version`, when `schemaVersion` is not null. SQLITE_ERROR outside of transactions.
** No other thread may use the connection.
*/
int grdb_begin_read(sqlite3 *db, const char *schema, int *schemaVersion);

/*
** The version of the schema of the main database that a statement, or a transaction, reads now, like
** `PRAGMA schema_version`. Returns 0, and tells nothing, when none does, or when only the pragma can
** tell. No other thread may use the connection.
*/
int grdb_read_schema_version(sqlite3 *db, int *schemaVersion);

/* The version of the schema of the main database that statements are compiled for now. */
int grdb_compiled_schema_version(sqlite3 *db);

/*
** sqlite3_busy_handler() for a handler that gives up after a while, which `PRAGMA busy_timeout`
** then tells.
*/
void grdb_set_busy_handler(
  sqlite3 *db, int (*handler)(void *context, int count), void *context, int milliseconds
);

/* ---- Files -------------------------------------------------------------------------------- */

/*
** The file that the main database was opened from, whatever there is at its path now. 0 when it is in
** no file, or when its VFS is not the one of unix.
*/
int grdb_file_identity(sqlite3 *db, sqlite3_uint64 *device, sqlite3_uint64 *inode);

/* ---- The stack of the current thread ------------------------------------------------------ */

/* Its lowest address and its size, or 0 where they can't be known. */
uintptr_t grdb_stack_bounds(uintptr_t *size);

/*
** How much stack SQLite takes for one level of an expression, at most, as it is compiled here.
*/
int grdb_stack_bytes_per_level(void);

/* ---- Functions with variable argument lists ---------------------------------------------- */

/* sqlite3_config(SQLITE_CONFIG_LOG, …). A null function stops logging. */
int grdb_config_log(void (*log)(void *context, int code, const char *message), void *context);

/* sqlite3_config(SQLITE_CONFIG_MEMSTATUS, …). SQLITE_MISUSE once SQLite has been initialised. */
int grdb_config_memory_status(int onoff);

/*
** sqlite3_db_config() for the options that take an int and an int*. A negative value changes
** nothing; `result` may be null. SQLITE_MISUSE for the options that take something else.
*/
int grdb_db_config_int(sqlite3 *db, int op, int value, int *result);

/* What sqlite3_load_extension() gives to the entry points of extensions: an sqlite3_api_routines. */
const void *grdb_extension_api(void);

/* Whether SQLite counts the memory that it uses. */
int grdb_counts_memory(void);

/* sqlite3_vtab_config() for the options that take an int, or nothing. */
int grdb_vtab_config(sqlite3 *db, int op, int value);

/* Whether the collation BINARY compares the bytes of UTF-16, as in databases of that encoding. */
int grdb_encodes_utf16(sqlite3 *db);

/* The affinity of a column with a declared type, which may be empty: a letter, as SQLite has it. */
int grdb_affinity(const char *type);

/*
** The affinities of the columns that xCreate or xConnect has just declared, as far as there is room. Untyped
** hidden columns get none. Returns the number of columns.
*/
int grdb_declared_affinities(sqlite3 *db, unsigned char *affinities, int count);

/* Converts the result of xColumn as an ordinary column of this affinity does. */
void grdb_store_result(sqlite3_context *context, int affinity);

/*
** What a column makes of a value of the type SQLITE_INTEGER, SQLITE_FLOAT or SQLITE_TEXT. To be freed by
** sqlite3_value_free(). Null without memory.
*/
sqlite3_value *grdb_stored_value(
  int type, sqlite3_int64 integer, double real, const char *text, int count, int affinity);

/* Whether bytes are well-formed UTF-8. */
int grdb_is_utf8(const unsigned char *bytes, int count);

/* sqlite3_log() of a message that is not a format. */
void grdb_log(int code, const char *message);

/* ---- Destructor constants ---------------------------------------------------------------- */

/* SQLITE_TRANSIENT, a cast of -1 to a function pointer, is no constant that Swift imports. */
static inline void (*grdb_transient_destructor(void))(void *){
  return SQLITE_TRANSIENT;
}

/* SQLITE_STATIC. */
static inline void (*grdb_static_destructor(void))(void *){
  return SQLITE_STATIC;
}

/* Binds UTF-8 text which must stay in place until the parameter is bound anew or finalized. */
static inline int grdb_bind_text_static(
  sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 length
){
  return sqlite3_bind_text64(statement, index, text, length, SQLITE_STATIC, SQLITE_UTF8);
}

/* Binds a blob which must stay in place until the parameter is bound anew or finalized. */
static inline int grdb_bind_blob_static(
  sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 length
){
  return sqlite3_bind_blob64(statement, index, bytes, length, SQLITE_STATIC);
}

/* Returns UTF-8 text, copied, from an SQL function. */
static inline void grdb_result_text_transient(
  sqlite3_context *context, const char *text, sqlite3_uint64 length
){
  sqlite3_result_text64(context, text, length, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/* Returns a blob, copied, from an SQL function. A null `bytes` returns NULL. */
static inline void grdb_result_blob_transient(
  sqlite3_context *context, const void *bytes, sqlite3_uint64 length
){
  sqlite3_result_blob64(context, bytes, length, SQLITE_TRANSIENT);
}

/* ---- FTS5 -------------------------------------------------------------------------------- */

/*
** The FTS5 API of a connection, valid as long as the connection; null on failure, with its result
** code in `*resultCode` (which may be null).
** https://www.sqlite.org/fts5.html#extending_fts5
*/
fts5_api *grdb_fts5_api_from_db(sqlite3 *db, int *resultCode);

typedef int (*grdb_token_callback)(
  void *context, int flags, const char *token, int count, int start, int end
);

/* FTS5 ignores the bytes of tokens after these. */
#define GRDB_MAX_TOKEN_SIZE 32768

/* What a token has against it. */
#define GRDB_TOKEN_OK 0
#define GRDB_TOKEN_NEGATIVE_COUNT 1
#define GRDB_TOKEN_WITHOUT_START 2
#define GRDB_TOKEN_OUT_OF_TEXT 3
#define GRDB_TOKEN_TOO_LONG 4
#define GRDB_TOKEN_NOT_UTF8 5

/*
** Stands between a tokenizer and the callback that receives its tokens, which gets none after it has
** returned something else than SQLITE_OK, and no token that has something against it.
*/
typedef struct grdb_token_guard {
  grdb_token_callback callback;
  void *context;
  const char *text;
  int text_count;
  /* Not SQLITE_OK once the callback has returned so, or a token was turned down. */
  int code;
  /* What the token that was turned down has against it, and what it is. */
  int problem;
  int token_count, token_start, token_end;
  /* Whether the text is UTF-8; -1 until somebody asks. */
  int is_text_utf8;
} grdb_token_guard;

/* The callback to give to the tokenizer, with a grdb_token_guard as its context. */
int grdb_guard_token(
  void *guard, int flags, const char *token, int count, int start, int end
);

/*
** Whether the tokens that this callback receives go to the index of a table. `porter`, which may
** stand in between, is looked through.
*/
int grdb_token_callback_writes_index(grdb_token_callback callback, void *context);

/*
** The name of the table whose index the tokens go to, or NULL. Valid during the call of the tokenizer.
*/
const char *grdb_token_callback_table(grdb_token_callback callback, void *context);

/*
** Whether FTS5 has saved the index since it began to insert the row whose tokens the callback receives.
** The rest of the row then contradicts its beginning.
*/
int grdb_token_callback_was_interrupted(grdb_token_callback callback, void *context);

/*
** Whether a statement opens a cursor on the table whose index the tokens go to, in the statement itself
** or in a trigger.
*/
int grdb_token_callback_is_read_by(
  grdb_token_callback callback, void *context, sqlite3_stmt *statement
);

/*
** Whether the changes of a statement that fails are undone even when its transaction goes on. SQLite
** does not care for this in statements that change one row.
*/
int grdb_is_undone_on_failure(sqlite3_stmt *statement);

#ifdef __cplusplus
}
#endif

#endif
