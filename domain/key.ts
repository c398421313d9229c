/**
 * Keys and session tokens: a prefix for the class, 31 random base-62 characters (184 bits) and a checksum of
 * six, CRC-32 (ISO-HDLC) over the rest, so that typing errors are refused without a lookup.
 */
export const KEY_PREFIXES = {
  api: 'tsk_api_',
  server: 'tsk_secret_',
  publishable: 'tsk_live_',
  session: 'tsk_sess_',
  /** Signs in once. */
  once: 'tsk_once_',
} as const
export type KeyClass = keyof typeof KEY_PREFIXES

export const SCOPES = [
  'proposals.review',
  'experiments.manage',
  'experiments.decide',
  'funnels.manage',
] as const
export type Scope = (typeof SCOPES)[number]

/** The scope of server keys: with it, a key sends exposures and reads the serving state, and nothing else. */
export const EXPOSURES_SCOPE = 'exposures.send'

/** The scope of server keys that `svc admin events import` makes: events keep times of any age. */
export const IMPORT_SCOPE = 'events.import'
export type KeyScope = Scope | typeof EXPOSURES_SCOPE | typeof IMPORT_SCOPE

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM_LENGTH = 31
const CHECKSUM_LENGTH = 6

/** A new key of a class. Rejection sampling uses as many random bytes as it needs: pass at least 64. */
export function formatKey(keyClass: KeyClass, randomBytes: Uint8Array): string {
  let secret = ''
  for (const byte of randomBytes) {
    if (secret.length === RANDOM_LENGTH) break
    // 248 = 4 * 62: larger bytes would favour the first characters.
    if (byte < 248) secret += ALPHABET[byte % 62] ?? ''
  }
  if (secret.length < RANDOM_LENGTH) throw new RangeError('too few random bytes for a key')
  const head = KEY_PREFIXES[keyClass] + secret
  return head + checksum(head)
}

/** The class of a well-formed key; undefined for a wrong prefix, length, character or checksum. */
export function classifyKey(key: string): KeyClass | undefined {
  for (const keyClass of Object.keys(KEY_PREFIXES) as KeyClass[]) {
    const prefix = KEY_PREFIXES[keyClass]
    if (!key.startsWith(prefix)) continue
    if (key.length !== prefix.length + RANDOM_LENGTH + CHECKSUM_LENGTH) return undefined
    const head = key.slice(0, -CHECKSUM_LENGTH)
    if (!/^[0-9A-Za-z]+$/.test(key.slice(prefix.length))) return undefined
    return checksum(head) === key.slice(-CHECKSUM_LENGTH) ? keyClass : undefined
  }
  return undefined
}

function checksum(text: string): string {
  let value = crc32(text)
  let out = ''
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    out = (ALPHABET[value % 62] ?? '') + out
    value = Math.floor(value / 62)
  }
  return out
}

function crc32(ascii: string): number {
  let crc = 0xffffffff
  for (let i = 0; i < ascii.length; i++) {
    crc ^= ascii.charCodeAt(i)
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1))
  }
  return (crc ^ 0xffffffff) >>> 0
}
