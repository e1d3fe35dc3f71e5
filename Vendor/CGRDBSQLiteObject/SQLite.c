/*
** Compiles SQLite, in a target of its own: the Swift module needs the headers of CGRDBSQLite only, so
** that it does not wait for this object file, which takes longest of all.
*/
#include "../CGRDBSQLite/CGRDBSQLite.c"
