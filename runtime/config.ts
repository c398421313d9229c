import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseProxies } from './client-address.js'
import { errorReason } from './errors.js'

/** The environment of the servers, parsed and checked once, then frozen. */
export interface Config {
  readonly host: string
  readonly apiPort: number
  readonly ingestPort: number
  readonly adminHost: string
  readonly adminPort: number
  /** Address of the console for people, in messages. @default where the management API listens */
  readonly publicUrl: string | undefined
  /** Address of the ingestion API for clients, shown by `/readiness`. @default where ingestion listens */
  readonly publicIngestUrl: string | undefined
  /** Addresses and networks of the proxies whose `X-Forwarded-For` is read. */
  readonly trustedProxies: readonly string[]
  readonly dataDir: string
  readonly postgresUrl: string | undefined
  readonly clickhouseUrl: string | undefined
  readonly clickhouseCluster: string | undefined
  readonly clickhouseLinks: 'memory' | 'disk'
  /** @default the embedded log */
  readonly kafka: KafkaConfig | undefined
  /** Name of this gateway, unique and the same after a restart. @default host name and port */
  readonly instance: string | undefined
  readonly settlingHours: number
  /** @default by the number of processors */
  readonly ingestWorkers: number | undefined
  readonly dedupMemoryMb: number
  readonly resultsMaxAgeSeconds: number
  /** Heavy queries that a workspace runs at once in the management API. */
  readonly apiQueriesPerWorkspace: number
  /** Rate of a key or session at the management API; a workspace has twice that. */
  readonly apiRequestsPerSecond: number
  /** 32 bytes in base64. @default generated and stored in the data directory */
  readonly secretKey: string | undefined
  /** The key before it, while a rotation is under way. */
  readonly previousSecretKey: string | undefined
  /** Whether webhooks may lead to private addresses. */
  readonly hooksAllowPrivate: boolean
  /** The language model that generates proposals. @default rules generate them */
  readonly llm:
    | {
        readonly url: string
        readonly model: string
        readonly key: string | undefined
        /** Limits of one batch. */
        readonly maxTokens: number
        readonly maxSeconds: number
        /** Limits of one question: tokens of the answer, reasoning included, and seconds. */
        readonly answerTokens: number
        readonly questionSeconds: number
        /** Left out of the request if it is undefined. */
        readonly reasoningEffort: string | undefined
      }
    | undefined
  /** The bucket to which days of events are exported. @default none */
  readonly exports: ExportConfig | undefined
  /** The identity provider that signs people in to the console. */
  readonly oidc: OidcConfig | undefined
  readonly tracing: TracingConfig | undefined
  readonly logLevel: LogLevel
  readonly faultPoint: string | undefined
}

interface ExportConfig {
  readonly endpoint: string
  readonly bucket: string
  readonly region: string
  /** Without a slash at its ends; may be empty. */
  readonly prefix: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Days before today that a workspace begins with. */
  readonly days: number
}

interface OidcConfig {
  /** `https`, or `http` on this machine. */
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** Whether a person whom no workspace knows is refused or becomes a member, who may read. */
  readonly unknown: 'refuse' | 'member'
  /** The workspace in which people are looked up. @default all workspaces */
  readonly workspaceId: string | undefined
}

/** Traces are exported. The SDK of OpenTelemetry reads the address and its other variables itself. */
export interface TracingConfig {
  readonly serviceName: string
}

export interface KafkaConfig {
  readonly brokers: readonly string[]
  readonly partitions: number
  readonly identityPartitions: number
  readonly topicPrefix: string
  /** Copies of each partition. @default three, or the number of brokers if there are fewer */
  readonly replication: number | undefined
  readonly tls: boolean | KafkaTls
  readonly login: KafkaLogin | undefined
}

export interface KafkaTls {
  /** Certificates in PEM, trusted instead of Node's own list. */
  readonly ca?: string
  readonly client?: ClientCertificateFiles
}

/** Paths. The files are read again for each connection, so that renewed ones need no restart. */
export interface ClientCertificateFiles {
  readonly certFile: string
  readonly keyFile: string
}

export const KAFKA_MECHANISMS = ['plain', 'scram-sha-256', 'scram-sha-512', 'oauthbearer'] as const

export type KafkaLogin = KafkaPasswordLogin | KafkaTokenLogin

