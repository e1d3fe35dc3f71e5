/*
** Written by scripts/update-sqlite --ciphers.
**
** Renames what this SQLite defines besides the names of ../CGRDBSQLite/include/grdb_sqlite3_extnames.h.
*/
#ifndef GRDB_SQLITE3_CIPHERS_EXTNAMES_H
#define GRDB_SQLITE3_CIPHERS_EXTNAMES_H

#define GRDB_RENAME(name) GRDB_RENAME_WITH(__USER_LABEL_PREFIX__, name)
#define GRDB_RENAME_WITH(prefix, name) GRDB_RENAME_TO(name, GRDB_RENAME_JOIN(prefix, name))
#define GRDB_RENAME_JOIN(prefix, name) prefix##grdb_##name
#define GRDB_RENAME_TO(name, target) GRDB_RENAME_PRAGMA(redefine_extname name target)
#define GRDB_RENAME_PRAGMA(text) _Pragma(#text)

GRDB_RENAME(crypto_onetimeauth_poly1305_donna_implementation)
GRDB_RENAME(crypto_onetimeauth_poly1305_sse2_implementation)
GRDB_RENAME(crypto_stream_chacha20_dolbeau_avx2_implementation)
GRDB_RENAME(crypto_stream_chacha20_dolbeau_avx512_implementation)
GRDB_RENAME(crypto_stream_chacha20_dolbeau_neon_implementation)
GRDB_RENAME(crypto_stream_chacha20_dolbeau_ssse3_implementation)
GRDB_RENAME(crypto_stream_chacha20_ietf_ext_xor_ic)
GRDB_RENAME(crypto_stream_chacha20_ietf_xor_ic)
GRDB_RENAME(crypto_stream_chacha20_pick_best_implementation)
GRDB_RENAME(crypto_stream_chacha20_ref_implementation)
GRDB_RENAME(crypto_stream_chacha20_xor_ic)
GRDB_RENAME(sqlite3_activate_see)
GRDB_RENAME(sqlite3_incomplete)
GRDB_RENAME(sqlite3_key)
GRDB_RENAME(sqlite3_key_v2)
GRDB_RENAME(sqlite3_rekey)
GRDB_RENAME(sqlite3_rekey_v2)
GRDB_RENAME(sqlite3_result_str)
GRDB_RENAME(sqlite3mcChaCha20HwAccelerated)
GRDB_RENAME(sqlite3mcChaCha20HwConfig)
GRDB_RENAME(sqlite3mc_cipher_count)
GRDB_RENAME(sqlite3mc_cipher_index)
GRDB_RENAME(sqlite3mc_cipher_name)
GRDB_RENAME(sqlite3mc_cipher_name_copy)
GRDB_RENAME(sqlite3mc_codec_data)
GRDB_RENAME(sqlite3mc_config)
GRDB_RENAME(sqlite3mc_config_cipher)
GRDB_RENAME(sqlite3mc_register_cipher)
GRDB_RENAME(sqlite3mc_version)
GRDB_RENAME(sqlite3mc_vfs_create)
GRDB_RENAME(sqlite3mc_vfs_destroy)
GRDB_RENAME(sqlite3mc_vfs_shutdown)

#undef GRDB_RENAME
#undef GRDB_RENAME_WITH
#undef GRDB_RENAME_JOIN
#undef GRDB_RENAME_TO
#undef GRDB_RENAME_PRAGMA

#endif
