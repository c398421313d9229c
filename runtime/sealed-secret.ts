import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { SecretKey } from './secret-key.js'

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** A sealed text has another key or purpose, or was changed. */
export class UnsealError extends Error {
  override readonly name = 'UnsealError'
}

/**
 * Encrypts a text for storage: AES-256-GCM under a key derived from the service's own.
 *
 * @param purpose authenticated with the text: only the same purpose opens it again
 * @returns nonce, tag and ciphertext
 */
export function seal(secretKey: Uint8Array, purpose: string, text: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const [key = secretKey] = sealingKeys(secretKey)
  const cipher = createCipheriv('aes-256-gcm', keyOf(key), nonce).setAAD(Buffer.from(purpose))
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), body])
}

/** Decrypts what `seal` returned. @throws UnsealError */
export function unseal(secretKey: Uint8Array, purpose: string, sealed: Uint8Array): string {
  for (const key of sealingKeys(secretKey)) {
    const text = tryUnseal(key, purpose, Buffer.from(sealed))
    if (text !== undefined) return text
  }
  throw new UnsealError('a stored secret cannot be opened: SVC_SECRET_KEY is not the one it was stored under')
}

function tryUnseal(key: Uint8Array, purpose: string, bytes: Buffer): string | undefined {
  try {
    const decipher = createDecipheriv('aes-256-gcm', keyOf(key), bytes.subarray(0, NONCE_BYTES))
      .setAAD(Buffer.from(purpose))
      .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
    const body = bytes.subarray(NONCE_BYTES + TAG_BYTES)
    return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8')
  } catch {
    // Another key or purpose, or changed: the caller tells which.
    return undefined
  }
}

/** Seals a sealed text again, under the key that seals now. */
export function reseal(secretKey: Uint8Array, purpose: string, sealed: Uint8Array): Buffer {
  return seal(secretKey, purpose, unseal(secretKey, purpose, sealed))
}

const sealingKeys = (secretKey: Uint8Array): readonly Uint8Array[] =>
  secretKey instanceof SecretKey ? secretKey.sealing : [secretKey]

function keyOf(secretKey: Uint8Array): Buffer {
  return Buffer.from(hkdfSync('sha256', secretKey, '', 'svc sealed secrets', 32))
}