export interface KafkaPasswordLogin {
  readonly mechanism: Exclude<(typeof KAFKA_MECHANISMS)[number], 'oauthbearer'>
  readonly username: string
  readonly password: string
}

interface KafkaTokenLogin {
  readonly mechanism: 'oauthbearer'
  /** A program, which prints an access token, and its arguments. */
  readonly tokenCommand: readonly string[]
}

/** The stages. Each can run as a separate program; `npm start` runs all of them in one. */
export type StageName = 'ingest' | 'consumers' | 'api'

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** An unusable value. The start stops with this line and exit code 2. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  constructor(
    readonly variable: string,
    problem: string,
  ) {
    super(`${variable} ${problem}`)
  }
}

/** Stands in for a number that `start/` chooses, because it knows what else runs on the machine. */
const CHOSEN_AT_START = 0
export const MAX_WORKERS = 64
const DEFAULT_S3_REGION = 'us-east-1'

type Environment = Readonly<Record<string, string | undefined>>

/** For the command-line client; ignored by the servers. */
export const CLIENT_VARIABLES = [
  'SVC_API_URL',
  'SVC_API_KEY',
  'SVC_PROFILE',
  'SVC_INGEST_URL',
  'SVC_SERVER_KEY',
] as const

/**
 * Parses `SVC_*`. An empty value counts as not set. Every value with a password can also be read from a
 * file, named by `NAME_FILE`.
 *
 * @param stage the stage that runs alone, so that only its ports must differ @default all of them
 * @throws ConfigError for a wrong value, and for an unknown name, so that a typo never becomes a default
 */
export function parseConfig(environment: Environment, stage?: StageName): Config {
  const readers = readersOf(environment)
  const { text, secret, wholeNumber: whole, port, host, url } = readers
  // The first wrong value is reported, so the ones that everything depends on come first.
  const logLevel = parseChoice(text, 'SVC_LOG_LEVEL', LOG_LEVELS, 'info')
  const settlingHours = parseSettlingHours(text)
  const secretKey = parseSecretKey(secret, 'SVC_SECRET_KEY')
  const previousSecretKey = parseSecretKey(secret, 'SVC_SECRET_KEY_PREVIOUS')
  const config: Config = {
    host: host('SVC_HOST'),
    apiPort: port('SVC_API_PORT', 8081),
    ingestPort: port('SVC_INGEST_PORT', 8080),
    adminHost: host('SVC_ADMIN_HOST'),
    adminPort: port('SVC_ADMIN_PORT', 9464),
    publicUrl: url('SVC_PUBLIC_URL', ['http:', 'https:'], 'https://svc.example.com', text),
    publicIngestUrl: url('SVC_PUBLIC_INGEST_URL', ['http:', 'https:'], 'https://events.example.com', text),
    trustedProxies: parseTrustedProxies(text),
    dataDir: resolve(text('SVC_DATA_DIR') ?? './data'),
    postgresUrl: url(
      'SVC_POSTGRES_URL',
      ['postgres:', 'postgresql:'],
      'postgres://user:password@host:5432/database',
    ),
    clickhouseUrl: parseClickHouse(readers),
    clickhouseCluster: parseName(
      text,
      'SVC_CLICKHOUSE_CLUSTER',
      /^[A-Za-z0-9_.-]+$/,
      'the name of a cluster',
    ),
    clickhouseLinks: parseChoice(text, 'SVC_CLICKHOUSE_LINKS', ['memory', 'disk'], 'memory'),
    kafka: parseKafka(readers),
    instance: parseName(
      text,
      'SVC_INSTANCE',
      /^[A-Za-z0-9._:-]{1,100}$/,
      'a name of up to 100 letters, digits and any of . _ : -',
    ),
    settlingHours,
    ingestWorkers: whole('SVC_INGEST_WORKERS', CHOSEN_AT_START, 1, MAX_WORKERS) || undefined,
    dedupMemoryMb: whole('SVC_DEDUP_MEMORY_MB', 1_024, 1, 1_048_576),
    resultsMaxAgeSeconds: whole('SVC_RESULTS_MAX_AGE_SECONDS', 5, 0, 86_400),
    apiRequestsPerSecond: whole('SVC_API_REQUESTS_PER_SECOND', 500, 1, 1_000_000),
    apiQueriesPerWorkspace: whole('SVC_API_QUERIES_PER_WORKSPACE', 4, 1, 1_000),
    secretKey,
    previousSecretKey,
    hooksAllowPrivate: parseChoice(text, 'SVC_HOOKS_ALLOW_PRIVATE', ['true', 'false'], 'false') === 'true',
    llm: parseLlm(readers),
    exports: parseExports(readers),
    oidc: parseOidc(readers),
    tracing: parseTracing(readers),
    logLevel,
    faultPoint: text('SVC_FAULT_POINT'),
  }
  refuseUnknown(environment, readers.read)
  refuseEqualPorts(config, stage)
  refuseMissing(config)
  return Object.freeze(config)
}

