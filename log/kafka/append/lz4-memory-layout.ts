/**
 * Byte addresses in the memory that the compressor shares with its host. Compiled twice, for Node and into
 * the module by `scripts/build-modules.mjs`, so it holds only plain numbers.
 */
/** The address where each hash was seen last, 4 bytes each. */
export const TABLE_AT = 1_024
export const HASH_BITS = 12
export const BLOCK_AT = 32_768
export const BLOCK_BYTES = 262_144
/** Vectors read so far behind the block and write so far behind the result. */
const PAD = 64
/** The output: incompressible input grows by a 255th and a few bytes. */
export const RESULT_AT = BLOCK_AT + BLOCK_BYTES + PAD
export const MEMORY_BYTES = RESULT_AT + BLOCK_BYTES + BLOCK_BYTES / 128 + PAD
