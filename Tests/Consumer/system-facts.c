/*
** What the system's header says when nothing else is around. scripts/check-consumer compiles it
** without the package, and BesideSystemSQLite must print the same.
*/
#include <sqlite3.h>
#include <stdio.h>

int main(void){
  printf("SQLITE_VERSION_NUMBER = %d\n", SQLITE_VERSION_NUMBER);
  printf("sizeof(sqlite3_module) = %zu\n", sizeof(sqlite3_module));
  printf("sizeof(Fts5ExtensionApi) = %zu\n", sizeof(Fts5ExtensionApi));
  printf("sqlite3_libversion() = %s\n", sqlite3_libversion());
  return 0;
}
