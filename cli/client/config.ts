/** The environment of the command line. An empty variable counts as unset. */
export interface Environment {
  readonly apiUrl: string | undefined
  readonly apiKey: string | undefined
  readonly profile: string | undefined
  readonly ingestUrl: string | undefined
  readonly serverKey: string | undefined
  /** The folder of `svc/config.json`. */
  readonly configHome: string
  readonly pager: string | undefined
  readonly noColor: boolean
  /** No spinner and no questions. */
  readonly nonInteractive: boolean
  /** COLUMNS, for terminals that do not report their size. */
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
