import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { errorReason } from '../../runtime/errors.js'
import { writePrivateFile } from '../../runtime/private-file.js'
import { CommandError, EXIT } from '../command-error.js'
import { type Profiles, profilesPath } from './profiles.js'

/** Stores all profiles: a file that only its owner reads, in a folder of the same kind. */
export function writeProfiles(configHome: string, profiles: Profiles): void {
  const file = profilesPath(configHome)
  try {
    mkdirSync(join(configHome, 'svc'), { recursive: true, mode: 0o700 })
    writePrivateFile(file, `${JSON.stringify(profiles, null, 2)}\n`, true)
    // Whatever mask the shell has.
    chmodSync(file, 0o600)
  } catch (error) {
    throw new CommandError(EXIT.refused, `${file} cannot be written: ${errorReason(error)}`)
  }
}
