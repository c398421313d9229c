import { rootCertificates } from 'node:tls'
import t from 'tap'
import {
  certificatesProblem,
  makeCertificate,
  makeCertificates,
} from '../../test/support/cluster/certificates.js'
import { ConfigError, parseConfig, splitAddresses } from '../config.js'

const refusal = (environment: Record<string, string>): string => {
  try {
    parseConfig(environment)
  } catch (error) {
    if (error instanceof ConfigError) return `${error.variable}|${error.message}`
    throw error
  }
  return 'accepted'
}
const skip = certificatesProblem() ?? false
const SECRET = Buffer.alloc(32, 7).toString('base64')

t.test('defaults are the documented ones', async (t) => {
  const config = parseConfig({
    PATH: '/bin',
    SVC_API_URL: 'x',
    SVC_API_KEY: 'x',
    SVC_PROFILE: 'x',
    SVC_INGEST_URL: 'x',
    SVC_SERVER_KEY: 'x',
  })
  t.match(config, {
    host: '127.0.0.1',
    apiPort: 8081,
    ingestPort: 8080,
    adminHost: '127.0.0.1',
    adminPort: 9464,
    postgresUrl: undefined,
    settlingHours: 24,
    ingestWorkers: undefined,
    dedupMemoryMb: 1024,
    resultsMaxAgeSeconds: 5,
    apiRequestsPerSecond: 500,
    apiQueriesPerWorkspace: 4,
    logLevel: 'info',
    hooksAllowPrivate: false,
  })
  t.ok(config.dataDir.endsWith('/data'))
  t.ok(Object.isFrozen(config))
})

t.test('an empty value counts as not set', async (t) => {
  t.equal(parseConfig({ SVC_API_PORT: '' }).apiPort, 8081)
})

t.test('a name that does not exist is refused', async (t) => {
  t.match(refusal({ SVC_INGEST_PROT: '1' }), /^SVC_INGEST_PROT\|SVC_INGEST_PROT is not a variable of svc/)
})

t.test('values are checked on both sides of their limits', async (t) => {
  for (const value of ['-1', '65536', '80 ', '0x50', '1e3', '8080.5', 'http'])
    t.match(refusal({ SVC_API_PORT: value }), /^SVC_API_PORT\|/, value)
  for (const value of ['0', '65535']) t.equal(refusal({ SVC_API_PORT: value }), 'accepted', value)
  for (const value of ['-1', 'day', '8761', '1e2'])
    t.match(refusal({ SVC_SETTLING_HOURS: value }), /^SVC_SETTLING/, value)
  for (const value of ['0', '0.5', '8760']) t.equal(refusal({ SVC_SETTLING_HOURS: value }), 'accepted', value)
  t.match(refusal({ SVC_HOOKS_ALLOW_PRIVATE: 'yes' }), /^SVC_HOOKS_ALLOW_PRIVATE\|.*one of true, false/)
  t.equal(parseConfig({ SVC_HOOKS_ALLOW_PRIVATE: 'true' }).hooksAllowPrivate, true)
  for (const value of ['0', '65', 'two'])
    t.match(refusal({ SVC_INGEST_WORKERS: value }), /^SVC_INGEST_WORKERS/, value)
  t.match(refusal({ SVC_LOG_LEVEL: 'loud' }), /trace, debug, info/)
  t.match(refusal({ SVC_CLICKHOUSE_URL: 'clickhouse:8123' }), /^SVC_CLICKHOUSE_URL/)
  t.match(refusal({ SVC_POSTGRES_URL: 'mysql://h/d' }), /^SVC_POSTGRES_URL/)
  for (const value of ['kafka', 'a:1,,b:2', 'a:99999'])
    t.match(refusal({ SVC_KAFKA_BROKERS: value }), /^SVC_KAFKA/, value)
  t.same(parseConfig({ SVC_KAFKA_BROKERS: 'a:1,b:2' }).kafka?.brokers, ['a:1', 'b:2'])
  t.match(refusal({ SVC_SECRET_KEY: 'short' }), /32 bytes in base64/)
  t.match(refusal({ SVC_HOST: 'http://x' }), /^SVC_HOST/)
  t.match(refusal({ SVC_TRUSTED_PROXIES: '10.0.0.0/8,x' }), /^SVC_TRUSTED_PROXIES.*"x" is neither/)
  t.match(refusal({ SVC_LLM_URL: 'https://llm.test/v1' }), /^SVC_LLM_MODEL/)
  const model = { SVC_LLM_URL: 'https://llm.test/v1', SVC_LLM_MODEL: 'm' }
  t.same(parseConfig(model).llm, {
    url: 'https://llm.test/v1',
    model: 'm',
    key: undefined,
    maxTokens: 200_000,
    maxSeconds: 1_500,
    answerTokens: 32_000,
    questionSeconds: 900,
    reasoningEffort: undefined,
  })
  t.match(refusal({ ...model, SVC_LLM_MAX_TOKENS: '10' }), /^SVC_LLM_MAX_TOKENS/)
  for (const endpoint of ['collector:4318', 'ftp://collector', 'http://'])
    t.match(refusal({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }), /^OTEL_EXPORTER_OTLP_ENDPOINT\|/, endpoint)
  const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }
  t.same(parseConfig(collector).tracing, { serviceName: 'svc' })
  t.same(parseConfig({ ...collector, OTEL_SERVICE_NAME: 'ab' }).tracing, { serviceName: 'ab' })
  t.equal(parseConfig({ OTEL_SERVICE_NAME: 'ab' }).tracing, undefined)
  const provider = { SVC_OIDC_ISSUER: 'https://id.test', SVC_OIDC_CLIENT_ID: 'svc' }
  t.match(refusal(provider), /^SVC_OIDC_CLIENT_SECRET/)
  const complete = { ...provider, SVC_OIDC_CLIENT_SECRET: 's' }
  t.match(parseConfig(complete).oidc, {
    issuer: 'https://id.test',
    unknown: 'refuse',
    workspaceId: undefined,
  })
  t.match(refusal({ ...complete, SVC_OIDC_UNKNOWN: 'owner' }), /^SVC_OIDC_UNKNOWN/)
  t.match(refusal({ ...complete, SVC_OIDC_WORKSPACE: 'Shop' }), /^SVC_OIDC_WORKSPACE/)
  t.match(refusal({ ...complete, SVC_OIDC_ISSUER: 'http://id.test' }), /^SVC_OIDC_ISSUER.*https/)
  t.equal(refusal({ ...complete, SVC_OIDC_ISSUER: 'http://localhost:9000' }), 'accepted')
  t.match(refusal({ ...model, SVC_LLM_MAX_SECONDS: '0' }), /^SVC_LLM_MAX_SECONDS/)
})

