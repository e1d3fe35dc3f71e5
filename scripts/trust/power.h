/*
** A file system that records what reaches the disk, and when, for the tests of scripts/run-trust.
**
** The record is a file of events. Each begins with 24 bytes, little-endian: the kind and the number of the file
** (32 bits each), an offset and the count of the bytes that follow (64 bits each). A file is a node of the file
** system: a journal that is deleted and created again is another one.
*/
#ifndef TRUST_POWER_H
#define TRUST_POWER_H

enum trust_event {
  TRUST_EVENT_EXISTING = 1, /* a file that was there, with its name */
  TRUST_EVENT_CONTENT,      /* its content */
  TRUST_EVENT_CREATE,       /* a new file, with its name */
  TRUST_EVENT_WRITE,        /* bytes at the offset */
  TRUST_EVENT_TRUNCATE,     /* the offset is the size */
  TRUST_EVENT_SYNC,         /* the offset is 1 if the folder is synced, too */
  TRUST_EVENT_DELETE,       /* the same */
  TRUST_EVENT_MARK          /* a text */
};

/* Installs the file system as the default one. Syncs don't reach the disk, and random numbers depend on the seed
** only. If `overwrites` is 0, it does not promise that bytes beside those written are safe in a power cut. Returns
** a result code. */
int trust_install_recorder(int overwrites, unsigned long long seed);

/* Starts the record, of files in the folder. Returns a result code. */
int trust_record(const char *path);

/* Adds a text to the record. */
void trust_mark(const char *text, long count);

/* Ends the record. */
void trust_end_record(void);

/* The CRC-32 of bytes that follow those with the CRC-32 `former`, which is 0 at first. */
unsigned trust_crc32(unsigned former, const void *bytes, long count);

#endif
