import type { EventLog } from '../../log/port.js'
import type { Sql } from '../../postgres/driver/client.js'
import { insertLog, lockForRegistration } from '../../postgres/tables/logs.js'
import { type ErrorTable, ServiceError } from '../../runtime/errors.js'

/** Why a log cannot be registered. */
export const LOG_REGISTRATION_ERRORS = {
  /** The log is drained. Nothing may follow in it. */
  drained: { retryable: false },
  /** Another log is registered and not drained. It may be drained while this program retries. */
  other_log_open: { retryable: true },
  /** The log has other partition counts than those registered for it. */
  layout: { retryable: false },
} as const satisfies ErrorTable

export class LogRegistrationError extends ServiceError<keyof typeof LOG_REGISTRATION_ERRORS> {
  constructor(code: keyof typeof LOG_REGISTRATION_ERRORS, message: string) {
    super(message, { code, ...LOG_REGISTRATION_ERRORS[code] })
  }
}

/**
 * Registers a log in the database before anything is appended to it or read from it. A log keeps its
 * partition counts for life, and the next log starts only after this one is drained, because rows carry the
 * log's id and deduplication needs all of them stored.
 *
 * @throws LogRegistrationError whose message names what to do
 */
export async function registerLog(
  sql: Sql,
  log: Pick<EventLog, 'id' | 'partitions' | 'identityPartitions'>,
): Promise<void> {
  await sql.begin(async (tx) => {
    const rows = await lockForRegistration(tx, log.id)
    const known = rows.find((row) => row.id === log.id)
    if (known?.drained === true)
      throw new LogRegistrationError(
        'drained',
        `the event log ${log.id} is drained, and nothing may follow in it: begin a new one, with another SVC_KAFKA_TOPIC_PREFIX on Kafka, or by moving the folder \`log\` out of the data directory`,
      )
    const other = rows.find((row) => row.id !== log.id)
    if (other !== undefined)
      throw new LogRegistrationError(
        'other_log_open',
        `the event log ${log.id} is not the one this database knows (${other.id}), which is not drained: start with that log, or drain it first (\`svc admin log drain\`)`,
      )
    if (known === undefined) {
      await insertLog(tx, log)
      return
    }
    if (known.partitions !== log.partitions || known.identityPartitions !== log.identityPartitions)
      throw new LogRegistrationError(
        'layout',
        `the event log ${log.id} has ${known.partitions} partitions and ${known.identityPartitions} for identity, not ${log.partitions} and ${log.identityPartitions}: a log keeps its counts for life, because equal insertIds must meet in one partition`,
      )
  })
}
