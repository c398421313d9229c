/**
 * The event partition of an insertId: low 32 bits of its keyed 128-bit hash, modulo the count. Equal ids of a
 * workspace always reach one partition and one consumer. In SQL: `toUInt32(insert_hash) % partitions`.
 */
export function partitionOfHash(hashLow32: number, partitions: number): number {
  return (hashLow32 >>> 0) % partitions
}
