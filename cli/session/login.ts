import { isatty } from 'node:tty'
import { Api } from '../client/api.js'
import { normalizeUrl, parseApiKey } from '../client/connection.js'
import { DEFAULT_PROFILE, profilesPath, readProfiles } from '../client/profiles.js'
import { writeProfiles } from '../client/store-profiles.js'
import { CommandError, EXIT } from '../command-error.js'
import type { CommonOptions, Context } from '../context.js'
import { escapeControls } from '../output.js'

const LOCAL = 'http://127.0.0.1:8081'

interface Options extends CommonOptions {
  readonly profile?: string
}

/** Reads a key, tries it, and stores it with the address it opens. */
export async function login(context: Context, options: Options): Promise<void> {
  const { environment, terminal, version } = context
  const stored = readProfiles(environment.configHome)
  const profile = options.profile ?? environment.profile ?? stored.current
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(profile))
    throw new CommandError(EXIT.usage, 'a profile is named by up to 64 letters, digits and any of . _ -')
  const kept = Object.hasOwn(stored.profiles, profile) ? stored.profiles[profile] : undefined
  const apiUrl =
    environment.apiUrl === undefined
      ? (kept?.apiUrl ?? LOCAL)
      : normalizeUrl(environment.apiUrl, 'SVC_API_URL')
  const apiKey = parseApiKey(await readKey(context, apiUrl))
  const api = new Api({
    connection: { apiUrl, apiKey, profile, urlSource: '', keySource: '' },
    userAgent: `svc/${version}`,
    newIdempotencyKey: context.newId,
    now: context.now,
    sleep: context.sleep,
  })
  const me = await api.call('getMe', {})
  writeProfiles(environment.configHome, {
    current: profile,
    profiles: { ...stored.profiles, [profile]: { apiUrl, apiKey } },
  })
  if (options.json) terminal.out(`${me.text}\n`)
  else {
    const named = profile === DEFAULT_PROFILE ? '' : ` (profile ${profile})`
    terminal.out(
      `Logged in to ${apiUrl} as ${escapeControls(me.body.person.name)}, workspace ${escapeControls(me.body.workspace.name)}${named}.\n`,
    )
    terminal.err(`The key is in ${profilesPath(environment.configHome)}, which only you can read.\n`)
  }
  if (environment.apiKey !== undefined)
    terminal.err('svc: SVC_API_KEY is set, and goes before the key that was stored now.\n')
}

async function readKey(context: Context, apiUrl: string): Promise<string> {
  if (!isatty(0)) {
    const text = await context.readStdin()
    if (text.trim() === '')
      throw new CommandError(EXIT.unauthenticated, 'standard input held no key', undefined, [
        'try: svc login < FILE, or svc login on a terminal',
      ])
    return text
  }
  const { readHidden } = await import('./read-hidden.js')
  return readHidden(context.terminal, `API key for ${apiUrl}: `)
}
