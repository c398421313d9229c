import { uuidToRowBytes } from '../../domain/uuid.js'
import type { LinkRow } from '../port.js'

const LINK_BYTES = 32

/** Links as RowBinary of `LINK_STRUCTURE`. */
export function encodeLinkRows(links: readonly LinkRow[]): Uint8Array {
  const bytes = Buffer.alloc(links.length * LINK_BYTES)
  links.forEach((link, index) => {
    const at = index * LINK_BYTES
    uuidToRowBytes(link.workspaceId, bytes, at)
    bytes.writeBigInt64LE(link.anonymousKey, at + 16)
    bytes.writeBigInt64LE(link.userKey, at + 24)
  })
  return bytes
}
