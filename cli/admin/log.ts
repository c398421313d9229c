import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import { abandonLog } from '../../backup/abandon-log.js'
import { pluralize } from '../../domain/text/format.js'
import { closeLog, type LogSummary, listLogs, reopenLog } from '../../postgres/tables/logs.js'
import { refusedError } from '../command-error.js'
import { parseCount, parseId } from '../option-parsers.js'
import { printJson, printRecord, printTable, type Terminal } from '../output.js'
import {
  type AdminContext,
  type AdminOptions,
  auditInAll,
  printFromDatabase,
  withAdminDatabase,
} from './with-database.js'

const POLL_MS = 200

const FIELDS =
  '{ id, state, partitions, identityPartitions, events: { stored, duplicates, deadLetters }, writers, problem, createdAt, closingAt, drainedAt }'

interface DrainOptions extends AdminOptions {
  readonly timeout: number
}

export function addLogCommands(admin: Command, terminal: Terminal): void {
  const log = admin
    .command('log')
    .description('the event log: bring it to its end before another one begins, so that no event is lost')
  log
    .command('list')
    .description('list the event logs of this installation, the current one last')
    .option('--json', `print { data: [${FIELDS}] }`)
    .action((options: AdminOptions) =>
      printFromDatabase(
        terminal,
        options,
        async ({ sql }) => ({ data: await listLogs(sql) }),
        ({ data }) => printLogs(terminal, data),
      ),
    )
  log
    .command('drain')
    .description('accept nothing more, and wait until everything accepted is stored')
    .option(
      '--timeout <seconds>',
      'how long to wait until it is drained; 0: do not wait',
      parseCount(0, 86_400),
      300,
    )
    .option('--json', `print ${FIELDS}`)
    .addHelpText(
      'after',
      `
Gateways answer 503 from here on, until they are started with the next log or this one is opened again (svc admin log reopen). Consumers must run: they
store what is left. The exit code is 0 if the log is drained, and 1 if that took longer than the timeout. The drain continues either way.`,
    )
    .action((options: DrainOptions) => withAdminDatabase(terminal, (context) => drain(context, options)))
  log
    .command('reopen')
    .description('cancel a drain that has not finished')
    .option('--json', `print ${FIELDS}`)
    .action((options: AdminOptions) =>
      printFromDatabase(terminal, options, reopen, (reopened) => printLog(terminal, reopened)),
    )
  log
    .command('abandon')
    .description('give up a log whose records are lost, so that another one may begin')
    .argument('<id>', 'the log, as svc admin log list shows it', parseId)
    .option('--json', `print ${FIELDS}`)
    .addHelpText(
      'after',
      '\nFor a restore without the old Kafka. What waited in the log is gone unless clients send it again.',
    )
    .action((id: string, options: AdminOptions) =>
      printFromDatabase(
        terminal,
        options,
        (context) => abandon(context, id),
        (abandoned) => printLog(terminal, abandoned),
      ),
    )
}

function printLogs(terminal: Terminal, logs: readonly LogSummary[]): void {
  printTable(
    terminal,
    ['id', 'state', 'partitions', 'identity', 'stored', 'gateways', 'since', 'waits for'],
    logs.map((log) => [
      log.id,
      log.state,
      log.partitions,
      log.identityPartitions,
      log.events.stored,
      log.writers,
      log.drainedAt ?? log.closingAt ?? log.createdAt,
      log.problem,
    ]),
  )
}

async function drain(context: AdminContext, options: DrainOptions): Promise<void> {
  const { terminal, sql, startedHere } = context
  const last = await currentLog(sql)
  await sql.begin(async (tx) => {
    if (await closeLog(tx, last.id))
      await auditInAll(tx, context.now, {
        action: 'log.drain',
        resourceId: last.id,
        summary: 'Asked for the end of the event log',
      })
  })
  if (startedHere)
    throw refusedError(
      'svc is not running: start it with the configuration it had, and it drains the log; then repeat this command',
      'NOT_DRAINED',
    )
  const log = await untilDrained(context, last, options.timeout)
  if (options.json) printJson(terminal, log)
  else printLog(terminal, log)
  if (log.state !== 'drained')
    throw refusedError(
      options.timeout === 0
        ? 'the drain was requested: follow it with svc admin log list'
        : `not drained after ${options.timeout} s: ${log.problem ?? 'no consumer has looked at it'}`,
      'NOT_DRAINED',
    )
}

async function untilDrained(
  { terminal, sql }: AdminContext,
  { id }: LogSummary,
  seconds: number,
): Promise<LogSummary> {
  const end = performance.now() + seconds * 1_000
  let said: string | null = null
  for (;;) {
    const log = (await listLogs(sql)).find((one) => one.id === id)
    if (log === undefined) throw new Error(`the log ${id} has vanished from the database`)
    if (log.state === 'drained' || performance.now() >= end) return log
    if (log.problem !== said && log.problem !== null) terminal.err(`waiting: ${log.problem}\n`)
    said = log.problem
    await delay(POLL_MS)
  }
}

async function abandon({ sql, now }: AdminContext, id: string): Promise<LogSummary> {
  const log = await currentLog(sql)
  if (log.id !== id)
    throw refusedError(`the log in use is ${log.id}, not ${id}: see svc admin log list`, 'UNKNOWN_LOG')
  if (log.writers > 0)
    throw refusedError(
      `${pluralize(log.writers, 'gateway')} may still append to it: stop all stages, and wait for 75 seconds after a kill`,
      'LOG_IN_USE',
    )
  await sql.begin(async (tx) => {
    if (await abandonLog(tx, id))
      await auditInAll(tx, now, { action: 'log.abandon', resourceId: id, summary: 'Gave up the event log' })
  })
  return currentLog(sql)
}

async function reopen({ sql, now }: AdminContext): Promise<LogSummary> {
  const log = await currentLog(sql)
  const reopened = await sql.begin(async (tx) => {
    if (log.state !== 'closing' || !(await reopenLog(tx, log.id))) return log.state === 'open'
    await auditInAll(tx, now, {
      action: 'log.reopen',
      resourceId: log.id,
      summary: 'Opened the event log again',
    })
    return true
  })
  if (!reopened)
    throw refusedError(
      `the log ${log.id} is drained and cannot be reopened: start svc with a new log`,
      'LOG_DRAINED',
    )
  return currentLog(sql)
}

async function currentLog(sql: AdminContext['sql']): Promise<LogSummary> {
  const log = (await listLogs(sql)).at(-1)
  if (log === undefined)
    throw refusedError('there is no log yet: the first start of svc creates one', 'UNKNOWN_LOG')
  return log
}

function printLog(terminal: Terminal, log: LogSummary): void {
  printRecord(terminal, {
    id: log.id,
    state: log.state,
    partitions: log.partitions,
    'identity partitions': log.identityPartitions,
    'events stored': log.events.stored,
    duplicates: log.events.duplicates,
    'dead letters': log.events.deadLetters,
    gateways: log.writers,
    'waits for': log.problem,
  })
}
