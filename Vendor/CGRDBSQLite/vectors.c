/*
** Distances between vectors. See include/grdb_vectors.h.
**
** The loops over floats use the vector extensions of GCC and Clang, which become SSE, AVX, NEON or
** SIMD instructions of WebAssembly. The order of additions is fixed, and multiplications are not fused
** with additions, so that all platforms compute the same distance: an index on a distance is valid
** wherever its file goes. The loops over integers are plain: compilers vectorize them.
*/
#include <math.h>
#include <stdint.h>
#include <string.h>
#include "include/grdb_vectors.h"

#if defined(__clang__)
#pragma clang fp contract(off)
#endif

#define GRDB_KERNEL_BODY static inline __attribute__((always_inline)) void

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define GRDB_BIG_ENDIAN 1
#endif

static float grdbFloatAt(const unsigned char *p){
  uint32_t bits = (uint32_t)p[0] | (uint32_t)p[1]<<8 | (uint32_t)p[2]<<16 | (uint32_t)p[3]<<24;
  float value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

/*
** A kernel reads two vectors of `size` bytes. `out` receives the sum of squared differences; or the dot
** product, and, for the cosine, the squared lengths of both vectors.
*/
typedef void (*grdbKernel)(
  const unsigned char *a, const unsigned char *b, size_t size, double *out
);

/* ---- Floats ---------------------------------------------------------------------------------- */

/* In double precision: neither overflows nor underflows, and reads any byte order. */
static void grdbScalarFloats(
  const unsigned char *a, const unsigned char *b, size_t size, double *out, int isDifference
){
  double sum = 0, aa = 0, bb = 0;
  for(size_t i=0; i<size; i+=4){
    double x = grdbFloatAt(a+i), y = grdbFloatAt(b+i);
    double d = x - y;
    if( isDifference ){
      double square = d*d;
      sum += square;
    }else{
      double xy = x*y, xx = x*x, yy = y*y;
      sum += xy;
      aa += xx;
      bb += yy;
    }
  }
  out[0] = sum;
  out[1] = aa;
  out[2] = bb;
}

/* Macros, because functions that pass such vectors have another ABI with AVX than without. */
typedef float grdbFloats __attribute__((vector_size(32)));
#define GRDB_LOAD(v, p) memcpy(&(v), (p), sizeof(v))

GRDB_KERNEL_BODY grdbSquaresBody(
  const unsigned char *a, const unsigned char *b, size_t size, double *out
){
  grdbFloats s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0}, x, y;
  double sum = 0;
  for(; size>=128; size-=128, a+=128, b+=128){
    GRDB_LOAD(x, a);    GRDB_LOAD(y, b);    x -= y; s0 += x*x;
    GRDB_LOAD(x, a+32); GRDB_LOAD(y, b+32); x -= y; s1 += x*x;
    GRDB_LOAD(x, a+64); GRDB_LOAD(y, b+64); x -= y; s2 += x*x;
    GRDB_LOAD(x, a+96); GRDB_LOAD(y, b+96); x -= y; s3 += x*x;
  }
  for(; size>=32; size-=32, a+=32, b+=32){
    GRDB_LOAD(x, a); GRDB_LOAD(y, b); x -= y; s0 += x*x;
  }
  s0 = (s0 + s1) + (s2 + s3);
  for(int k=0; k<8; k++) sum += s0[k];
  for(; size>=4; size-=4, a+=4, b+=4){
    float d = grdbFloatAt(a) - grdbFloatAt(b);
    float square = d*d;
    sum += square;
  }
  out[0] = sum;
}

