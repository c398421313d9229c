/**
 * Where the compressor and its host put things in the memory they share, as byte addresses. Compiled twice: for Node with everything else, and into the module by `scripts/build-modules.mjs`, so it
 * holds plain numbers and nothing else.
 */
/** For each hash the address where its bytes were seen last, 4 bytes. */
export const TABLE_AT = 1_024
export const HASH_BITS = 12
/** What is compressed, of so many bytes at most. */
export const BLOCK_AT = 32_768
export const BLOCK_BYTES = 262_144
/** So much is read behind the block, and written behind the result: vectors are wider than what they are for. */
const PAD = 64
/** What comes of it: where nothing repeats, a two hundred and fifty-fifth more than the block and a few bytes. */
export const RESULT_AT = BLOCK_AT + BLOCK_BYTES + PAD
export const MEMORY_BYTES = RESULT_AT + BLOCK_BYTES + BLOCK_BYTES / 128 + PAD
