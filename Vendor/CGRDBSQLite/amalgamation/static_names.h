/*
** Written by scripts/update-sqlite.
**
** Renames the static functions of the amalgamation whose names begin with `sqlite3_`, which the
** pragmas of grdb_sqlite3_extnames.h do not reach.
*/

#define sqlite3_geopoly_init grdb_sqlite3_geopoly_init
#define sqlite3_get_table_cb grdb_sqlite3_get_table_cb
