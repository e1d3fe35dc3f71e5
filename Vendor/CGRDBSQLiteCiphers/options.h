/*
** The options of the ciphers, besides those of ../CGRDBSQLite/options.h: sorted by name, a reason each.
** https://utelle.github.io/SQLite3MultipleCiphers/docs/configuration/config_overview/
*/
#ifndef GRDB_SQLITE_CIPHERS_OPTIONS_H
#define GRDB_SQLITE_CIPHERS_OPTIONS_H

/* `PRAGMA key` alone reads and writes the files of SQLCipher. */
#define CODEC_TYPE CODEC_TYPE_SQLCIPHER

/* Ciphers that don't authenticate pages: they would decrypt an altered page to other content. */
#define HAVE_CIPHER_AES_128_CBC 0
#define HAVE_CIPHER_AES_256_CBC 0
#define HAVE_CIPHER_RC4 0

/* `PRAGMA memory_security`: memory is cleared when it is freed. Off until somebody asks. */
#define SQLITE3MC_SECURE_MEMORY 1

/* The files of SQLCipher 4, byte by byte, instead of a variant with a readable page size. */
#define SQLITE3MC_USE_SQLCIPHER_LEGACY 1

/* Sorters, temporary tables and VACUUM never write to files, whatever `PRAGMA temp_store` says. */
#define SQLITE_TEMP_STORE 3

#endif
