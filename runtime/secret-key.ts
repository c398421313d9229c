import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from './errors.js'
import { writePrivateFile } from './private-file.js'

/** The secret cannot be used. The message says why and what to do. */
export class SecretKeyError extends Error {
  override readonly name = 'SecretKeyError'
}

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
  const path = join(options.dataDir, 'secret.key')
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