GRDB_KERNEL_BODY grdbDotBody(
  const unsigned char *a, const unsigned char *b, size_t size, double *out
){
  grdbFloats s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0}, x, y;
  double sum = 0;
  for(; size>=128; size-=128, a+=128, b+=128){
    GRDB_LOAD(x, a);    GRDB_LOAD(y, b);    s0 += x*y;
    GRDB_LOAD(x, a+32); GRDB_LOAD(y, b+32); s1 += x*y;
    GRDB_LOAD(x, a+64); GRDB_LOAD(y, b+64); s2 += x*y;
    GRDB_LOAD(x, a+96); GRDB_LOAD(y, b+96); s3 += x*y;
  }
  for(; size>=32; size-=32, a+=32, b+=32){
    GRDB_LOAD(x, a); GRDB_LOAD(y, b); s0 += x*y;
  }
  s0 = (s0 + s1) + (s2 + s3);
  for(int k=0; k<8; k++) sum += s0[k];
  for(; size>=4; size-=4, a+=4, b+=4){
    float product = grdbFloatAt(a) * grdbFloatAt(b);
    sum += product;
  }
  out[0] = sum;
}

GRDB_KERNEL_BODY grdbProductsBody(
  const unsigned char *a, const unsigned char *b, size_t size, double *out
){
  grdbFloats xy0 = {0}, xy1 = {0}, xx0 = {0}, xx1 = {0}, yy0 = {0}, yy1 = {0}, x, y;
  double xy = 0, xx = 0, yy = 0;
  for(; size>=64; size-=64, a+=64, b+=64){
    GRDB_LOAD(x, a);    GRDB_LOAD(y, b);    xy0 += x*y; xx0 += x*x; yy0 += y*y;
    GRDB_LOAD(x, a+32); GRDB_LOAD(y, b+32); xy1 += x*y; xx1 += x*x; yy1 += y*y;
  }
  for(; size>=32; size-=32, a+=32, b+=32){
    GRDB_LOAD(x, a); GRDB_LOAD(y, b); xy0 += x*y; xx0 += x*x; yy0 += y*y;
  }
  xy0 += xy1;
  xx0 += xx1;
  yy0 += yy1;
  for(int k=0; k<8; k++){
    xy += xy0[k];
    xx += xx0[k];
    yy += yy0[k];
  }
  for(; size>=4; size-=4, a+=4, b+=4){
    float p = grdbFloatAt(a), q = grdbFloatAt(b);
    float pq = p*q, pp = p*p, qq = q*q;
    xy += pq;
    xx += pp;
    yy += qq;
  }
  out[0] = xy;
  out[1] = xx;
  out[2] = yy;
}

/* ---- Integers -------------------------------------------------------------------------------- */

/* As many squared differences of bytes, 255 at most, as 32 bits can hold. */
#define GRDB_BLOCK 16384

GRDB_KERNEL_BODY grdbByteSquaresBody(
  const unsigned char *a, const unsigned char *b, size_t size, double *out
){
  int64_t total = 0;
  while( size>0 ){
    size_t count = size<GRDB_BLOCK ? size : GRDB_BLOCK;
    int32_t sum = 0;
    for(size_t i=0; i<count; i++){
      int16_t d = (int16_t)((int16_t)(signed char)a[i] - (int16_t)(signed char)b[i]);
      sum += (int32_t)d * d;
    }
    total += sum;
    a += count;
    b += count;
    size -= count;
  }
  out[0] = (double)total;
}

GRDB_KERNEL_BODY grdbByteProductsBody(
  const unsigned char *a, const unsigned char *b, size_t size, double *out
){
  int64_t xy = 0, xx = 0, yy = 0;
  while( size>0 ){
    size_t count = size<GRDB_BLOCK ? size : GRDB_BLOCK;
    int32_t sxy = 0, sxx = 0, syy = 0;
    for(size_t i=0; i<count; i++){
      int16_t x = (signed char)a[i], y = (signed char)b[i];
      sxy += (int32_t)x * y;
      sxx += (int32_t)x * x;
      syy += (int32_t)y * y;
    }
    xy += sxy;
    xx += sxx;
    yy += syy;
    a += count;
    b += count;
    size -= count;
  }
  out[0] = (double)xy;
  out[1] = (double)xx;
  out[2] = (double)yy;
}

