/*
** Reads the columns of the current row without a call for what most columns are: a value that needs no
** conversion. What two or three of the functions sqlite3_column_…() do, at once, and without a mutex:
** the connection must be one without, or no other thread may use it. A column out of range, or a
** statement that is on no row, reads as NULL.
**
** The functions that are inlined know where SQLite keeps a row. CGRDBSQLite.c does not compile unless
** SQLite's own structures have the same layout.
**
** Written in SQLite's plain names, like grdb_sqlite3_shims.h.
*/
#ifndef GRDB_COLUMNS_H
#define GRDB_COLUMNS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Swift's compiler leaves most calls of C functions as calls, unless it is told. */
#if defined(__GNUC__) || defined(__clang__)
#define GRDB_INLINE static inline __attribute__((always_inline))
#else
#define GRDB_INLINE static inline
#endif

/* ---- SQLite's structures ------------------------------------------------------------------ */

/* Mem: a value, with the bits that tell its type. */
typedef struct {
  union { double real; sqlite3_int64 integer; } number;
  const unsigned char *start;
  int count;
  unsigned short flags;
  unsigned char encoding;
  unsigned char subtype;
  void *connection;
  int size;
  unsigned scratch;
  char *memory;
  void (*destructor)(void*);
} grdb_cell;

/* Vdbe, as far as the row. */
typedef struct {
  void *connection;
  void *neighbours[2];
  void *parse;
  short parameterCount;
  int counts[2];
  unsigned generation;
  int counter;
  int code;
  sqlite3_int64 changeCount;
  int savepoint;
  sqlite3_int64 time;
  sqlite3_int64 violations[3];
  void *memory[4];
  void *program;
  int programSize[2];
  void *names;
  grdb_cell *row;
  void *message;
  void *parameters;
  sqlite3_int64 start;
  unsigned short columnCount;
} grdb_statement;

enum {
  GRDB_CELL_NULL = 0x01,
  GRDB_CELL_TEXT = 0x02,
  GRDB_CELL_INTEGER = 0x04,
  GRDB_CELL_REAL = 0x08,
  GRDB_CELL_BLOB = 0x10,
  /* All bits for types. A cell has several when it was converted. */
  GRDB_CELL_TYPE = 0x3f,
  /* A blob with zeros after its bytes, for which there is no memory yet. */
  GRDB_CELL_ZEROS = 0x400,
  /* SQLITE_NOMEM */
  GRDB_NO_MEMORY = 7
};

/* Null for a column out of range, and if there is no row. */
GRDB_INLINE const grdb_cell *grdb_cell_at(sqlite3_stmt *statement, int index){
  const grdb_statement *p = (const grdb_statement*)statement;
  if( p->row==0 || (unsigned)index>=p->columnCount ) return 0;
  return &p->row[index];
}

/*
** Whether there was no memory to convert a column of the current row. The next step then fails with
** SQLITE_NOMEM. The column was converted all the same, with memory of the C library, if that has any.
*/
GRDB_INLINE int grdb_lacks_memory(sqlite3_stmt *statement){
  return ((const grdb_statement*)statement)->code==GRDB_NO_MEMORY;
}

/* ---- Columns ---------------------------------------------------------------------------- */

/*
** A column: its type (SQLITE_INTEGER, …), and its value. The structures have two members of 8 bytes so
** that they are returned in registers.
*/
typedef struct { sqlite3_int64 type; sqlite3_int64 value; } grdb_integer_column;
typedef struct { sqlite3_int64 type; double value; } grdb_real_column;
typedef struct { const unsigned char *start; int count; int type; } grdb_bytes_column;

/* sqlite3_column_type() */
int grdb_column_type(sqlite3_stmt *statement, int index);

/* The same as the functions below, for all columns. */
grdb_integer_column grdb_any_column_integer(sqlite3_stmt *statement, int index);
grdb_real_column grdb_any_column_real(sqlite3_stmt *statement, int index);
grdb_bytes_column grdb_any_column_bytes(sqlite3_stmt *statement, int index);

/* Whether the column is NULL. */
GRDB_INLINE int grdb_column_is_null(sqlite3_stmt *statement, int index){
  const grdb_cell *cell = grdb_cell_at(statement, index);
  return cell==0 || (cell->flags & GRDB_CELL_NULL)!=0;
}

/* The value is 0 unless the type is SQLITE_INTEGER: nothing is converted. */
GRDB_INLINE grdb_integer_column grdb_column_integer(sqlite3_stmt *statement, int index){
  const grdb_cell *cell = grdb_cell_at(statement, index);
  if( cell!=0 ){
    int type = cell->flags & GRDB_CELL_TYPE;
    if( type==GRDB_CELL_INTEGER ){
      grdb_integer_column result = { SQLITE_INTEGER, cell->number.integer };
      return result;
    }
    if( type==GRDB_CELL_NULL ){
      grdb_integer_column result = { SQLITE_NULL, 0 };
      return result;
    }
  }
  return grdb_any_column_integer(statement, index);
}

/* The value is 0 unless the type is SQLITE_FLOAT or SQLITE_INTEGER. */
GRDB_INLINE grdb_real_column grdb_column_real(sqlite3_stmt *statement, int index){
  const grdb_cell *cell = grdb_cell_at(statement, index);
  if( cell!=0 ){
    int type = cell->flags & GRDB_CELL_TYPE;
    if( type==GRDB_CELL_REAL ){
      grdb_real_column result = { SQLITE_FLOAT, cell->number.real };
      return result;
    }
    if( type==GRDB_CELL_TEXT || type==GRDB_CELL_NULL ){
      grdb_real_column result = { type==GRDB_CELL_TEXT ? SQLITE_TEXT : SQLITE_NULL, 0 };
      return result;
    }
  }
  return grdb_any_column_real(statement, index);
}

/*
** The bytes of a blob, or of the UTF-8 text into which SQLite converts the other types; none for
** NULL. They have no NUL at their end. They stay in place until the statement is stepped or reset,
** or the column is converted.
*/
GRDB_INLINE grdb_bytes_column grdb_column_bytes(sqlite3_stmt *statement, int index){
  const grdb_cell *cell = grdb_cell_at(statement, index);
  if( cell!=0 ){
    int type = cell->flags & GRDB_CELL_TYPE;
    if( type==GRDB_CELL_TEXT && cell->encoding==SQLITE_UTF8 ){
      grdb_bytes_column result = { cell->start, cell->count, SQLITE_TEXT };
      return result;
    }
    if( type==GRDB_CELL_BLOB && (cell->flags & GRDB_CELL_ZEROS)==0 ){
      grdb_bytes_column result = { cell->start, cell->count, SQLITE_BLOB };
      return result;
    }
    if( type==GRDB_CELL_NULL ){
      grdb_bytes_column result = { 0, 0, SQLITE_NULL };
      return result;
    }
  }
  return grdb_any_column_bytes(statement, index);
}

#ifdef __cplusplus
}
#endif

#endif
