/* A record batch as Kafka stores and sends it: https://kafka.apache.org/documentation/#recordbatch */

/** Bytes before those that the batch's length counts: the base offset and the length. */
export const PREFIX_BYTES = 12
/** Offset of the bytes that the checksum covers. The CRC-32C is in the four bytes before. */
export const CHECKED_FROM = 21
/** The only record batch format that is written and read. */
export const MAGIC = 2

/** Bits of a batch's attributes; `compression` is a mask of the values below. */
export const ATTRIBUTES = { compression: 0x07, transactional: 0x10, control: 0x20 } as const
export const COMPRESSIONS = { none: 0, gzip: 1, lz4: 3 } as const