GRDB_KERNEL_BODY grdbBitsBody(
  const unsigned char *a, const unsigned char *b, size_t size, double *out
){
  int64_t count = 0;
  for(; size>=8; size-=8, a+=8, b+=8){
    uint64_t x, y;
    memcpy(&x, a, 8);
    memcpy(&y, b, 8);
    count += __builtin_popcountll(x ^ y);
  }
  for(; size>0; size--, a++, b++) count += __builtin_popcount((unsigned)(*a ^ *b));
  out[0] = (double)count;
}

/* ---- Choice of instructions ------------------------------------------------------------------ */

enum {
  grdbSquares, grdbDot, grdbProducts, grdbByteSquares, grdbByteProducts, grdbBits, grdbKernelCount
};

#define GRDB_KERNELS(attributes, suffix) \
  static attributes void grdbSquares##suffix( \
    const unsigned char *a, const unsigned char *b, size_t size, double *out \
  ){ grdbSquaresBody(a, b, size, out); } \
  static attributes void grdbDot##suffix( \
    const unsigned char *a, const unsigned char *b, size_t size, double *out \
  ){ grdbDotBody(a, b, size, out); } \
  static attributes void grdbProducts##suffix( \
    const unsigned char *a, const unsigned char *b, size_t size, double *out \
  ){ grdbProductsBody(a, b, size, out); } \
  static attributes void grdbByteSquares##suffix( \
    const unsigned char *a, const unsigned char *b, size_t size, double *out \
  ){ grdbByteSquaresBody(a, b, size, out); } \
  static attributes void grdbByteProducts##suffix( \
    const unsigned char *a, const unsigned char *b, size_t size, double *out \
  ){ grdbByteProductsBody(a, b, size, out); } \
  static attributes void grdbBits##suffix( \
    const unsigned char *a, const unsigned char *b, size_t size, double *out \
  ){ grdbBitsBody(a, b, size, out); } \
  static const grdbKernel grdbKernels##suffix[grdbKernelCount] = { \
    grdbSquares##suffix, grdbDot##suffix, grdbProducts##suffix, grdbByteSquares##suffix, \
    grdbByteProducts##suffix, grdbBits##suffix \
  };

GRDB_KERNELS(, Base)

#if defined(__x86_64__) && !defined(__AVX2__)
#define GRDB_CHOOSES_KERNELS 1
#include <cpuid.h>

GRDB_KERNELS(__attribute__((target("avx2,popcnt"))), AVX2)

/* Not __builtin_cpu_supports(), which needs a library that some platforms link without. */
static int grdbHasAVX2(void){
  unsigned a, b, c, d, enabled, high;
  unsigned const osxsave = 1u<<27, avx = 1u<<28, popcnt = 1u<<23, avx2 = 1u<<5;
  if( !__get_cpuid(1, &a, &b, &c, &d) ) return 0;
  if( (c & osxsave)==0 || (c & avx)==0 || (c & popcnt)==0 ) return 0;
  /* Whether the system saves the registers of AVX. */
  __asm__ volatile("xgetbv" : "=a"(enabled), "=d"(high) : "c"(0));
  if( (enabled & 6)!=6 ) return 0;
  if( !__get_cpuid_count(7, 0, &a, &b, &c, &d) ) return 0;
  return (b & avx2)!=0;
}
#endif

static const grdbKernel *grdbChosenKernels(void){
#ifdef GRDB_CHOOSES_KERNELS
  /* Threads that come at the same time find the same. */
  static const grdbKernel *chosen;
  const grdbKernel *kernels = __atomic_load_n(&chosen, __ATOMIC_RELAXED);
  if( kernels==0 ){
    kernels = grdbHasAVX2() ? grdbKernelsAVX2 : grdbKernelsBase;
    __atomic_store_n(&chosen, kernels, __ATOMIC_RELAXED);
  }
  return kernels;
#else
  return grdbKernelsBase;
#endif
}

