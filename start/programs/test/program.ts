import t from 'tap'
import { ClickHouseError } from '../../../clickhouse/port.js'
import { LogRegistrationError } from '../../../consumers/operations/register-log.js'
import { LogError, LogUnavailableError } from '../../../log/port.js'
import { serverError } from '../../../postgres/test/support/server-error.js'
import { TimeoutError } from '../../../runtime/concurrency/with-timeout.js'
import { parseConfig } from '../../../runtime/config.js'
import { errorMessage } from '../../../runtime/errors.js'
import { MigrationError } from '../../../runtime/migrations.js'
import { runProgram } from '../../lifecycle/program.js'
import { instanceOf } from '../../stores/log.js'

const config = parseConfig({ SVC_ADMIN_PORT: '0', SVC_LOG_LEVEL: 'silent' })
const refused = (): Error => Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })

t.test('a start waits for what can pass by itself, and stops at once at anything else', async (t) => {
  await t.rejects(
    runProgram(config, 'test', async (program) => {
      /** Outcome of a start if its first attempt fails with `error`. */
      const startAfter = async (error: unknown): Promise<string> => {
        let attempts = 0
        const attempt = () => (attempts++ === 0 ? Promise.reject(error) : Promise.resolve('started'))
        return program.waitFor('clickhouse', attempt).catch((thrown: unknown) => errorMessage(thrown))
      }
      for (const error of [
        refused(),
        serverError('57P03', 'the database system is starting up'),
        new ClickHouseError('unavailable', 'no answer'),
        new LogUnavailableError('no leader'),
        new LogRegistrationError('other_log_open', 'not drained'),
        new TimeoutError('Kafka: no answer in 500 ms'),
      ])
        t.equal(await startAfter(error), 'started', error.message)
      for (const error of [
        new ClickHouseError('query', 'syntax'),
        new ClickHouseError('closed', 'closed'),
        new LogError('layout', 'other counts'),
        new LogRegistrationError('drained', 'drained'),
        new MigrationError('newer'),
        new TypeError('a fault'),
        serverError('42P01', 'no such table'),
      ])
        t.equal(await startAfter(error), error.message)
      t.equal(await startAfter('text'), 'text')
      for (const error of [
        new ClickHouseError('denied', 'AUTHENTICATION_FAILED: svc'),
        new LogError('denied', 'Kafka refuses the login'),
        serverError('28P01', 'password authentication failed'),
        Object.assign(new Error('self-signed certificate'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }),
      ])
        t.equal(await startAfter(error), `ClickHouse cannot be used: ${error.message}`)
      throw new Error('the end of this test')
    }),
    /the end of this test/,
  )
})

t.test('a start waits for a bounded time, and then releases its resources', async (t) => {
  const undone: string[] = []
  let asked = 0
  const started = performance.now()
  await t.rejects(
    runProgram(
      config,
      'test',
      async (program) => {
        program.onStop('first', () => void undone.push('first'))
        program.onStop('failing', () => Promise.reject(new Error('does not stop')))
        program.onStop('last', () => void undone.push('last'))
        t.equal(
          await program.waitFor('clickhouse', async () =>
            asked++ < 2 ? Promise.reject(refused()) : 'there',
          ),
          'there',
        )
        await program.waitFor('postgres', () => Promise.reject(refused()))
        return ''
      },
      2_500,
    ),
    /^Postgres cannot be used after 2\.5 s: connect$/,
  )
  t.equal(asked, 3)
  t.ok(performance.now() - started >= 500)
  t.same(undone, ['last', 'first'], 'in reverse order, one that fails among them')
  await t.rejects(
    runProgram(config, 'test', (program) =>
      program.waitFor('log', () => Promise.reject(new LogRegistrationError('drained', 'drained'))),
    ),
    /^drained$/,
    'at once where waiting does not help',
  )
})

t.test('a starting program is alive, and readiness names the missing store', async (t) => {
  const ask = async (url: string) => {
    const response = await fetch(`${url}/readyz`)
    return { status: response.status, body: await response.json() }
  }
  await t.rejects(
    runProgram(config, 'test', async (program) => {
      const admin = await program.openAdmin()
      t.match(await ask(admin), { status: 503, body: { status: 'starting', down: [] } })
      let times = 0
      await program.waitFor('clickhouse', async () => {
        if (times++ === 0) throw refused()
        t.match(await ask(admin), { status: 503, body: { status: 'starting', down: ['clickhouse'] } })
        t.equal((await fetch(`${admin}/healthz`)).status, 200)
      })
      t.match(await ask(admin), { status: 503, body: { down: [] } })
      throw new Error('the end of this test')
    }),
    /the end of this test/,
  )
})

t.test('a gateway without a name gets one from its port', async (t) => {
  t.equal(instanceOf({ instance: 'eu-1', ingestPort: 8080 }), 'eu-1')
  t.match(instanceOf({ instance: undefined, ingestPort: 8080 }), /:8080$/)
  const free = { instance: undefined, ingestPort: 0 }
  t.not(instanceOf(free), instanceOf(free), 'on any free port it is another one each time')
})
