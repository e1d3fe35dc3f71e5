/*
** What Swift needs of the ciphers. The functions exist only if CGRDBSQLiteObject is compiled with
** GRDB_ENCRYPTION.
**
** Names of schemas and ciphers are UTF-8. Functions return result codes of SQLite unless they say
** otherwise. No other thread may use the connection meanwhile.
*/
#ifndef CGRDBSQLITECIPHERS_H
#define CGRDBSQLITECIPHERS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An `sqlite3`. Declared apart, so that this module does not depend on the other one. */
typedef struct grdb_ciphers_connection grdb_ciphers_connection;

/* Overwrites memory, which the compiler does not leave out. */
void grdb_cipher_wipe(void *bytes, size_t count);

/* ---- Ciphers ------------------------------------------------------------------------------ */

/*
** Selects the cipher of the next key, or, if `lasts`, of all keys to come. 0 if there is none of this
** name.
*/
int grdb_cipher_select(grdb_ciphers_connection *db, const char *cipher, int lasts);

/* Sets a parameter of a cipher, like grdb_cipher_select(). 0 if it is unknown or out of range. */
int grdb_cipher_set_parameter(
  grdb_ciphers_connection *db, const char *cipher, const char *parameter, int value, int lasts
);

/*
** Sets the salt of the keys to come, 16 bytes, for files that don't contain it. Null makes the salt be
** read from the file again, or be generated.
*/
int grdb_cipher_set_salt(grdb_ciphers_connection *db, const unsigned char *salt);

/* Copies the 16 bytes of the salt of an encrypted database. 0 if there is none. */
int grdb_cipher_get_salt(grdb_ciphers_connection *db, const char *schema, unsigned char *salt);

/* Has SQLite clear all memory that it frees, in the whole process. */
void grdb_cipher_secure_memory(int onoff);

/* ---- Keys --------------------------------------------------------------------------------- */

int grdb_cipher_key(grdb_ciphers_connection *db, const char *schema, const void *key, int count);

/* No bytes remove the encryption. */
int grdb_cipher_rekey(grdb_ciphers_connection *db, const char *schema, const void *key, int count);

/*
** Ends a transaction that has not written, and begins it again: keys change outside of transactions. Hooks
** don't hear of it, unless it can't be begun again, which is a rollback to them. SQLITE_MISUSE if there is a
** savepoint, or if the transaction has written.
*/
int grdb_cipher_pause_transaction(grdb_ciphers_connection *db, int *state);
int grdb_cipher_resume_transaction(grdb_ciphers_connection *db, int state);

/*
** `ATTACH path AS schema KEY key`, of which no trace function hears. No bytes attach a plain file. Tells whether
** the file is plain, for which the key is wrong.
*/
int grdb_cipher_attach(
  grdb_ciphers_connection *db, const char *path, const char *schema, const void *key, int count, int *isPlain
);

/*
** Whether a key opens the file of a schema with the cipher that is selected: 1 or 0; -1 if there is no
** file, or nothing in it. Leaves the schema as it is, and the selection for the next key used up.
*/
int grdb_cipher_opens(
  grdb_ciphers_connection *db, const char *schema, const void *key, int count
);

/* ---- States ------------------------------------------------------------------------------- */

/* Whether a schema has a key. */
int grdb_cipher_has_key(grdb_ciphers_connection *db, const char *schema);

/* What keeps a file from being read. */
#define GRDB_CIPHER_UNKNOWN 0
#define GRDB_CIPHER_MISSING_KEY 1
#define GRDB_CIPHER_WRONG_KEY 2
#define GRDB_CIPHER_NOT_ENCRYPTED 3
#define GRDB_CIPHER_ALTERED 4

/*
** Looks at the files of all schemas, and tells what is wrong with one of them, its name, and the page
** that is altered or 0. The name is valid as long as the schema is attached.
*/
int grdb_cipher_diagnose(
  grdb_ciphers_connection *db, int resultCode, const char **schema, unsigned *page
);

/* ---- Copies ------------------------------------------------------------------------------- */

/*
** `VACUUM schema INTO uri`, of which no trace function and no authorizer hears. No bytes of a key write a
** plain file. The memory that SQLite uses for it is cleared. The copy has another size of pages unless
** `pageSize` is 0.
*/
int grdb_cipher_vacuum(
  grdb_ciphers_connection *db, const char *schema, const char *uri, const void *key, int count, int pageSize
);

/* Adds the SQL function `sqlcipher_export`, which copies a database into an empty one that is attached. */
int grdb_cipher_add_export(grdb_ciphers_connection *db);

#ifdef __cplusplus
}
#endif

#endif