t.test('the export to S3 needs a bucket and its key', async (t) => {
  t.equal(parseConfig({}).exports, undefined)
  const bucket = { SVC_EXPORT_S3_BUCKET: 'shop-events', SVC_EXPORT_S3_ACCESS_KEY_ID: 'id' }
  const complete = { ...bucket, SVC_EXPORT_S3_SECRET_ACCESS_KEY: 's', SVC_EXPORT_S3_REGION: 'eu-central-1' }
  t.same(parseConfig({ ...complete, SVC_EXPORT_S3_PREFIX: 'svc/events/' }).exports, {
    endpoint: 'https://s3.eu-central-1.amazonaws.com',
    bucket: 'shop-events',
    region: 'eu-central-1',
    prefix: 'svc/events',
    accessKeyId: 'id',
    secretAccessKey: 's',
    days: 1,
  })
  t.match(refusal(bucket), /^SVC_EXPORT_S3_SECRET_ACCESS_KEY\|/)
  t.match(refusal({ SVC_EXPORT_S3_BUCKET: 'shop-events' }), /^SVC_EXPORT_S3_ACCESS_KEY_ID\|/)
  t.match(refusal({ SVC_EXPORT_S3_ENDPOINT: 'https://s3.test' }), /^SVC_EXPORT_S3_BUCKET\|.*must be set/)
  for (const [name, value] of [
    ['SVC_EXPORT_S3_BUCKET', 'Shop'],
    ['SVC_EXPORT_S3_REGION', 'EU west'],
    ['SVC_EXPORT_S3_PREFIX', '/svc'],
    ['SVC_EXPORT_S3_ENDPOINT', 's3.test'],
    ['SVC_EXPORT_S3_DAYS', '0'],
  ] as const)
    t.match(refusal({ ...complete, [name]: value }), new RegExp(`^${name}\\|`), value)
})

