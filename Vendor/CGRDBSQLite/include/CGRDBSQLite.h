/*
** The SQLite of this package under names of its own: `sqlite3_open` is `grdb_sqlite3_open`, the
** type `sqlite3` is `grdb_sqlite3`. So it lives in one file with another SQLite.
*/
#ifndef CGRDBSQLITE_H
#define CGRDBSQLITE_H

#include "grdb_sqlite3_features.h"
#include "grdb_sqlite3_names.h"
#include "grdb_sqlite3.h"
#include "grdb_sqlite3_shims.h"
#include "grdb_columns.h"
#include "grdb_atomics.h"
#include "grdb_vectors.h"

#endif
