/** A UUID's sixteen bytes in the order ClickHouse's RowBinary has them: two little-endian 64-bit halves, the high one first. */
export function uuidToRowBytes(uuid: string, out: Uint8Array, at: number): void {
  const hex = uuid.replaceAll('-', '')
  if (!/^[0-9a-fA-F]{32}$/.test(hex)) throw new RangeError('not a UUID')
  for (let i = 0; i < 8; i++) {
    out[at + 7 - i] = Number.parseInt(hex.slice(i * 2, i * 2 + 2), 16)
    out[at + 15 - i] = Number.parseInt(hex.slice(16 + i * 2, 18 + i * 2), 16)
  }
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
