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
  let hex = ''
  for (let i = 7; i >= 0; i--) hex += (bytes[at + i] ?? 0).toString(16).padStart(2, '0')
  for (let i = 15; i >= 8; i--) hex += (bytes[at + i] ?? 0).toString(16).padStart(2, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

export const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
