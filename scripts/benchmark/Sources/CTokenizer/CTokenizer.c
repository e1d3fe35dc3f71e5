#include "CTokenizer.h"

int benchmark_tokenize(
  void *context, const char *text, int count,
  int (*callback)(void *context, int flags, const char *token, int count, int start, int end)
){
  int i = 0;
  while( i<count ){
    int start, code;
    while( i<count && text[i]==' ' ) i++;
    start = i;
    while( i<count && text[i]!=' ' ) i++;
    if( i>start ){
      code = callback(context, 0, text+start, i-start, start, i);
      if( code ) return code;
    }
  }
  return 0;
}
