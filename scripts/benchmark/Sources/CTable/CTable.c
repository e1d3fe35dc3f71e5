#include "CTable.h"

#include <GRDBSQLite.h>

typedef struct {
  sqlite3_vtab base;
  const benchmark_element *elements;
  int count;
} Table;

typedef struct {
  sqlite3_vtab_cursor base;
  const benchmark_element *elements;
  int position;
  int end;
} Cursor;

typedef struct {
  const benchmark_element *elements;
  int count;
} Elements;

static int connectTable(
  sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **table, char **error
) {
  Elements *elements = aux;
  Table *made;
  int code = sqlite3_declare_vtab(db, "CREATE TABLE x(id INTEGER, score REAL, name TEXT)");
  if (code != SQLITE_OK) return code;
  made = sqlite3_malloc(sizeof(Table));
  if (made == 0) return SQLITE_NOMEM;
  made->elements = elements->elements;
  made->count = elements->count;
  *table = &made->base;
  return SQLITE_OK;
}

static int disconnectTable(sqlite3_vtab *table) {
  sqlite3_free(table);
  return SQLITE_OK;
}

static int plan(sqlite3_vtab *table, sqlite3_index_info *info) {
  info->estimatedCost = ((Table *)table)->count;
  info->estimatedRows = ((Table *)table)->count;
  for (int i = 0; i < info->nConstraint; i++) {
    if (!info->aConstraint[i].usable || info->aConstraint[i].iColumn != 0
        || info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
      continue;
    info->aConstraintUsage[i].argvIndex = 1;
    info->idxNum = 1;
    info->estimatedCost = 1;
    info->estimatedRows = 1;
    break;
  }
  return SQLITE_OK;
}

static int openCursor(sqlite3_vtab *table, sqlite3_vtab_cursor **cursor) {
  Cursor *made = sqlite3_malloc(sizeof(Cursor));
  if (made == 0) return SQLITE_NOMEM;
  made->elements = ((Table *)table)->elements;
  *cursor = &made->base;
  return SQLITE_OK;
}

static int closeCursor(sqlite3_vtab_cursor *cursor) {
  sqlite3_free(cursor);
  return SQLITE_OK;
}

static int filter(
  sqlite3_vtab_cursor *base, int number, const char *text, int argc, sqlite3_value **argv
) {
  Cursor *cursor = (Cursor *)base;
  int count = ((Table *)base->pVtab)->count;
  cursor->position = 0;
  cursor->end = count;
  if (number == 1) {
    sqlite3_int64 id = sqlite3_value_int64(argv[0]);
    cursor->position = id >= 0 && id < count ? (int)id : 0;
    cursor->end = id >= 0 && id < count ? (int)id + 1 : 0;
  }
  return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *cursor) {
  ((Cursor *)cursor)->position++;
  return SQLITE_OK;
}

static int isAtEnd(sqlite3_vtab_cursor *base) {
  Cursor *cursor = (Cursor *)base;
  return cursor->position >= cursor->end;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int index) {
  Cursor *cursor = (Cursor *)base;
  const benchmark_element *element = &cursor->elements[cursor->position];
  switch (index) {
    case 0: sqlite3_result_int64(context, element->id); break;
    case 1: sqlite3_result_double(context, element->score); break;
    /* The names of a collection may change while SQLite reads the row. */
    default: sqlite3_result_text(context, element->name, element->length, SQLITE_TRANSIENT);
  }
  return SQLITE_OK;
}

static int rowID(sqlite3_vtab_cursor *cursor, sqlite3_int64 *result) {
  *result = ((Cursor *)cursor)->position + 1;
  return SQLITE_OK;
}

int benchmark_add_table(void *connection, const benchmark_element *elements, int count) {
  static const sqlite3_module module = {
    .iVersion = 1, .xConnect = connectTable, .xBestIndex = plan, .xDisconnect = disconnectTable,
    .xOpen = openCursor, .xClose = closeCursor, .xFilter = filter, .xNext = next,
    .xEof = isAtEnd, .xColumn = column, .xRowid = rowID,
  };
  Elements *made = sqlite3_malloc(sizeof(Elements));
  if (made == 0) return SQLITE_NOMEM;
  made->elements = elements;
  made->count = count;
  return sqlite3_create_module_v2(connection, "element", &module, made, sqlite3_free);
}
