import type { EventLog } from '../log/port.js'
import type { Sql, Transaction } from '../postgres/driver/client.js'
import { currentLog, type RegisteredLog } from '../postgres/tables/logs.js'
import { BackupError } from './manifest.js'

/** The log in use according to the database. @throws BackupError if no log is in use */
export async function currentLogOf(sql: Sql | Transaction): Promise<RegisteredLog> {
  const log = await currentLog(sql)
  if (log === undefined) throw new BackupError('the database knows no event log yet: start svc once')
  return log
}

/** Opens the copy of an embedded log. @throws BackupError if it is the copy of another one */
export async function openLogCopy(folder: string, expected: RegisteredLog): Promise<EventLog> {
  const { openEmbeddedLog } = await import('../log/embedded/log.js')
  const { partitions, identityPartitions } = expected
  const log = await openEmbeddedLog({ path: folder, partitions, identityPartitions })
  if (log.id === expected.id) return log
  await log.close()
  throw new BackupError(`the log is ${log.id}, and the database stores from ${expected.id}`)
}