t.test('the error for a stray % in an address names the variable', async (t) => {
  const model = { SVC_LLM_MODEL: 'm', SVC_SECRET_KEY: SECRET }
  for (const [name, value] of [
    ['SVC_POSTGRES_URL', 'postgres://u:hunter2%@h/d'],
    ['SVC_POSTGRES_URL', 'postgres://u:hunter2%E9@h/d'],
    ['SVC_CLICKHOUSE_URL', 'http://u:hunter2%zz@h:8123/d'],
    ['SVC_LLM_URL', 'https://h/hunter2%/v1'],
    ['SVC_PUBLIC_INGEST_URL', 'https://h/hunter2%1'],
  ] as const) {
    const line = refusal({ ...model, [name]: value })
    t.match(line, new RegExp(`^${name}\\|.*write %25`))
    t.notMatch(line, /hunter2/)
  }
  t.equal(refusal({ ...model, SVC_POSTGRES_URL: 'postgres://u:p%25%40%C3%A9@h/d' }), 'accepted')
})

t.test('an address that is not a secret must not contain a password', async (t) => {
  const model = { SVC_LLM_MODEL: 'm' }
  for (const name of ['SVC_LLM_URL', 'SVC_PUBLIC_INGEST_URL'])
    for (const value of ['https://user:hunter2@h/v1', 'https://hunter2@h/v1', 'https://:hunter2@h/v1']) {
      const line = refusal({ ...model, [name]: value })
      t.match(line, new RegExp(`^${name}\\|.*without user and password`))
      t.notMatch(line, /hunter2/)
    }
  t.match(refusal({ ...model, SVC_LLM_URL: 'https://u:p@h' }), /SVC_LLM_KEY/)
})

t.test('combinations that cannot work are refused', async (t) => {
  t.match(refusal({ SVC_POSTGRES_URL: 'postgres://h/d' }), /^SVC_SECRET_KEY/)
  t.equal(refusal({ SVC_POSTGRES_URL: 'postgres://h/d', SVC_SECRET_KEY: SECRET }), 'accepted')
  t.match(refusal({ SVC_CLICKHOUSE_CLUSTER: 'c' }), /needs SVC_CLICKHOUSE_URL/)
  t.match(refusal({ SVC_CLICKHOUSE_LINKS: 'disk' }), /only with SVC_CLICKHOUSE_URL/)
  t.match(refusal({ SVC_CLICKHOUSE_LINKS: 'ssd' }), /must be one of memory, disk/)
  const shards = 'http://u:a,b@h1:8123/d,https://u:a,b@h2:8123/d'
  t.match(refusal({ SVC_CLICKHOUSE_URL: shards }), /^SVC_CLICKHOUSE_CLUSTER\|.*must name the cluster/)
  t.equal(refusal({ SVC_CLICKHOUSE_URL: shards, SVC_CLICKHOUSE_CLUSTER: 'c' }), 'accepted')
  t.same(splitAddresses(shards), ['http://u:a,b@h1:8123/d', 'https://u:a,b@h2:8123/d'])
  for (const [other, message] of [
    ['http://u:hunter2@h2/d', /must have the same user, password and database/],
    ['http://u:a,b@h2/e', /must have the same user, password and database/],
    ['http://u:a,b@h1:8123/d', /has one address twice/],
    ['http://u:a,b%zz@h2/d', /has a %/],
  ] as const) {
    const refused = refusal({
      SVC_CLICKHOUSE_URL: `http://u:a,b@h1:8123/d,${other}`,
      SVC_CLICKHOUSE_CLUSTER: 'c',
    })
    t.match(refused, /^SVC_CLICKHOUSE_URL\|/)
    t.match(refused, message)
    t.notMatch(refused, /hunter2/)
  }
  t.match(refusal({ SVC_API_PORT: '9000', SVC_INGEST_PORT: '9000' }), /the same port as SVC_/)
  t.equal(refusal({ SVC_API_PORT: '0', SVC_INGEST_PORT: '0', SVC_ADMIN_PORT: '0' }), 'accepted')
})

