import { DEFAULT_PROFILE, readProfiles } from '../client/profiles.js'
import { writeProfiles } from '../client/store-profiles.js'
import type { CommonOptions, Context } from '../context.js'
import { printJson } from '../output.js'

interface Options extends CommonOptions {
  readonly profile?: string
  readonly all?: boolean
}

/** Forgets one stored key, or all. The key itself stays good: that ends with svc admin key revoke. */
export function logout({ environment, terminal }: Context, options: Options): void {
  const stored = readProfiles(environment.configHome)
  const profile = options.profile ?? environment.profile ?? stored.current
  const names = options.all
    ? Object.keys(stored.profiles)
    : Object.keys(stored.profiles).filter((name) => name === profile)
  const left = Object.fromEntries(Object.entries(stored.profiles).filter(([name]) => !names.includes(name)))
  const current = Object.hasOwn(left, stored.current)
    ? stored.current
    : (Object.keys(left)[0] ?? DEFAULT_PROFILE)
  if (names.length > 0) writeProfiles(environment.configHome, { current, profiles: left })
  if (options.json) printJson(terminal, { profile, removed: names })
  else if (names.length === 0) terminal.out(`No key was stored for ${profile}.\n`)
  else {
    terminal.out(`Forgot the key of ${names.join(', ')}.\n`)
    terminal.err('The key itself stays good until svc admin key revoke.\n')
  }
}
