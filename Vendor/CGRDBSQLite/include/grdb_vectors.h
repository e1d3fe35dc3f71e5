/*
** Distances between vectors that are stored as blobs: of 32-bit floats in little-endian order, of signed
** bytes, or of bits. The loops are written so that every platform computes the same bits.
**
** Written in SQLite's plain names, like grdb_sqlite3_shims.h.
*/
#ifndef GRDB_VECTORS_H
#define GRDB_VECTORS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  GRDB_VECTOR_L2,
  GRDB_VECTOR_L2_SQUARED,
  GRDB_VECTOR_COSINE,
  GRDB_VECTOR_DOT,
  GRDB_VECTOR_INT8_L2,
  GRDB_VECTOR_INT8_L2_SQUARED,
  GRDB_VECTOR_INT8_COSINE,
  GRDB_VECTOR_INT8_DOT,
  GRDB_VECTOR_BITS_HAMMING
};

/*
** The distance between two vectors of the same number of bytes. NaN if a vector holds NaN, or infinities
** that cancel each other out.
*/
double grdb_vector_distance(int kind, const void *left, const void *right, size_t byteCount);

/*
** Quantizes floats: `lower` becomes -128, `upper` 127, and values outside the range become one of both.
** Returns 0 if there is a NaN.
*/
int grdb_vector_quantize_int8(
  const void *floats, size_t count, float lower, float upper, signed char *bytes
);

/*
** Quantizes floats: one bit each, the lowest bit of a byte first, set if the float is greater than zero.
** The count is a multiple of 8. Returns 0 if there is a NaN.
*/
int grdb_vector_quantize_bits(const void *floats, size_t count, unsigned char *bytes);

/* Registers the functions vector_…() of SQL. Returns a result code. */
int grdb_add_vector_functions(sqlite3 *db);

#ifdef __cplusplus
}
#endif

#endif
