import { randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { pino } from 'pino'
import t from 'tap'
import type { Sql } from '../../driver/client.js'
import { CredentialCache, CredentialsUnavailableError } from '../credential-cache.js'

/** A Postgres that knows no key; each statement waits until `answer` is called. */
function silentPostgres() {
  const waiting: (() => void)[] = []
  let statements = 0
  const sql = (() => {
    statements++
    return new Promise<readonly unknown[]>((resolve) => waiting.push(() => resolve([])))
  }) as unknown as Sql
  return {
    sql,
    statements: () => statements,
    answer: () => {
      for (const resolve of waiting.splice(0)) resolve()
    },
  }
}

t.test('unknown keys share statements, and more than 256 at once are refused', async (t) => {
  const { sql, statements, answer } = silentPostgres()
  const cache = new CredentialCache({
    sql,
    logger: pino({ level: 'silent' }),
    clock: () => 0,
    now: () => 0,
    name: 'test',
    refreshMs: 0,
    unknownTtlMs: 1_500,
    lookUpTimeoutMs: 10_000,
    maxStaleMs: 60_000,
    derive: (credential) => credential,
  })
  t.teardown(() => cache.stop())
  const look = async (count: number) => {
    const keys = Array.from({ length: count }, () => randomBytes(32))
    return Promise.all(
      keys.map((hash) =>
        Promise.resolve(cache.find(hash, hash.toString('hex'))).then(
          () => 'unknown',
          (error: unknown) => (error instanceof CredentialsUnavailableError ? 'refused' : 'failed'),
        ),
      ),
    )
  }
  const first = look(400)
  // The batch goes out at the end of this turn of the event loop, a second one would follow in the next.
  for (let turn = 0; turn < 3; turn++) await setImmediate()
  t.equal(statements(), 1, 'one statement for all of a turn')
  answer()
  const outcomes = await first
  t.equal(outcomes.filter((outcome) => outcome === 'unknown').length, 256)
  t.equal(outcomes.filter((outcome) => outcome === 'refused').length, 144)
})
