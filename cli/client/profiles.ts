import { chmodSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorReason } from '../../runtime/errors.js'
import { writePrivateFile } from '../../runtime/private-file.js'
import { refusedError } from '../command-error.js'

export const DEFAULT_PROFILE = 'default'

export interface Profile {
  readonly apiUrl: string
  readonly apiKey: string
}

/** The content of the file that `svc login` writes. */
export interface Profiles {
  /** The default profile. */
  readonly current: string
  readonly profiles: Readonly<Record<string, Profile>>
}

const NONE: Profiles = { current: DEFAULT_PROFILE, profiles: {} }

export function profilesPath(configHome: string): string {
  return join(configHome, 'svc', 'config.json')
}

/** Reads the stored profiles. Throws CommandError, without quoting the file, if it is not valid. */
export function readProfiles(configHome: string): Profiles {
  const file = profilesPath(configHome)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorReason(error))) return NONE
    throw refusedError(`${file} cannot be read: ${errorReason(error)}`)
  }
  const parsed = parse(text)
  if (parsed === undefined)
    throw refusedError(`${file} is not a file of svc login: remove it, and log in again with svc login`)
  return parsed
}

/** Writes the profiles with mode 0600, in a folder with mode 0700. */
export function writeProfiles(configHome: string, profiles: Profiles): void {
  const file = profilesPath(configHome)
  try {
    mkdirSync(join(configHome, 'svc'), { recursive: true, mode: 0o700 })
    writePrivateFile(file, `${JSON.stringify(profiles, null, 2)}\n`, true)
    // Independent of the umask.
    chmodSync(file, 0o600)
  } catch (error) {
    throw refusedError(`${file} cannot be written: ${errorReason(error)}`)
  }
}

function parse(text: string): Profiles | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (!isRecord(value) || typeof value.current !== 'string' || !isRecord(value.profiles)) return undefined
    const profiles: Record<string, Profile> = {}
    for (const [name, profile] of Object.entries(value.profiles)) {
      if (!isRecord(profile)) return undefined
      const { apiUrl, apiKey } = profile
      if (typeof apiUrl !== 'string' || typeof apiKey !== 'string') return undefined
      profiles[name] = { apiUrl, apiKey }
    }
    return { current: value.current, profiles }
  } catch {
    // Not JSON: the caller says that the file is not one of svc.
    return undefined
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
