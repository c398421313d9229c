import { isatty } from 'node:tty'
import { formatCount } from '../domain/text/format.js'
import { statusLabel } from '../domain/text/labels.js'
import { Api } from './client/api.js'
import { DEFAULT_API_URL, normalizeUrl, parseApiKey } from './client/connection.js'
import { DEFAULT_PROFILE, profilesPath, readProfiles, writeProfiles } from './client/profiles.js'
import { serverVersion } from './client/server-version.js'
import { unauthenticatedError, usageError } from './command-error.js'
import type { CommonOptions, Context } from './context.js'
import { escapeControls, printJson, printJsonText } from './output.js'
import { renderRecord } from './render/table.js'
import { statusColor } from './render/terminal-style.js'

interface ProfileOptions extends CommonOptions {
  readonly profile?: string
}

interface LogoutOptions extends ProfileOptions {
  readonly all?: boolean
}

export async function login(context: Context, options: ProfileOptions): Promise<void> {
  const { environment, terminal, version } = context
  const stored = readProfiles(environment.configHome)
  const profile = options.profile ?? environment.profile ?? stored.current
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(profile))
    throw usageError('a profile name has up to 64 letters, digits and any of . _ -')
  const saved = Object.hasOwn(stored.profiles, profile) ? stored.profiles[profile] : undefined
  const apiUrl =
    environment.apiUrl === undefined
      ? (saved?.apiUrl ?? DEFAULT_API_URL)
      : normalizeUrl(environment.apiUrl, 'SVC_API_URL')
  const apiKey = parseApiKey(await readKey(context, apiUrl))
  const api = new Api({
    connection: { apiUrl, apiKey, profile, urlSource: '', keySource: '' },
    userAgent: `svc/${version}`,
    newIdempotencyKey: context.newId,
    now: context.now,
    sleep: context.sleep,
  })
  const { text, body } = await api.call('getMe', {})
  writeProfiles(environment.configHome, {
    current: profile,
    profiles: { ...stored.profiles, [profile]: { apiUrl, apiKey } },
  })
  if (options.json) printJsonText(terminal, text)
  else {
    const who = `${escapeControls(body.person.name)}, workspace ${escapeControls(body.workspace.name)}`
    const named = profile === DEFAULT_PROFILE ? '' : ` (profile ${profile})`
    terminal.out(`Logged in to ${apiUrl} as ${who}${named}.\n`)
    terminal.err(`The key is in ${profilesPath(environment.configHome)}, which only you can read.\n`)
  }
  if (environment.apiKey !== undefined)
    terminal.err('svc: SVC_API_KEY is set and overrides the key that was stored now.\n')
}

/** Forgets one stored key, or all. The key itself stays valid until `svc admin key revoke`. */
export function logout({ environment, terminal }: Context, options: LogoutOptions): void {
  const { current, profiles } = readProfiles(environment.configHome)
  const profile = options.profile ?? environment.profile ?? current
  const names = Object.keys(profiles).filter((name) => options.all || name === profile)
  const left = Object.fromEntries(Object.entries(profiles).filter(([name]) => !names.includes(name)))
  const next = Object.hasOwn(left, current) ? current : (Object.keys(left)[0] ?? DEFAULT_PROFILE)
  if (names.length > 0) writeProfiles(environment.configHome, { current: next, profiles: left })
  if (options.json) printJson(terminal, { profile, removed: names })
  else if (names.length === 0) terminal.out(`No key was stored for ${profile}.\n`)
  else {
    terminal.out(`Forgot the key of ${names.join(', ')}.\n`)
    terminal.err('The key itself stays valid until svc admin key revoke.\n')
  }
}

/** The identity; for people also where address and key come from, and how many experiments there are. */
export async function whoami(context: Context, options: CommonOptions): Promise<void> {
  const api = await context.api()
  if (options.json) return printJsonText(context.terminal, (await api.call('getMe', {})).text)
  const { apiUrl, urlSource, keySource } = context.connection()
  const [{ body: me }, { body: counts }, theirs] = await Promise.all([
    api.call('getMe', {}),
    api.call('countExperiments', {}),
    // The version is optional here.
    serverVersion(apiUrl).catch(() => undefined),
  ])
  const { version } = context
  const scopes = me.key?.scopes ?? []
  const record = renderRecord(context.style(), [
    ['workspace', `${me.workspace.name}  ${me.workspace.id}`],
    ['person', `${me.person.name} <${me.person.email}>`],
    ['key', me.key === null ? 'none: the session of a person' : me.key.name],
    ...(me.key === null ? [] : [['may write', scopes.length === 0 ? 'nothing' : scopes.join(', ')] as const]),
    ['address', `${apiUrl} (${urlSource})`],
    ['key from', keySource],
    [
      'version',
      theirs === undefined || theirs === version ? version : `${version}, of the service ${theirs}`,
    ],
    ['experiments', formatCount(counts.total)],
    ...Object.entries(counts.byStatus)
      .filter(([, count]) => count > 0)
      .map(
        ([status, count]) => [`  ${statusLabel(status)}`, formatCount(count), statusColor(status)] as const,
      ),
  ])
  context.terminal.out(record)
}

async function readKey(context: Context, apiUrl: string): Promise<string> {
  if (isatty(0)) {
    const { readHidden } = await import('./prompt.js')
    return readHidden(context.terminal, `API key for ${apiUrl}: `)
  }
  const text = await context.readStdin()
  if (text.trim() === '')
    throw unauthenticatedError('standard input contained no key', undefined, [
      'try: svc login < FILE, or svc login on a terminal',
    ])
  return text
}
