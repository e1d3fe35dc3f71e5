/*
** A file system and an allocator that fail on request, for the tests of scripts/run-trust.
*/
#ifndef TRUST_FAULTS_H
#define TRUST_FAULTS_H

/* The operations that can fail. The names are those of trust_fault_name(). */
enum trust_fault {
  TRUST_OPEN = 0,
  TRUST_READ,
  TRUST_SHORT_READ,
  TRUST_WRITE,
  TRUST_PARTIAL_WRITE,
  TRUST_FULL,
  TRUST_TRUNCATE,
  TRUST_SYNC,
  TRUST_FILE_SIZE,
  TRUST_LOCK,
  TRUST_UNLOCK,
  TRUST_CHECK_RESERVED,
  TRUST_SHM_MAP,
  TRUST_SHM_LOCK,
  TRUST_DELETE,
  TRUST_DELETE_SYNC,
  TRUST_ACCESS,
  TRUST_FULL_PATH,
  TRUST_FETCH,
  TRUST_MEMORY,
  TRUST_FAULT_COUNT
};

const char *trust_fault_name(int fault);

/* Installs the failing allocator. Must be called before anything else of SQLite. Returns a result code. */
int trust_install_allocator(void);

/* Installs the failing file system as the default one. Syncs don't reach the disk. Returns a result code. */
int trust_install_vfs(void);

/* From now on, the operation with this number (from 1) fails, and those that follow if `persistent`. */
void trust_arm(int fault, long number, int persistent);

/* Nothing fails any more. Returns how many operations have failed. */
long trust_disarm(void);

/* How many operations have failed since trust_arm(). */
long trust_fired(void);

#endif
