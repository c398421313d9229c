/** Base offset and length, which the length does not count. */
export const PREFIX_BYTES = 12
/** Where in a batch begins what its checksum, CRC-32C in the four bytes before, covers. */
export const CHECKED_FROM = 21
/** The only format of record batches that is written and read. */
export const MAGIC = 2

/** Bits of a batch's attributes. */
export const ATTRIBUTES = { compression: 0x07, transactional: 0x10, control: 0x20 } as const
export const COMPRESSIONS = { none: 0, gzip: 1, lz4: 3 } as const
