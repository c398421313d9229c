/**
 * The event partition of an insertId: its keyed 128-bit hash, low 32 bits, modulo the count. Equal ids of a workspace always
 * meet in one partition and one consumer. In SQL: `toUInt32(insert_hash) % partitions`.
 */
export function partitionOfHash(hashLow32: number, partitions: number): number {
  return (hashLow32 >>> 0) % partitions
}
