import { ROW, readUint32, rowEnd } from '../domain/row.js'
import { type ClickHouse, ClickHouseError, type EventBlock } from './port.js'

/*
 * A block is cut by shard into pieces, and each piece is inserted under the block's token and the number of
 * its shard. A repeat must cut the block as before, although a shard may have been added meanwhile. So the
 * token of a block records the number of shards that it was first cut for.
 */

/** The stores that hold rows themselves: the shards, or the store itself. */
export function shardsOf(clickhouse: ClickHouse): readonly ClickHouse[] {
  return clickhouse.shards?.stores ?? [clickhouse]
}

/** The suffix by which a new token records the number of shards. Others may follow it. */
export function shardSuffix(clickhouse: ClickHouse): string {
  const { length } = shardsOf(clickhouse)
  return length === 1 ? '' : `:${length}-shards`
}

/** The number of shards that a token records; one if it records none. */
export function shardCountOf(token: string): number {
  return Number(/:(\d+)-shards(?::|$)/.exec(token)?.[1] ?? 1)
}

/**
 * The pieces of a block, by the shard's index. A piece without rows is undefined, but a block without rows
 * goes to every shard.
 * @throws ClickHouseError `unavailable` if the block was cut for more shards than there are
 */
export function cutByShard(block: EventBlock, shards: number): readonly (EventBlock | undefined)[] {
  const count = shardCountOf(block.token)
  if (count > shards)
    throw new ClickHouseError(
      'unavailable',
      `a block was cut for ${count} shards, and SVC_CLICKHOUSE_URL has ${shards}: a shard cannot be removed`,
    )
  if (count === 1) return [block]
  const pieces = Array.from({ length: count }, () => new Piece())
  for (const chunk of block.chunks)
    for (let start = 0; start < chunk.length; ) {
      const end = rowEnd(chunk, start, chunk.length)
      if (Number.isNaN(end)) throw new RangeError('a chunk of a block ends within a row')
      pieces[shardOf(chunk, start, count)]?.add(chunk, start, end)
      start = end
    }
  return pieces.map((piece, shard) =>
    piece.rowCount === 0 && block.rowCount > 0
      ? undefined
      : {
          ...block,
          chunks: [piece.bytes()],
          rowCount: piece.rowCount,
          token: `${block.token}:shard-${shard}`,
        },
  )
}

/** Rows of one shard. They are copied together, because runs of neighbours are short. */
class Piece {
  rowCount = 0
  private length = 0
  private readonly runs: { chunk: Uint8Array; start: number; end: number }[] = []

  add(chunk: Uint8Array, start: number, end: number): void {
    this.rowCount++
    this.length += end - start
    const last = this.runs.at(-1)
    if (last?.chunk === chunk && last.end === start) last.end = end
    else this.runs.push({ chunk, start, end })
  }

  bytes(): Uint8Array {
    const bytes = Buffer.allocUnsafe(this.length)
    let at = 0
    for (const { chunk, start, end } of this.runs) {
      bytes.set(chunk.subarray(start, end), at)
      at += end - start
    }
    return bytes
  }
}

/** The shard of a row. Changing this function would store the rows of open blocks twice. */
function shardOf(bytes: Uint8Array, row: number, count: number): number {
  const key = readUint32(bytes, row + ROW.personKey) ^ readUint32(bytes, row + ROW.personKey + 4)
  return Math.floor(((Math.imul(key, 0x9e37_79b1) >>> 0) / 2 ** 32) * count)
}
