/*
** Nothing to compile: SwiftPM wants a source file in each target. The target CGRDBSQLiteObject compiles
** CGRDBSQLite.c.
*/
#include "CGRDBSQLite.h"