/* ---- Distances ------------------------------------------------------------------------------- */

static void grdbRunFloats(
  int kernel, const unsigned char *a, const unsigned char *b, size_t size, double *out
){
#ifdef GRDB_BIG_ENDIAN
  grdbScalarFloats(a, b, size, out, kernel==grdbSquares);
#else
  int isExtreme;
  grdbChosenKernels()[kernel](a, b, size, out);
  isExtreme = !isfinite(out[0]);
  if( kernel==grdbProducts ){
    /* Squares that were rounded to zero, or nearly, have lost the direction of the vector. */
    isExtreme |= !isfinite(out[1]) || !isfinite(out[2]) || out[1]<1e-30 || out[2]<1e-30;
  }
  if( isExtreme ) grdbScalarFloats(a, b, size, out, kernel==grdbSquares);
#endif
}

static double grdbCosineDistance(const double *products){
  double lengths = sqrt(products[1]) * sqrt(products[2]);
  double cosine;
  if( lengths==0 ) return isnan(products[0]) ? products[0] : 1;
  cosine = products[0] / lengths;
  /* Rounding must not make the distance of equal directions negative. */
  if( cosine>1 ) cosine = 1;
  if( cosine<-1 ) cosine = -1;
  return 1 - cosine;
}

double grdb_vector_distance(int kind, const void *left, const void *right, size_t size){
  const unsigned char *a = (const unsigned char*)left, *b = (const unsigned char*)right;
  double out[3] = {0, 0, 0};
  switch( kind ){
    case GRDB_VECTOR_L2:
      grdbRunFloats(grdbSquares, a, b, size, out);
      return sqrt(out[0]);
    case GRDB_VECTOR_L2_SQUARED:
      grdbRunFloats(grdbSquares, a, b, size, out);
      return out[0];
    case GRDB_VECTOR_COSINE:
      grdbRunFloats(grdbProducts, a, b, size, out);
      return grdbCosineDistance(out);
    case GRDB_VECTOR_DOT:
      grdbRunFloats(grdbDot, a, b, size, out);
      /* Not -0 for vectors that are at right angles. */
      return 0 - out[0];
    case GRDB_VECTOR_INT8_L2:
      grdbChosenKernels()[grdbByteSquares](a, b, size, out);
      return sqrt(out[0]);
    case GRDB_VECTOR_INT8_L2_SQUARED:
      grdbChosenKernels()[grdbByteSquares](a, b, size, out);
      return out[0];
    case GRDB_VECTOR_INT8_COSINE:
      grdbChosenKernels()[grdbByteProducts](a, b, size, out);
      return grdbCosineDistance(out);
    case GRDB_VECTOR_INT8_DOT:
      grdbChosenKernels()[grdbByteProducts](a, b, size, out);
      return 0 - out[0];
    default:
      grdbChosenKernels()[grdbBits](a, b, size, out);
      return out[0];
  }
}

int grdb_vector_quantize_int8(
  const void *floats, size_t count, float lower, float upper, signed char *bytes
){
  const unsigned char *p = (const unsigned char*)floats;
  float step = (upper - lower) / 255;
  for(size_t i=0; i<count; i++){
    float x = grdbFloatAt(p + 4*i);
    double value;
    if( isnan(x) ) return 0;
    value = ((double)x - lower) / step - 128;
    bytes[i] = value<=-128 ? -128 : value>=127 ? 127 : (signed char)value;
  }
  return 1;
}

int grdb_vector_quantize_bits(const void *floats, size_t count, unsigned char *bytes){
  const unsigned char *p = (const unsigned char*)floats;
  memset(bytes, 0, count/8);
  for(size_t i=0; i<count; i++){
    float x = grdbFloatAt(p + 4*i);
    if( isnan(x) ) return 0;
    if( x>0 ) bytes[i/8] |= (unsigned char)(1u << (i%8));
  }
  return 1;
}

