/** A UUID's bytes as in ClickHouse's RowBinary: two little-endian 64-bit halves, the high one first. */
export function uuidToRowBytes(uuid: string, out: Uint8Array, at: number): void {
  let digits = 0
  let high = 0
  for (let i = 0; i < uuid.length; i++) {
    const unit = uuid.charCodeAt(i)
    if (unit === HYPHEN) continue
    const digit = hexDigit(unit)
    if (digit < 0 || digits === 32) throw new RangeError('not a UUID')
    if ((digits & 1) === 0) high = digit << 4
    else {
      const byte = digits >>> 1
      out[at + (byte < 8 ? 7 - byte : 23 - byte)] = high | digit
    }
    digits++
  }
  if (digits !== 32) throw new RangeError('not a UUID')
}

const HYPHEN = 45

/** The value of a hexadecimal digit's code unit, -1 if it is no digit. */
function hexDigit(unit: number): number {
  if (unit >= 48 && unit <= 57) return unit - 48
  const letter = unit | 32
  return letter >= 97 && letter <= 102 ? letter - 87 : -1
}

/** The UUID of those sixteen bytes. */
export function uuidFromRowBytes(bytes: Uint8Array, at: number): string {
  const pair = (i: number) => HEX_PAIRS[bytes[at + i] ?? 0] ?? ''
  return (
    `${pair(7)}${pair(6)}${pair(5)}${pair(4)}-${pair(3)}${pair(2)}-${pair(1)}${pair(0)}-` +
    `${pair(15)}${pair(14)}-${pair(13)}${pair(12)}${pair(11)}${pair(10)}${pair(9)}${pair(8)}`
  )
}

const HEX_PAIRS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

export const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
