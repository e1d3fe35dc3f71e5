/* The header of the system, from the compiler's own include path. */
#include <sqlite3.h>
