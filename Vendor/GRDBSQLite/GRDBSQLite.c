/* Nothing to compile: SwiftPM wants a source file in each target. */
#include "GRDBSQLite.h"