t.test('settings of Kafka have defaults and limits, and a login needs all its parts', async (t) => {
  t.equal(parseConfig({ SVC_KAFKA_PARTITIONS: '5' }).kafka, undefined, 'without brokers: the embedded log')
  t.same(parseConfig({ SVC_KAFKA_BROKERS: 'a:1,b:2' }).kafka, {
    brokers: ['a:1', 'b:2'],
    partitions: 12,
    identityPartitions: 3,
    topicPrefix: 'svc',
    replication: 2,
    tls: false,
    login: undefined,
  })
  t.equal(parseConfig({ SVC_KAFKA_BROKERS: 'a:1' }).kafka?.replication, undefined, 'the cluster says')
  t.equal(parseConfig({ SVC_KAFKA_BROKERS: 'a:1,b:2,c:3,d:4' }).kafka?.replication, 3)
  t.equal(parseConfig({ SVC_KAFKA_BROKERS: 'a:1', SVC_KAFKA_REPLICATION: '2' }).kafka?.replication, 2)
  for (const [name, value] of [
    ['SVC_KAFKA_PARTITIONS', '0'],
    ['SVC_KAFKA_IDENTITY_PARTITIONS', 'three'],
    ['SVC_KAFKA_REPLICATION', '10'],
    ['SVC_KAFKA_TOPIC_PREFIX', 'a b'],
    ['SVC_KAFKA_TLS', 'yes'],
    ['SVC_KAFKA_MECHANISM', 'oauth'],
    ['SVC_KAFKA_TOKEN_COMMAND', 'print-token'],
    ['SVC_INSTANCE', 'a/b'],
  ] as const)
    t.match(refusal({ SVC_KAFKA_BROKERS: 'a:1', [name]: value }), new RegExp(`^${name}\\|`), name)
  const login = { SVC_KAFKA_BROKERS: 'a:1', SVC_KAFKA_TLS: 'true', SVC_KAFKA_USERNAME: 'svc' }
  t.match(refusal(login), /^SVC_KAFKA_PASSWORD\|/)
  t.match(refusal({ SVC_KAFKA_BROKERS: 'a:1', SVC_KAFKA_PASSWORD: 'x' }), /^SVC_KAFKA_USERNAME\|/)
  t.match(parseConfig({ ...login, SVC_KAFKA_PASSWORD: 'pw' }).kafka, {
    tls: true,
    login: { mechanism: 'scram-sha-512', username: 'svc', password: 'pw' },
  })
  const bearer = { SVC_KAFKA_BROKERS: 'a:1', SVC_KAFKA_MECHANISM: 'oauthbearer' }
  t.match(refusal(bearer), /^SVC_KAFKA_TOKEN_COMMAND\|/)
  const command = { ...bearer, SVC_KAFKA_TOKEN_COMMAND: 'print-token  --for kafka' }
  t.match(refusal({ ...command, SVC_KAFKA_USERNAME: 'svc' }), /^SVC_KAFKA_USERNAME\|/)
  t.same(parseConfig(command).kafka?.login, {
    mechanism: 'oauthbearer',
    tokenCommand: ['print-token', '--for', 'kafka'],
  })
})

t.test('a client certificate for Kafka needs its key, and both must be usable', { skip }, async (t) => {
  const folder = t.testdir({ text: 'no key' })
  makeCertificates(folder)
  const one = makeCertificate(folder, { name: 'one', subject: 'svc' })
  const old = makeCertificate(folder, { name: 'old', subject: 'svc', days: 0 })
  const files = (certFile: string, keyFile: string) => ({
    SVC_KAFKA_BROKERS: 'a:1',
    SVC_KAFKA_TLS: 'true',
    SVC_KAFKA_CERT_FILE: certFile,
    SVC_KAFKA_KEY_FILE: keyFile,
  })
  const client = { certFile: one.certificate, keyFile: one.key }
  t.same(parseConfig(files(one.certificate, one.key)).kafka?.tls, { client })
  t.match(refusal(files(one.certificate, '')), /^SVC_KAFKA_KEY_FILE\|.*must be set if SVC_KAFKA_CERT_FILE/)
  t.match(refusal(files('', one.key)), /^SVC_KAFKA_CERT_FILE\|.*must be set if SVC_KAFKA_KEY_FILE/)
  t.match(refusal(files(one.certificate, `${folder}/no`)), /^SVC_KAFKA_KEY_FILE\|.*be read \(ENOENT\)/)
  t.match(
    refusal(files(one.certificate, `${folder}/text`)),
    /^SVC_KAFKA_KEY_FILE\|.*not contain a PEM private/,
  )
  t.match(refusal(files(`${folder}/text`, one.key)), /^SVC_KAFKA_CERT_FILE\|.*not contain a PEM certificate/)
  t.match(refusal(files(one.certificate, old.key)), /^SVC_KAFKA_KEY_FILE\|.*is not the key of .*one\.pem/)
  t.match(refusal(files(old.certificate, old.key)), /^SVC_KAFKA_CERT_FILE\|.*which expired at 20/)
  const noTls = { ...files(one.certificate, one.key), SVC_KAFKA_TLS: '' }
  t.match(refusal(noTls), /^SVC_KAFKA_CERT_FILE\|.*needs SVC_KAFKA_TLS=true/)
})

