/*
** Nothing to compile: SwiftPM wants a source file in each target. CGRDBSQLite.c includes ciphers.c if
** the package is built with encryption.
*/
#include "CGRDBSQLiteCiphers.h"
