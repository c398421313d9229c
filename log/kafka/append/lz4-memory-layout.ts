/**
 * Byte addresses in the memory that the compressor shares with its host. Compiled twice, for Node and into
 * the module by `scripts/build-modules.mjs`, so it holds only plain numbers.
 */
/** The hash table: for each hash, the address of the bytes that had it last. 4 bytes an entry. */
export const TABLE_AT = 1_024
export const HASH_BITS = 12
/** The block to compress. */
export const BLOCK_AT = 32_768
export const BLOCK_BYTES = 262_144
/** SIMD instructions read up to this many bytes past the block, and write as many past the result. */
const PAD = 64
/** The compressed block. Incompressible input grows by at most a 255th and a few bytes. */
export const RESULT_AT = BLOCK_AT + BLOCK_BYTES + PAD
export const MEMORY_BYTES = RESULT_AT + BLOCK_BYTES + BLOCK_BYTES / 128 + PAD
