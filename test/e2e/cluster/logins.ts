import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { svc } from '../../../cli/test/support/run.js'
import { certificatesProblem, makeCertificate, makeCertificates } from '../../support/cluster/certificates.js'
import { runStage } from '../../support/cluster/run-stage.js'
import { type Cluster, startCluster } from '../../support/cluster.js'
import { permit } from '../../support/kafka/secure.js'
import { kafkaProblem } from '../../support/kafka.js'
import { freePort } from '../../support/network/free-port.js'
import { untilMissing } from '../../support/outage/stage-readiness.js'
import { call, temporaryDataDir, until } from '../../support/service.js'
import { Traffic } from '../../support/traffic.js'

/*
 * Kafka with the tokens of a program, and with client certificates. Tokens live for so short a time that each
 * connection has to log in again with a new one.
 */

const TOKEN_SECONDS = 20
/** Of the gateway and the consumers together. */
const RENEWALS = 4
const LIMIT_S = 120

/** Prints a token as the file beside it says, and adds a line to `runs`. */
const PROGRAM = `
import { appendFileSync, readFileSync } from 'node:fs'
const [folder] = process.argv.slice(2)
const { user, fail } = JSON.parse(readFileSync(folder + '/issuer.json', 'utf8'))
const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url')
const now = Date.now() / 1000
const token = part({ alg: 'none' }) + '.' + part({ sub: user, iat: now, exp: now + ${TOKEN_SECONDS} }) + '.'
appendFileSync(folder + '/runs', token + '\\n')
if (process.env.SVC_SECRET_KEY !== undefined) throw new Error('it has the secrets of svc')
if (fail) console.error('the issuer is away, the last token was ' + token)
else console.log(token)
process.exitCode = fail ? 3 : 0
`

const skip = kafkaProblem() ?? certificatesProblem() ?? false

