/** What the command line takes from the environment. An empty variable counts as not set. */
export interface Environment {
  readonly apiUrl: string | undefined
  readonly apiKey: string | undefined
  readonly profile: string | undefined
  readonly ingestUrl: string | undefined
  readonly serverKey: string | undefined
  /** Where the file of `svc login` lies: a folder. */
  readonly configHome: string
  readonly pager: string | undefined
  /** Colour was turned off for all programs, or nothing here can show it. */
  readonly noColor: boolean
  /** Nobody watches: no spinner, no question. */
  readonly nonInteractive: boolean
  /** Columns that the shell says the terminal has; for what cannot ask the terminal itself. */
  readonly columns: number | undefined
}

export function readEnvironment(): Environment {
  const { env } = process
  const text = (name: string): string | undefined => (env[name] === '' ? undefined : env[name])
  const columns = Number(text('COLUMNS'))
  return {
    apiUrl: text('SVC_API_URL'),
    apiKey: text('SVC_API_KEY'),
    profile: text('SVC_PROFILE'),
    ingestUrl: text('SVC_INGEST_URL'),
    serverKey: text('SVC_SERVER_KEY'),
    configHome: text('XDG_CONFIG_HOME') ?? `${text('HOME') ?? text('USERPROFILE') ?? '.'}/.config`,
    pager: text('PAGER'),
    noColor: text('NO_COLOR') !== undefined || text('TERM') === 'dumb' || isSet(text('CI')),
    nonInteractive: isSet(text('CI')) || text('TERM') === 'dumb',
    columns: Number.isInteger(columns) && columns > 0 ? columns : undefined,
  }
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== 'false' && value !== '0'
}