interface Readers {
  /** Every name that was read. */
  readonly read: ReadonlySet<string>
  /** Undefined if not set, or empty. */
  readonly text: (name: string) => string | undefined
  /** As `text`, or from the file that `NAME_FILE` names. */
  readonly secret: (name: string) => string | undefined
  readonly wholeNumber: (name: string, fallback: number, least: number, most: number) => number
  readonly port: (name: string, fallback: number) => number
  readonly host: (name: string) => string
  readonly url: (
    name: string,
    protocols: readonly string[],
    example: string,
    read?: (name: string) => string | undefined,
  ) => string | undefined
}

function readersOf(environment: Environment): Readers {
  const read = new Set<string>(CLIENT_VARIABLES)
  const text = (name: string): string | undefined => {
    read.add(name)
    const value = environment[name]
    return value === undefined || value === '' ? undefined : value
  }
  const secret = (name: string): string | undefined => {
    const value = text(name)
    const variable = `${name}_FILE`
    const file = text(variable)
    if (file === undefined) return value
    if (value !== undefined) throw new ConfigError(variable, `is set, and ${name} too: set only one of them`)
    const contents = readVariableFile(variable, file)
    if (contents === '') throw new ConfigError(variable, `names ${file}, which is empty`)
    return contents
  }
  const wholeNumber = (name: string, fallback: number, least: number, most: number): number => {
    const value = text(name)
    if (value === undefined) return fallback
    const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN
    if (!(number >= least && number <= most))
      throw new ConfigError(
        name,
        `must be a whole number from ${least} to ${most}, not ${JSON.stringify(value)}`,
      )
    return number
  }
  return {
    read,
    text,
    secret,
    wholeNumber,
    port: (name, fallback) => wholeNumber(name, fallback, 0, 65_535),
    host: (name) => {
      const value = text(name) ?? '127.0.0.1'
      if (/[\s/]/.test(value))
        throw new ConfigError(name, `must be a host name or address, not ${JSON.stringify(value)}`)
      return value
    },
    url: (name, protocols, example, from = secret) => {
      const value = from(name)
      if (value === undefined) return undefined
      const { username, password } = parseAddress(name, value, protocols, example)
      // A public address is shown in logs and API responses, so it must not hold a password.
      if (from !== secret && (username !== '' || password !== ''))
        throw new ConfigError(name, `must be without user and password, like ${example}`)
      return value
    },
  }
}

function parseAddress(name: string, value: string, protocols: readonly string[], example: string): URL {
  // The value may hold a password, so it is not in the message.
  if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol))
    throw new ConfigError(name, `must be an address like ${example}`)
  if (!canDecode(value))
    throw new ConfigError(
      name,
      'has a % that is not the start of a UTF-8 escape: write %25 for a % in a password',
    )
  return new URL(value)
}

/** Whether drivers can decode the escapes of the address. */
function canDecode(url: string): boolean {
  try {
    decodeURIComponent(url)
    return true
  } catch {
    // A `%` without two hexadecimal digits, or bytes that are not UTF-8.
    return false
  }
}

function parseName(
  text: Readers['text'],
  variable: string,
  pattern: RegExp,
  what: string,
): string | undefined {
  const value = text(variable)
  if (value !== undefined && !pattern.test(value))
    throw new ConfigError(variable, `must be ${what}, not ${JSON.stringify(value)}`)
  return value
}

function parseChoice<Word extends string>(
  text: Readers['text'],
  variable: string,
  known: readonly Word[],
  fallback: Word,
): Word {
  const value = text(variable) ?? fallback
  const choice = known.find((word) => word === value)
  if (choice === undefined)
    throw new ConfigError(variable, `must be one of ${known.join(', ')}, not ${JSON.stringify(value)}`)
  return choice
}