/* ---- SQL functions --------------------------------------------------------------------------- */

static void grdbFailVector(sqlite3_context *context, const char *name, char *message){
  char *text = message ? sqlite3_mprintf("%s(): %z", name, message) : 0;
  if( text ){
    sqlite3_result_error(context, text, -1);
    sqlite3_free(text);
  }else{
    sqlite3_result_error_nomem(context);
  }
}

typedef struct {
  const char *name;
  int kind;
} grdbDistance;

static const grdbDistance grdbDistances[] = {
  { "vector_distance_l2", GRDB_VECTOR_L2 },
  { "vector_distance_l2_squared", GRDB_VECTOR_L2_SQUARED },
  { "vector_distance_cosine", GRDB_VECTOR_COSINE },
  { "vector_distance_dot", GRDB_VECTOR_DOT },
  { "vector_int8_distance_l2", GRDB_VECTOR_INT8_L2 },
  { "vector_int8_distance_l2_squared", GRDB_VECTOR_INT8_L2_SQUARED },
  { "vector_int8_distance_cosine", GRDB_VECTOR_INT8_COSINE },
  { "vector_int8_distance_dot", GRDB_VECTOR_INT8_DOT },
  { "vector_bits_distance_hamming", GRDB_VECTOR_BITS_HAMMING },
};

/* The size of one dimension, in bits. */
static int grdbDimensionSize(int kind){
  return kind<=GRDB_VECTOR_DOT ? 32 : kind==GRDB_VECTOR_BITS_HAMMING ? 1 : 8;
}

static void grdbDistanceFunction(sqlite3_context *context, int argc, sqlite3_value **argv){
  const grdbDistance *distance = (const grdbDistance*)sqlite3_user_data(context);
  const void *blobs[2];
  int sizes[2];
  int dimensionSize = grdbDimensionSize(distance->kind);
  double result;
  (void)argc;
  if( sqlite3_value_type(argv[0])==SQLITE_NULL || sqlite3_value_type(argv[1])==SQLITE_NULL ) return;
  for(int i=0; i<2; i++){
    if( sqlite3_value_type(argv[i])!=SQLITE_BLOB ){
      grdbFailVector(context, distance->name, sqlite3_mprintf("vectors must be blobs"));
      return;
    }
    blobs[i] = sqlite3_value_blob(argv[i]);
    sizes[i] = sqlite3_value_bytes(argv[i]);
    if( blobs[i]==0 && sizes[i]>0 ){
      sqlite3_result_error_nomem(context);
      return;
    }
    if( dimensionSize==32 && sizes[i]%4!=0 ){
      grdbFailVector(
        context, distance->name,
        sqlite3_mprintf("a blob of %d bytes is not a vector of floats", sizes[i]));
      return;
    }
  }
  if( sizes[0]!=sizes[1] ){
    grdbFailVector(
      context, distance->name,
      sqlite3_mprintf(
        "the vectors have %lld and %lld dimensions", (sqlite3_int64)sizes[0]*8/dimensionSize,
        (sqlite3_int64)sizes[1]*8/dimensionSize));
    return;
  }
  result = grdb_vector_distance(distance->kind, blobs[0], blobs[1], (size_t)sizes[0]);
  if( isnan(result) ){
    /* It would be NULL, and the nearest of all. */
    grdbFailVector(
      context, distance->name, sqlite3_mprintf("the distance is not a number (NaN)"));
    return;
  }
  sqlite3_result_double(context, result);
}