t.test("Kafka's certificates may be of a private authority", async (t) => {
  const certificate = rootCertificates[0] ?? ''
  const folder = t.testdir({ 'ca.pem': `${certificate}\n`, text: 'no certificate' })
  const file = (name: string) => ({
    SVC_KAFKA_BROKERS: 'a:1',
    SVC_KAFKA_TLS: 'true',
    SVC_KAFKA_CA_FILE: `${folder}/${name}`,
  })
  t.same(parseConfig(file('ca.pem')).kafka?.tls, { ca: certificate })
  t.match(refusal(file('text')), /^SVC_KAFKA_CA_FILE\|.*does not contain a PEM certificate/)
  t.match(refusal(file('missing')), /^SVC_KAFKA_CA_FILE\|.*cannot be read \(ENOENT\)/)
  t.match(refusal({ ...file('ca.pem'), SVC_KAFKA_TLS: '' }), /^SVC_KAFKA_CA_FILE\|.*SVC_KAFKA_TLS=true/)
})

t.test('variables that hold a password can be read from a file', async (t) => {
  const folder = t.testdir({
    postgres: 'postgres://svc:hunter2@h/d\n',
    clickhouse: 'http://svc:hunter2@h:8123/d',
    secret: `${SECRET}\r\n`,
    kafka: 'hunter2\n',
    empty: '\n',
  })
  const files = {
    SVC_POSTGRES_URL_FILE: `${folder}/postgres`,
    SVC_CLICKHOUSE_URL_FILE: `${folder}/clickhouse`,
    SVC_SECRET_KEY_FILE: `${folder}/secret`,
    SVC_KAFKA_PASSWORD_FILE: `${folder}/kafka`,
  }
  t.match(parseConfig({ ...files, SVC_KAFKA_BROKERS: 'a:1', SVC_KAFKA_USERNAME: 'svc' }), {
    postgresUrl: 'postgres://svc:hunter2@h/d',
    clickhouseUrl: 'http://svc:hunter2@h:8123/d',
    secretKey: SECRET,
    kafka: { login: { password: 'hunter2' } },
  })
  t.match(
    refusal({ ...files, SVC_SECRET_KEY: SECRET }),
    /^SVC_SECRET_KEY_FILE\|.*SVC_SECRET_KEY too/,
    'one of them',
  )
  t.match(refusal({ SVC_POSTGRES_URL_FILE: `${folder}/none` }), /^SVC_POSTGRES_URL_FILE\|.*ENOENT/)
  t.match(refusal({ SVC_POSTGRES_URL_FILE: `${folder}/empty` }), /^SVC_POSTGRES_URL_FILE\|.*empty/)
  t.match(
    refusal({ SVC_POSTGRES_URL_FILE: `${folder}/kafka` }),
    /^SVC_POSTGRES_URL\|/,
    'checked as the value is',
  )
  t.notMatch(refusal({ SVC_POSTGRES_URL_FILE: `${folder}/kafka` }), /hunter2/)
  t.match(refusal({ SVC_HOST_FILE: `${folder}/kafka` }), /not a variable/)
})

t.test('only the ports of the stage that runs must differ', async (t) => {
  const environment = { SVC_INGEST_PORT: '8081', SVC_ADMIN_PORT: '9000' }
  t.throws(() => parseConfig(environment), /the same port as SVC_API_PORT/)
  t.equal(parseConfig(environment, 'ingest').ingestPort, 8081)
  t.throws(() => parseConfig({ ...environment, SVC_ADMIN_PORT: '8081' }, 'ingest'), ConfigError)
  t.equal(parseConfig({ SVC_ADMIN_PORT: '8081' }, 'consumers').adminPort, 8081)
})

t.test('a refusal never repeats a password', async (t) => {
  t.notMatch(refusal({ SVC_CLICKHOUSE_URL: 'ftp://user:hunter2@h' }), /hunter2/)
  t.notMatch(refusal({ SVC_SECRET_KEY: 'hunter2' }), /hunter2/)
})
