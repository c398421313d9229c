import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from './errors.js'
import { writePrivateFile } from './private-file.js'

/** The secret cannot be used. The message says why and what to do. */
export class SecretKeyError extends Error {
  override readonly name = 'SecretKeyError'
}

/**
 * Hashes under its bytes, which belong to the data for its life, and seals under keys that can be rotated. A
 * plain array of bytes does both under itself.
 */
export class SecretKey extends Uint8Array {
  /** Keys derived from it are plain bytes. */
  static get [Symbol.species](): Uint8ArrayConstructor {
    return Uint8Array
  }

  /** @param sealing the first seals, each of them unseals */
  constructor(
    bytes: Uint8Array,
    readonly sealing: readonly Uint8Array[],
  ) {
    super(bytes)
  }
}

export interface ConfiguredKeys {
  /** Until the first rotation. */
  readonly hashing: Uint8Array
  /** The first seals, each of them unseals. */
  readonly sealing: readonly Uint8Array[]
}

/** The part of the configuration that names the keys. */
export interface KeySettings {
  readonly secretKey?: string | undefined
  /** The key before it, while the stored secrets are sealed again. */
  readonly previousSecretKey?: string | undefined
  readonly dataDir: string
}

/**
 * The keys of the configuration. A rotation of the generated key leaves the new one beside it until it is
 * complete.
 *
 * @throws SecretKeyError
 */
export function loadSecretKeys({ secretKey, previousSecretKey, dataDir }: KeySettings): ConfiguredKeys {
  const key = loadSecretKey({ fromEnvironment: secretKey, dataDir })
  if (secretKey === undefined) {
    const next = readIfThere(join(dataDir, NEXT_KEY_FILE))
    const unfinished = next === undefined ? undefined : parseSecret(next.trim())
    return { hashing: key, sealing: unfinished === undefined ? [key] : [key, unfinished] }
  }
  if (previousSecretKey === undefined) return { hashing: key, sealing: [key] }
  const before = loadSecretKey({ fromEnvironment: previousSecretKey, dataDir })
  return { hashing: before, sealing: [key, before] }
}

/** Makes the key that follows the generated one, or reads that of a rotation that was cut off. */
export function nextSecretKeys(dataDir: string): ConfiguredKeys {
  const path = join(dataDir, NEXT_KEY_FILE)
  writePrivateFile(path, `${randomBytes(32).toString('base64')}\n`, false)
  const { hashing, sealing } = loadSecretKeys({ dataDir })
  const [key, next] = sealing
  if (key === undefined || next === undefined)
    throw new SecretKeyError(`${path} is damaged: remove it, and rotate again`)
  return { hashing, sealing: [next, key] }
}

/** The end of a rotation: the next key is the key. */
export function useNextSecretKey(dataDir: string): void {
  renameSync(join(dataDir, NEXT_KEY_FILE), join(dataDir, KEY_FILE))
}

export const KEY_FILE = 'secret.key'
export const NEXT_KEY_FILE = 'secret.key.next'

/**
 * The 32 bytes under which keys are hashed: from the environment, else from the data directory, where the
 * first call creates them (mode 0600). Concurrent processes get the same. The data depends on them for its
 * life, so an unreadable file is an error and never replaced.
 *
 * @throws SecretKeyError
 */
export function loadSecretKey(options: {
  readonly fromEnvironment?: string | undefined
  readonly dataDir: string
}): Uint8Array {
  if (options.fromEnvironment !== undefined) {
    const key = parseSecret(options.fromEnvironment)
    if (key === undefined)
      throw new SecretKeyError(
        'SVC_SECRET_KEY must be 32 bytes in base64: make one with `openssl rand -base64 32`',
      )
    return key
  }
  const path = join(options.dataDir, KEY_FILE)
  let text = readIfThere(path)
  if (text === undefined) {
    mkdirSync(options.dataDir, { recursive: true, mode: 0o700 })
    // If another process has just written one, that one counts.
    writePrivateFile(path, `${randomBytes(32).toString('base64')}\n`, false)
    text = readFileSync(path, 'utf8')
  }
  const key = parseSecret(text.trim())
  if (key === undefined)
    throw new SecretKeyError(
      `${path} is damaged: it must hold 32 bytes in base64. Put it back from a backup; with another one every stored key is refused`,
    )
  return key
}

function parseSecret(text: string): Uint8Array | undefined {
  return /^[A-Za-z0-9+/]{43}=$/.test(text) ? new Uint8Array(Buffer.from(text, 'base64')) : undefined
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const code = errorCode(error)
    if (code === undefined) throw error
    if (code === 'ENOENT') return undefined
    throw new SecretKeyError(
      `${path} cannot be read (${code}): run this as the user who started svc, or set SVC_SECRET_KEY`,
    )
  }
}