function parseSettlingHours(text: Readers['text']): number {
  const settling = text('SVC_SETTLING_HOURS') ?? '24'
  const settlingHours = /^\d{1,6}(\.\d{1,6})?$/.test(settling) ? Number(settling) : Number.NaN
  if (!(settlingHours <= 8_760))
    throw new ConfigError(
      'SVC_SETTLING_HOURS',
      `must be a number of hours from 0 to 8760, not ${JSON.stringify(settling)}`,
    )
  return settlingHours
}

function parseTrustedProxies(text: Readers['text']): readonly string[] {
  const value = text('SVC_TRUSTED_PROXIES')
  if (value === undefined) return []
  const parsed = parseProxies(value)
  if ('wrong' in parsed)
    throw new ConfigError(
      'SVC_TRUSTED_PROXIES',
      `must be addresses and networks such as 10.0.0.0/8,2001:db8::7, and ${JSON.stringify(parsed.wrong)} is neither`,
    )
  return parsed.proxies
}

function parseLlm({ text, secret, url, wholeNumber: whole }: Readers): Config['llm'] {
  const address = url(
    'SVC_LLM_URL',
    ['http:', 'https:'],
    'https://host/v1 (the key goes to SVC_LLM_KEY)',
    text,
  )
  const model = text('SVC_LLM_MODEL')
  const key = secret('SVC_LLM_KEY')
  const maxTokens = whole('SVC_LLM_MAX_TOKENS', 200_000, 1_000, 100_000_000)
  const maxSeconds = whole('SVC_LLM_MAX_SECONDS', 1_500, 1, 1_500)
  const answerTokens = whole('SVC_LLM_ANSWER_TOKENS', 32_000, 500, 1_000_000)
  const questionSeconds = whole('SVC_LLM_QUESTION_SECONDS', 900, 1, 1_500)
  const reasoningEffort = text('SVC_LLM_REASONING_EFFORT')
  if (address === undefined) return undefined
  if (model === undefined) throw new ConfigError('SVC_LLM_MODEL', 'must name the model to use at SVC_LLM_URL')
  const limits = { maxTokens, maxSeconds, answerTokens, questionSeconds }
  return { url: address, model, key, ...limits, reasoningEffort }
}

function parseExports({ text, secret, url, wholeNumber: whole }: Readers): ExportConfig | undefined {
  const bucket = parseName(
    text,
    'SVC_EXPORT_S3_BUCKET',
    /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
    'the name of a bucket: 3 to 63 small letters, digits and any of . -',
  )
  const region = parseName(text, 'SVC_EXPORT_S3_REGION', /^[a-z0-9-]{1,64}$/, 'a region such as eu-central-1')
  const prefix = parseName(
    text,
    'SVC_EXPORT_S3_PREFIX',
    /^[A-Za-z0-9._=-]+(\/[A-Za-z0-9._=-]+)*\/?$/,
    'a path such as svc/events, of letters, digits and any of . _ = -',
  )
  const endpoint = url('SVC_EXPORT_S3_ENDPOINT', ['https:', 'http:'], 'https://s3.example.com', text)
  const accessKeyId = text('SVC_EXPORT_S3_ACCESS_KEY_ID')
  const secretAccessKey = secret('SVC_EXPORT_S3_SECRET_ACCESS_KEY')
  const days = whole('SVC_EXPORT_S3_DAYS', 1, 1, 36_500)
  if (bucket === undefined) {
    if (endpoint !== undefined || accessKeyId !== undefined)
      throw new ConfigError(
        'SVC_EXPORT_S3_BUCKET',
        'must be set if SVC_EXPORT_S3_ENDPOINT or SVC_EXPORT_S3_ACCESS_KEY_ID is',
      )
    return undefined
  }
  if (accessKeyId === undefined)
    throw new ConfigError('SVC_EXPORT_S3_ACCESS_KEY_ID', 'must be set if SVC_EXPORT_S3_BUCKET is')
  if (secretAccessKey === undefined)
    throw new ConfigError(
      'SVC_EXPORT_S3_SECRET_ACCESS_KEY',
      'or SVC_EXPORT_S3_SECRET_ACCESS_KEY_FILE must be set if SVC_EXPORT_S3_BUCKET is',
    )
  return {
    endpoint: endpoint ?? `https://s3.${region ?? DEFAULT_S3_REGION}.amazonaws.com`,
    bucket,
    region: region ?? DEFAULT_S3_REGION,
    prefix: prefix?.replace(/\/$/, '') ?? '',
    accessKeyId,
    secretAccessKey,
    days,
  }
}

