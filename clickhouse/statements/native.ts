/** Bytes per value, by ClickHouse's name of the type. */
const WIDTHS: Readonly<Record<string, number>> = { UInt32: 4, UInt64: 8, "DateTime64(3, 'UTC')": 8 }

export interface NativeBlock {
  readonly rows: number
  /** The values of each column, lowest byte first, in the bytes of the answer. */
  readonly columns: readonly Uint8Array[]
}

/**
 * The blocks of a Native answer: per block the numbers of columns and rows, then per column its name, type
 * and values.
 * @throws RangeError for a type outside `WIDTHS`, and if the answer is cut off
 */
export function* nativeBlocks(bytes: Uint8Array): Generator<NativeBlock> {
  let at = 0
  const number = () => {
    let value = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at++]
      if (byte === undefined) throw new RangeError('an answer in Native format ends in a number')
      value += (byte & 127) * factor
      if (byte < 128) return value
    }
  }
  const take = (length: number) => {
    at += length
    if (at > bytes.length) throw new RangeError('an answer in Native format ends in a value')
    return bytes.subarray(at - length, at)
  }
  while (at < bytes.length) {
    const columnCount = number()
    const rows = number()
    const columns = Array.from({ length: columnCount }, () => {
      take(number())
      const type = Buffer.from(take(number())).toString()
      // A block without rows describes the columns and has no values.
      const width = WIDTHS[type]
      if (width === undefined) throw new RangeError(`a column of type ${type} is not of fixed width`)
      return take(rows * width)
    })
    yield { rows, columns }
  }
}
