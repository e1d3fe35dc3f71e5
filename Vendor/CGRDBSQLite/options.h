/*
** The options this copy of SQLite is compiled with: one list, sorted by name, a reason each.
** https://www.sqlite.org/compile.html describes them.
**
** VendoredOptionsTests reads the #define lines below and compares them with what
** `PRAGMA compile_options` reports, so an option which SQLite drops or misspells is noticed.
**
** The settings stand here, and not in Package.swift, because the public header needs two of them
** (see grdb_sqlite3_features.h), and because any other build system finds them here as well.
*/
#ifndef GRDB_SQLITE_OPTIONS_H
#define GRDB_SQLITE_OPTIONS_H

#include "include/grdb_sqlite3_features.h"

/* Counting bytes under a global lock costs every allocation; nothing here reads the count. */
#define SQLITE_DEFAULT_MEMSTATUS 0

/* NORMAL is durable enough in WAL mode: a power cut may undo the last commits, never corrupt. */
#define SQLITE_DEFAULT_WAL_SYNCHRONOUS 1

/* "text" names a column, always: a misspelled column is an error, not a string. */
#define SQLITE_DQS 0

#ifdef GRDB_SQLITE_DEBUG
/* Misuse of the C API returns SQLITE_MISUSE instead of crashing. Debug builds: it costs checks. */
#define SQLITE_ENABLE_API_ARMOR 1
#endif

/* `IN carray(?)` binds a whole array to one parameter. */
#define SQLITE_ENABLE_CARRAY 1

/* Origin of result columns (table and column names), which regions and row layouts ask for. */
#define SQLITE_ENABLE_COLUMN_METADATA 1

/* The dbstat table shows how many pages each table and index takes. */
#define SQLITE_ENABLE_DBSTAT_VTAB 1

/* AND, OR, NOT and parentheses in FTS3 and FTS4 patterns, as FTS3Pattern documents them. */
#define SQLITE_ENABLE_FTS3_PARENTHESIS 1

/* Full-text tables of existing databases; brings FTS3. */
#define SQLITE_ENABLE_FTS4 1

/* Full-text search with ranking and tokenizers of the app's own. */
#define SQLITE_ENABLE_FTS5 1

/* Polygons, on top of RTREE. */
#define SQLITE_ENABLE_GEOPOLY 1

/* sin, log, pow, ceil and so on as SQL functions. */
#define SQLITE_ENABLE_MATH_FUNCTIONS 1

/* median and percentile as SQL aggregates. */
#define SQLITE_ENABLE_PERCENTILE 1

/* Old and new values of changed rows: databaseWillChange(with:), and sessions rest on it. */
#define SQLITE_ENABLE_PREUPDATE_HOOK 1

/* Spatial and other range queries. */
#define SQLITE_ENABLE_RTREE 1

/* Recording, inverting, merging and applying changesets. */
#define SQLITE_ENABLE_SESSION 1

/* Reading a past state of a WAL database: snapshots, and observation without a gap. */
#define SQLITE_ENABLE_SNAPSHOT 1

/* ANALYZE samples the values themselves, so skewed data gets better query plans. */
#define SQLITE_ENABLE_STAT4 1

/* LIKE and GLOB are false for blobs, which lets an index serve them. */
#define SQLITE_LIKE_DOESNT_MATCH_BLOBS 1

/* Blobs of 2 GB can be read and written in pieces. Connections open with the usual limit of 1 GB. */
#define SQLITE_MAX_LENGTH 2147483645

/* A function that passes a subtype without having said so is an error: finds wrong registrations. */
#define SQLITE_STRICT_SUBTYPE 1

/* One thread at a time a connection: queue and pool serialize access, above. */
#define SQLITE_THREADSAFE 2

/*
** Left out, though people may look for them:
**
** - SQLITE_ENABLE_STMT_SCANSTATUS: reads take 5 % more instructions and twice the time; 12 % more
**   instructions with SQLITE_DBCONFIG_STMT_SCANSTATUS turned off.
** - SQLITE_OMIT_SHARED_CACHE, SQLITE_OMIT_PROGRESS_CALLBACK, SQLITE_OMIT_DECLTYPE,
**   SQLITE_OMIT_AUTOINIT, SQLITE_MAX_EXPR_DEPTH=0 and a smaller lookaside, which SQLite recommends
**   where nothing uses the feature: apps do.
*/

/*
** What the platform offers. SQLite's own configure script would find these out; SwiftPM runs none.
*/
#if defined(__linux__) || defined(__APPLE__) || defined(__FreeBSD__) || defined(__OpenBSD__)
/* The reentrant forms, since queues run on many threads. */
#  define HAVE_GMTIME_R 1
#  define HAVE_LOCALTIME_R 1
#  define HAVE_STRERROR_R 1
/* The compiler's isnan() beats the emulation. */
#  define HAVE_ISNAN 1
#endif

#if defined(__linux__)
/* A commit need not wait for the file's times to reach the disk. */
#  define HAVE_FDATASYNC 1
#endif

#endif
