import type { EventLog } from '../log/port.js'
import type { Sql } from '../postgres/driver/client.js'
import { withTimeout } from '../runtime/concurrency/with-timeout.js'
import { errorMessage } from '../runtime/errors.js'
import type { Check } from '../runtime/stage.js'
import type { Authenticator } from './admit/authenticate.js'

const CHECK_TIMEOUT_MS = 1_500

export async function checkLog(log: EventLog): Promise<Check> {
  try {
    await withTimeout(CHECK_TIMEOUT_MS, 'the log', log.ping())
    return { name: 'log', ok: true, message: '' }
  } catch (error) {
    return { name: 'log', ok: false, message: `the event log accepts no records: ${errorMessage(error)}` }
  }
}

/** Postgres is ready if it answers, or if recently seen keys are admitted without it. */
export async function checkPostgres(sql: Sql, authenticator: Authenticator): Promise<Check> {
  try {
    await withTimeout(CHECK_TIMEOUT_MS, 'Postgres', sql`select 1`)
    return { name: 'postgres', ok: true, message: '' }
  } catch (error) {
    if (authenticator.livesWithoutPostgres()) return { name: 'postgres', ok: true, message: '' }
    return { name: 'postgres', ok: false, message: `Postgres does not answer: ${errorMessage(error)}` }
  }
}
