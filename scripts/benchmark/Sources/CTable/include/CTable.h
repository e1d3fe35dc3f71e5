/*
** A virtual table over an array, in C: the twin of a table over a collection.
*/
#ifndef C_TABLE_H
#define C_TABLE_H

typedef struct benchmark_element {
  long long id;
  double score;
  const char *name;
  int length;
} benchmark_element;

/* Adds the table "element" of the columns id, score and name, with an index on id. The elements have the
** identifiers 0, 1, 2, … in this order, and must live as long as the connection. */
int benchmark_add_table(void *connection, const benchmark_element *elements, int count);

#endif
