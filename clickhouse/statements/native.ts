/** Bytes a value of a column takes, by what ClickHouse calls its type. */
const WIDTHS: Readonly<Record<string, number>> = {
  UInt32: 4,
  UInt64: 8,
  "DateTime64(3, 'UTC')": 8,
}

export interface NativeBlock {
  readonly rows: number
  /** The values of each column, lowest byte first; 64-bit ones are two numbers each. */
  readonly columns: readonly Uint32Array[]
}

/**
 * The blocks of an answer in Native format: for each block how many columns and rows, then of each column its name, its type and its values one after the other.
 *
 * @throws RangeError at a type that is none of `WIDTHS`, and where the answer ends in the middle
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
      // A block without rows, which stands for the columns, has no values.
      const width = WIDTHS[type]
      if (width === undefined) throw new RangeError(`a column of type ${type} is not of fixed width`)
      // A copy begins where four bytes can be read as one number.
      return new Uint32Array(new Uint8Array(take(rows * width)).buffer)
    })
    yield { rows, columns }
  }
}