function parseOidc({ text, secret, url }: Readers): OidcConfig | undefined {
  const issuer = url('SVC_OIDC_ISSUER', ['https:', 'http:'], 'https://login.example.com', text)
  const clientId = text('SVC_OIDC_CLIENT_ID')
  const clientSecret = secret('SVC_OIDC_CLIENT_SECRET')
  const unknown = parseChoice(text, 'SVC_OIDC_UNKNOWN', ['refuse', 'member'], 'refuse')
  const workspaceId = parseName(
    text,
    'SVC_OIDC_WORKSPACE',
    /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
    'the id of a workspace',
  )
  if (issuer === undefined) return undefined
  const { protocol, hostname } = new URL(issuer)
  if (protocol === 'http:' && !['localhost', '127.0.0.1', '[::1]'].includes(hostname))
    throw new ConfigError('SVC_OIDC_ISSUER', 'must begin with https: http is accepted for this machine only')
  if (clientId === undefined) throw new ConfigError('SVC_OIDC_CLIENT_ID', 'must be set if SVC_OIDC_ISSUER is')
  if (clientSecret === undefined)
    throw new ConfigError(
      'SVC_OIDC_CLIENT_SECRET',
      'or SVC_OIDC_CLIENT_SECRET_FILE must be set if SVC_OIDC_ISSUER is',
    )
  return { issuer, clientId, clientSecret, unknown, workspaceId }
}

function parseTracing({ text, url }: Readers): TracingConfig | undefined {
  const serviceName = text('OTEL_SERVICE_NAME') ?? 'svc'
  const endpoint = url('OTEL_EXPORTER_OTLP_ENDPOINT', ['http:', 'https:'], 'http://collector:4318', text)
  return endpoint === undefined ? undefined : { serviceName }
}

function refuseUnknown(environment: Environment, known: ReadonlySet<string>): void {
  for (const name of Object.keys(environment))
    if (name.startsWith('SVC_') && !known.has(name))
      throw new ConfigError(name, 'is not a variable of svc: README.md lists all of them')
}

function refuseEqualPorts(config: Config, stage: StageName | undefined): void {
  const fixed = PORTS_OF[stage ?? 'all'].filter((key) => config[key] !== 0)
  for (const key of fixed)
    for (const other of fixed)
      if (key < other && config[key] === config[other])
        throw new ConfigError(
          PORT_VARIABLES[other],
          `is ${config[other]}, the same port as ${PORT_VARIABLES[key]}`,
        )
}

function parseSecretKey(secret: Readers['secret'], name: string): string | undefined {
  const key = secret(name)
  if (key !== undefined && !isSecretKey(key))
    throw new ConfigError(name, 'must be 32 bytes in base64: make one with `openssl rand -base64 32`')
  return key
}

function refuseMissing(config: Config): void {
  if (config.previousSecretKey !== undefined && config.secretKey === undefined)
    throw new ConfigError('SVC_SECRET_KEY_PREVIOUS', 'needs SVC_SECRET_KEY, the key that follows it')
  if (config.postgresUrl !== undefined && config.secretKey === undefined)
    throw new ConfigError(
      'SVC_SECRET_KEY',
      'must be set if SVC_POSTGRES_URL is: stored keys depend on it. Make one with `openssl rand -base64 32` and keep it as long as the data',
    )
  if (config.clickhouseCluster !== undefined && config.clickhouseUrl === undefined)
    throw new ConfigError(
      'SVC_CLICKHOUSE_CLUSTER',
      'needs SVC_CLICKHOUSE_URL: the embedded ClickHouse has no cluster',
    )
  if (config.clickhouseLinks === 'disk' && config.clickhouseUrl === undefined)
    throw new ConfigError(
      'SVC_CLICKHOUSE_LINKS',
      'can be disk only with SVC_CLICKHOUSE_URL: the embedded ClickHouse holds links in memory',
    )
  if (config.clickhouseCluster === undefined && splitAddresses(config.clickhouseUrl ?? '').length > 1)
    throw new ConfigError(
      'SVC_CLICKHOUSE_CLUSTER',
      'must name the cluster whose shards are the addresses of SVC_CLICKHOUSE_URL',
    )
}

