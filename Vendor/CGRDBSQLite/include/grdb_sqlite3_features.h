/*
** The options which decide what SQLite's header declares. They stand in a header of their own
** because the settings of a C target do not reach the code that imports it.
*/
#ifndef SQLITE_ENABLE_PREUPDATE_HOOK
#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#endif
#ifndef SQLITE_ENABLE_SESSION
#define SQLITE_ENABLE_SESSION 1
#endif
