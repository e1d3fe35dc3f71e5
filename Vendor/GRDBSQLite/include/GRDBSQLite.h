/*
** The SQLite of this package under SQLite's own names, for code that calls C on a connection that
** the toolkit has opened (`db.sqliteConnection`):
**
**     import GRDB
**     import GRDBSQLite
**
**     try queue.read { db in
**         let count = sqlite3_total_changes(db.sqliteConnection)
**     }
**
** Do not import it in a target that also imports another SQLite, such as the system's: both would
** declare `sqlite3_open`, and calls could reach the wrong one. Nothing else keeps two copies of
** SQLite out of one process, but they must never open the same file: closing it in one drops the
** POSIX locks of the other. https://www.sqlite.org/howtocorrupt.html#multiple_copies_of_sqlite_linked_into_the_same_application
*/
#ifndef GRDBSQLITE_H
#define GRDBSQLITE_H

#include <grdb_sqlite3_features.h>
#include <grdb_sqlite3_extnames.h>
#include <grdb_sqlite3.h>

#endif