/** The addresses of a list. Only a comma before another address separates: passwords may contain some. */
export function splitAddresses(urls: string): readonly string[] {
  return urls.split(/,\s*(?=https?:)/)
}

/** One address of ClickHouse, or one of each shard. */
function parseClickHouse({ secret }: Readers): string | undefined {
  const name = 'SVC_CLICKHOUSE_URL'
  const value = secret(name)
  if (value === undefined) return undefined
  const parsed = splitAddresses(value).map((address) =>
    parseAddress(name, address, ['http:', 'https:'], 'http://user:password@host:8123/database'),
  )
  if (
    new Set(parsed.map(({ username, password, pathname }) => `${username}:${password}@${pathname}`)).size > 1
  )
    throw new ConfigError(name, 'must have the same user, password and database in the address of each shard')
  if (new Set(parsed.map(({ origin }) => origin)).size < parsed.length)
    throw new ConfigError(name, 'has one address twice: each must lead to another shard')
  return value
}

function parseKafka({ text, secret, wholeNumber: whole }: Readers): KafkaConfig | undefined {
  const brokers = text('SVC_KAFKA_BROKERS')?.split(',')
  for (const broker of brokers ?? [])
    if (!/^[^\s:/,]+:\d{1,5}$/.test(broker) || Number(broker.split(':')[1]) > 65_535)
      throw new ConfigError(
        'SVC_KAFKA_BROKERS',
        `must be host:port,host:port, and ${JSON.stringify(broker)} is not`,
      )
  const partitions = whole('SVC_KAFKA_PARTITIONS', 12, 1, 1_000)
  const identityPartitions = whole('SVC_KAFKA_IDENTITY_PARTITIONS', 3, 1, 100)
  const topicPrefix =
    parseName(
      text,
      'SVC_KAFKA_TOPIC_PREFIX',
      /^[A-Za-z0-9._-]{1,100}$/,
      'up to 100 letters, digits and any of . _ -',
    ) ?? 'svc'
  // If only one broker is named, the number of copies follows from the brokers that the cluster reports.
  const defaultReplication = brokers !== undefined && brokers.length > 1 ? Math.min(3, brokers.length) : 0
  const replication = whole('SVC_KAFKA_REPLICATION', defaultReplication, 1, 9) || undefined
  const tls = text('SVC_KAFKA_TLS') ?? 'false'
  if (tls !== 'true' && tls !== 'false')
    throw new ConfigError('SVC_KAFKA_TLS', `must be true or false, not ${JSON.stringify(tls)}`)
  const ca = parseCertificates('SVC_KAFKA_CA_FILE', text)
  const client = parseClientCertificate(text)
  for (const [variable, value] of [
    ['SVC_KAFKA_CA_FILE', ca],
    ['SVC_KAFKA_CERT_FILE', client],
  ] as const)
    if (value !== undefined && tls === 'false') throw new ConfigError(variable, 'needs SVC_KAFKA_TLS=true')
  const files = { ...(ca === undefined ? {} : { ca }), ...(client === undefined ? {} : { client }) }
  const login = parseKafkaLogin(text, secret)
  if (brokers === undefined) return undefined
  return {
    brokers,
    partitions,
    identityPartitions,
    topicPrefix,
    replication,
    tls: Object.keys(files).length === 0 ? tls === 'true' : files,
    login,
  }
}

function parseCertificates(variable: string, text: Readers['text']): string | undefined {
  const file = text(variable)
  if (file === undefined) return undefined
  const pem = readVariableFile(variable, file)
  try {
    new X509Certificate(pem)
  } catch {
    throw new ConfigError(variable, `names ${file}, which does not contain a PEM certificate`)
  }
  return pem
}

function parseClientCertificate(text: Readers['text']): ClientCertificateFiles | undefined {
  const certFile = text('SVC_KAFKA_CERT_FILE')
  const keyFile = text('SVC_KAFKA_KEY_FILE')
  if (certFile === undefined && keyFile === undefined) return undefined
  if (certFile === undefined)
    throw new ConfigError('SVC_KAFKA_CERT_FILE', 'must be set if SVC_KAFKA_KEY_FILE is')
  if (keyFile === undefined)
    throw new ConfigError('SVC_KAFKA_KEY_FILE', 'must be set if SVC_KAFKA_CERT_FILE is')
  readClientCertificate({ certFile, keyFile })
  return { certFile, keyFile }
}

