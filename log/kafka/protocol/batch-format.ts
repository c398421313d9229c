/** Base offset and length, which the length does not include. */
export const PREFIX_BYTES = 12
/** Where the part covered by the checksum starts. The CRC-32C is in the four bytes before. */
export const CHECKED_FROM = 21
/** The only record batch format that is written and read. */
export const MAGIC = 2

/** Bits of a batch's attributes. */
export const ATTRIBUTES = { compression: 0x07, transactional: 0x10, control: 0x20 } as const
export const COMPRESSIONS = { none: 0, gzip: 1, lz4: 3 } as const
