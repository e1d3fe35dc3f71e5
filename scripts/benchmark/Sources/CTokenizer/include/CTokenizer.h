/*
** A tokenizer that does next to nothing, in C: the twin of `SpacesTokenizer`.
*/
#ifndef C_TOKENIZER_H
#define C_TOKENIZER_H

/* Calls a function with the words between the spaces of a text, which it leaves as they are. */
int benchmark_tokenize(
  void *context, const char *text, int count,
  int (*callback)(void *context, int flags, const char *token, int count, int start, int end)
);

#endif