t.test(
  'separate stages log in to Kafka by tokens and certificates',
  { timeout: 600_000, skip },
  async (t) => {
    const data = temporaryDataDir()
    t.teardown(() => data.remove())
    const made = makeCertificates(data.path)
    const program = join(data.path, 'token.mjs')
    writeFileSync(program, PROGRAM)
    const issuer = (state: { readonly user: string; readonly fail?: boolean }): void =>
      writeFileSync(join(data.path, 'issuer.json'), JSON.stringify(state))
    const tokens = (): string[] => readFileSync(join(data.path, 'runs'), 'utf8').trim().split('\n')
    issuer({ user: 'svc' })
    const trust = { SVC_KAFKA_TLS: 'true', SVC_KAFKA_CA_FILE: made.ca }
    const login = {
      ...trust,
      SVC_KAFKA_MECHANISM: 'oauthbearer',
      SVC_KAFKA_TOKEN_COMMAND: `${process.execPath} ${program} ${data.path}`,
    }
    const cluster = await startCluster({
      brokers: 1,
      // The brokers close a connection whose token has expired.
      secure: { keystore: made.keystore, users: {}, reauthenticateMs: 3_600_000, clientCa: made.ca },
      dataDir: data.path,
      env: login,
      gateways: 0,
      consumers: 0,
      apis: 0,
    })
    t.teardown(() => cluster.close())
    await permit(cluster.kafka.brokers, 'svc', 'svc')

    await t.test('tokens are renewed, and a failing program shows in readiness', async (t) => {
      const admin = await freePort()
      const [gateway, , api] = await Promise.all([
        cluster.add('ingest', { SVC_ADMIN_PORT: String(admin) }),
        cluster.add('consumers'),
        cluster.add('api'),
      ])
      const target = { api: api.url ?? '', ingest: gateway.url ?? '', keys: cluster.keys }
      const traffic = new Traffic(target, { clients: 4, events: 5, pauseMs: 200 })
      t.ok(await traffic.sees(202, LIMIT_S), 'events are taken')
      const before = tokens().length
      const renewed = await until(
        async () => tokens().length - before,
        (runs) => runs >= RENEWALS,
        LIMIT_S,
      )
      t.ok(renewed >= RENEWALS, 'gateway and consumers have got tokens again')
      t.ok(await traffic.sees(202, LIMIT_S), 'events are taken with the renewed ones')
      t.notMatch(gateway.everything(), /SASL|token/, 'no login has failed')

      issuer({ user: 'svc', fail: true })
      t.equal(await untilMissing(`http://127.0.0.1:${admin}`, 'log', LIMIT_S), 'log')
      const url = `http://127.0.0.1:${admin}/readyz`
      const reason = /program of SVC_KAFKA_TOKEN_COMMAND failed with 3: the issuer is away, .* \[token\]/
      const answer = await until(
        async () => JSON.stringify((await call(undefined, 'GET', url)).body),
        (body) => reason.test(body),
        LIMIT_S,
      )
      t.match(answer, reason)
      issuer({ user: 'svc' })
      t.equal(await untilMissing(`http://127.0.0.1:${admin}`, 'ready', LIMIT_S), 'ready')
      t.ok(await traffic.sees(202, LIMIT_S), 'events are taken again')

      await traffic.stop()
      const { problems, stored } = await traffic.verify()
      t.same(problems, [])
      t.equal(stored, traffic.acknowledged)
      for (const stage of cluster.stages()) {
        const output = stage.everything()
        t.notOk(
          tokens().some((token) => output.includes(token)),
          `${stage.name} logs no token`,
        )
      }
      const listed = await svc(['admin', 'log', 'list', '--json'], cluster.environment)
      t.equal(listed.code, 0, listed.err)
    })

    await t.test('a login that cannot work ends the start with one line', async (t) => {
      const of = (script: string): Record<string, string> => {
        const file = join(data.path, `${script.length}.sh`)
        writeFileSync(file, script)
        return { SVC_KAFKA_TOKEN_COMMAND: `sh ${file}` }
      }
      await Promise.all([
        refused(t, cluster, { SVC_KAFKA_TOKEN_COMMAND: '/no/such file' }, /started: \/no\/such \(ENOENT\)/),
        refused(t, cluster, of('exit 0'), /SVC_KAFKA_TOKEN_COMMAND printed nothing/),
        refused(
          t,
          cluster,
          of('echo not.our.token'),
          /refuses the token \(SVC_KAFKA_TOKEN_COMMAND\).*invalid/,
        ),
      ])
      issuer({ user: 'stranger' })
      await refused(t, cluster, {}, /does not let this user do what the log needs/)
      issuer({ user: 'svc' })
    })

    await t.test('client certificates log in, and a refused or missing one ends the start', async (t) => {
      const file = (options: Parameters<typeof makeCertificate>[1]): Record<string, string> => {
        const { certificate, key } = makeCertificate(data.path, options)
        return { SVC_KAFKA_CERT_FILE: certificate, SVC_KAFKA_KEY_FILE: key }
      }
      const own = file({ name: 'client', subject: 'svc' })
      const mutual = {
        SVC_KAFKA_BROKERS: cluster.kafka.mutualBrokers,
        SVC_KAFKA_MECHANISM: '',
        SVC_KAFKA_TOKEN_COMMAND: '',
      }
      const [gateway] = await Promise.all([
        cluster.add('ingest', { ...mutual, ...own }),
        cluster.add('consumers', { ...mutual, ...own }),
      ])
      const api = cluster.stages('api')[0]?.url ?? ''
      const target = { api, ingest: gateway.url ?? '', keys: cluster.keys }
      const traffic = new Traffic(target, { clients: 2, events: 5, pauseMs: 200, name: 'mutual' })
      t.ok(await traffic.sees(202, LIMIT_S), 'events are taken')
      await traffic.stop()
      const { problems, stored } = await traffic.verify()
      t.same(problems, [])
      t.equal(stored, traffic.acknowledged)

      const wanted = /refuses the certificate of svc, or wants one \(SVC_KAFKA_CERT_FILE\)/
      const strange = file({ name: 'strange', subject: 'svc', ca: 'strange-ca' })
      const stranger = file({ name: 'stranger', subject: 'stranger' })
      const expired = file({ name: 'expired', subject: 'svc', days: 0 })
      await refused(t, cluster, { ...mutual, ...stranger }, /does not let this user do/)
      await Promise.all([
        refused(t, cluster, mutual, wanted),
        refused(t, cluster, { ...mutual, ...strange }, wanted),
        refused(t, cluster, { ...mutual, ...expired }, /SVC_KAFKA_CERT_FILE names .*, which expired at/, 2),
      ])
    })
  },
)

async function refused(
  t: Test,
  cluster: Cluster,
  env: Readonly<Record<string, string>>,
  line: RegExp,
  exitCode = 1,
): Promise<void> {
  const { code, err } = await runStage('ingest', {
    ...cluster.environment,
    SVC_LOG_LEVEL: 'silent',
    ...env,
  })
  t.equal(code, exitCode, String(line))
  t.match(err, line)
  t.equal(err.trim().split('\n').length, 1, err)
}