/* A vector of floats, or NULL after an error. */
static const void *grdbFloatsArgument(
  sqlite3_context *context, const char *name, sqlite3_value *value, int divisor, int *count
){
  int size;
  const void *blob;
  if( sqlite3_value_type(value)!=SQLITE_BLOB ){
    grdbFailVector(context, name, sqlite3_mprintf("the vector must be a blob"));
    return 0;
  }
  blob = sqlite3_value_blob(value);
  size = sqlite3_value_bytes(value);
  if( size==0 ){
    sqlite3_result_zeroblob(context, 0);
    return 0;
  }
  if( blob==0 ){
    sqlite3_result_error_nomem(context);
    return 0;
  }
  if( size%4!=0 ){
    grdbFailVector(
      context, name, sqlite3_mprintf("a blob of %d bytes is not a vector of floats", size));
    return 0;
  }
  if( (size/4)%divisor!=0 ){
    grdbFailVector(
      context, name,
      sqlite3_mprintf("the number of dimensions, %d, is not a multiple of %d", size/4, divisor));
    return 0;
  }
  *count = size/4;
  return blob;
}

static void grdbReturnQuantized(
  sqlite3_context *context, const char *name, void *bytes, int size, int isValid
){
  if( isValid ){
    sqlite3_result_blob(context, bytes, size, sqlite3_free);
  }else{
    sqlite3_free(bytes);
    grdbFailVector(context, name, sqlite3_mprintf("the vector contains NaN"));
  }
}

static void grdbQuantizeInt8Function(sqlite3_context *context, int argc, sqlite3_value **argv){
  const char *name = "vector_quantize_int8";
  int count = 0;
  const void *floats;
  signed char *bytes;
  float lower, upper;
  for(int i=0; i<argc; i++){
    if( sqlite3_value_type(argv[i])==SQLITE_NULL ) return;
  }
  lower = (float)sqlite3_value_double(argv[1]);
  upper = (float)sqlite3_value_double(argv[2]);
  if( !(lower<upper) || !isfinite(lower) || !isfinite(upper) || !isfinite(upper - lower) ){
    grdbFailVector(context, name, sqlite3_mprintf("the range is empty or infinite"));
    return;
  }
  floats = grdbFloatsArgument(context, name, argv[0], 1, &count);
  if( floats==0 ) return;
  bytes = (signed char*)sqlite3_malloc64((sqlite3_uint64)count);
  if( bytes==0 ){
    sqlite3_result_error_nomem(context);
    return;
  }
  grdbReturnQuantized(
    context, name, bytes, count, grdb_vector_quantize_int8(floats, (size_t)count, lower, upper, bytes));
}

static void grdbQuantizeBitsFunction(sqlite3_context *context, int argc, sqlite3_value **argv){
  const char *name = "vector_quantize_bits";
  int count = 0;
  const void *floats;
  unsigned char *bytes;
  (void)argc;
  if( sqlite3_value_type(argv[0])==SQLITE_NULL ) return;
  floats = grdbFloatsArgument(context, name, argv[0], 8, &count);
  if( floats==0 ) return;
  bytes = (unsigned char*)sqlite3_malloc64((sqlite3_uint64)(count/8));
  if( bytes==0 ){
    sqlite3_result_error_nomem(context);
    return;
  }
  grdbReturnQuantized(
    context, name, bytes, count/8, grdb_vector_quantize_bits(floats, (size_t)count, bytes));
}

int grdb_add_vector_functions(sqlite3 *db){
  int const flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  int rc = SQLITE_OK;
  for(size_t i=0; rc==SQLITE_OK && i<sizeof(grdbDistances)/sizeof(grdbDistances[0]); i++){
    rc = sqlite3_create_function_v2(
      db, grdbDistances[i].name, 2, flags, (void*)&grdbDistances[i], grdbDistanceFunction, 0, 0, 0);
  }
  if( rc==SQLITE_OK ){
    rc = sqlite3_create_function_v2(
      db, "vector_quantize_int8", 3, flags, 0, grdbQuantizeInt8Function, 0, 0, 0);
  }
  if( rc==SQLITE_OK ){
    rc = sqlite3_create_function_v2(
      db, "vector_quantize_bits", 1, flags, 0, grdbQuantizeBitsFunction, 0, 0, 0);
  }
  return rc;
}