/**
 * Certificate and key in PEM, for a TLS connection.
 *
 * @throws ConfigError if a file cannot be read, the key is not that of the certificate, or it has expired
 */
export function readClientCertificate({ certFile, keyFile }: ClientCertificateFiles) {
  const cert = parseCertificates('SVC_KAFKA_CERT_FILE', () => certFile) ?? ''
  const certificate = new X509Certificate(cert)
  const key = readVariableFile('SVC_KAFKA_KEY_FILE', keyFile)
  let matches: boolean
  try {
    matches = certificate.checkPrivateKey(createPrivateKey(key))
  } catch {
    throw new ConfigError(
      'SVC_KAFKA_KEY_FILE',
      `names ${keyFile}, which does not contain a PEM private key without a passphrase`,
    )
  }
  if (!matches)
    throw new ConfigError('SVC_KAFKA_KEY_FILE', `names ${keyFile}, which is not the key of ${certFile}`)
  if (Date.parse(certificate.validTo) <= Date.now())
    throw new ConfigError(
      'SVC_KAFKA_CERT_FILE',
      `names ${certFile}, which expired at ${new Date(certificate.validTo).toISOString()}`,
    )
  return { cert, key }
}

function parseKafkaLogin(text: Readers['text'], secret: Readers['secret']): KafkaLogin | undefined {
  const username = text('SVC_KAFKA_USERNAME')
  const password = secret('SVC_KAFKA_PASSWORD')
  const tokenCommand = text('SVC_KAFKA_TOKEN_COMMAND')?.split(' ').filter(Boolean)
  const mechanism = parseChoice(text, 'SVC_KAFKA_MECHANISM', KAFKA_MECHANISMS, 'scram-sha-512')
  if (mechanism === 'oauthbearer') {
    if (tokenCommand === undefined || tokenCommand.length === 0)
      throw new ConfigError('SVC_KAFKA_TOKEN_COMMAND', 'must be set if SVC_KAFKA_MECHANISM is oauthbearer')
    if (username !== undefined || password !== undefined)
      throw new ConfigError(
        'SVC_KAFKA_USERNAME',
        'and a password do not belong to oauthbearer: the token has the name',
      )
    return { mechanism, tokenCommand }
  }
  if (tokenCommand !== undefined)
    throw new ConfigError('SVC_KAFKA_TOKEN_COMMAND', 'needs SVC_KAFKA_MECHANISM=oauthbearer')
  if (username === undefined && password === undefined) return undefined
  if (username === undefined)
    throw new ConfigError('SVC_KAFKA_USERNAME', 'must be set if SVC_KAFKA_PASSWORD is')
  if (password === undefined)
    throw new ConfigError(
      'SVC_KAFKA_PASSWORD',
      'or SVC_KAFKA_PASSWORD_FILE must be set if SVC_KAFKA_USERNAME is',
    )
  return { mechanism, username, password }
}

/** The environment of the programs that svc starts for an operator: without svc's own variables. */
export function environmentOfPrograms(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_')))
}

/** Contents of the file that a variable names, without the line break that editors add at the end. */
function readVariableFile(variable: string, file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    throw new ConfigError(variable, `names ${file}, which cannot be read (${errorReason(error)})`)
  }
}

/** The ports a program listens on: only those must differ. */
const PORTS_OF = {
  all: ['apiPort', 'ingestPort', 'adminPort'],
  ingest: ['ingestPort', 'adminPort'],
  consumers: ['adminPort'],
  api: ['apiPort', 'adminPort'],
} as const satisfies Readonly<Record<StageName | 'all', readonly (keyof typeof PORT_VARIABLES)[]>>

const PORT_VARIABLES = {
  apiPort: 'SVC_API_PORT',
  ingestPort: 'SVC_INGEST_PORT',
  adminPort: 'SVC_ADMIN_PORT',
} as const

function isSecretKey(base64: string): boolean {
  return /^[A-Za-z0-9+/]{43}=$/.test(base64) && Buffer.from(base64, 'base64').length === 32
}
