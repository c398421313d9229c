import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import { closeLog, type LogSummary, listLogs, reopenLog } from '../../postgres/tables/logs.js'
import { refusedError } from '../command-error.js'
import { parseCount } from '../option-parsers.js'
import { printJson, printRecord, printTable, type Terminal } from '../output.js'
import { type AdminContext, withAdminDatabase } from './with-database.js'

const POLL_MS = 200

const FIELDS =
  '{ id, state, partitions, identityPartitions, events: { stored, duplicates, deadLetters }, writers, problem, createdAt, closingAt, drainedAt }'

interface DrainOptions {
  readonly timeout: number
  readonly json?: true
}

export function addLogCommands(admin: Command, terminal: Terminal): void {
  const log = admin
    .command('log')
    .description('the event log: bring it to its end before another one begins, so that no event is lost')
  log
    .command('list')
    .description('list the event logs of this installation, the current one last')
    .option('--json', `print { data: [${FIELDS}] }`)
    .action((options: { readonly json?: true }) =>
      withAdminDatabase(terminal, (context) => list(context, options)),
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
    .action((options: { readonly json?: true }) =>
      withAdminDatabase(terminal, (context) => reopen(context, options)),
    )
}

async function list({ terminal, sql }: AdminContext, options: { readonly json?: true }): Promise<void> {
  const logs = await listLogs(sql)
  if (options.json) {
    printJson(terminal, { data: logs })
    return
  }
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
  const last = (await listLogs(sql)).at(-1)
  if (last === undefined)
    throw refusedError('there is no log yet: the first start of svc creates one', 'UNKNOWN_LOG')
  await closeLog(sql, last.id)
  if (startedHere)
    throw refusedError(
      'svc is not running: start it with the configuration it had, and it drains the log; then repeat this command',
      'NOT_DRAINED',
    )
  const log = await untilDrained(context, last, options.timeout)
  if (options.json) printJson(terminal, log)
  else show(terminal, log)
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
  log: LogSummary,
  seconds: number,
): Promise<LogSummary> {
  const end = performance.now() + seconds * 1_000
  let said: string | null = null
  for (;;) {
    const now = await find(sql, log.id)
    if (now.state === 'drained' || performance.now() >= end) return now
    if (now.problem !== said && now.problem !== null) terminal.err(`waiting: ${now.problem}\n`)
    said = now.problem
    await delay(POLL_MS)
  }
}

async function reopen(context: AdminContext, options: { readonly json?: true }): Promise<void> {
  const { terminal, sql } = context
  const closing = (await listLogs(sql)).at(-1)
  if (closing?.state === 'drained' || closing === undefined || !(await reopenLog(sql, closing.id)))
    throw refusedError(
      closing === undefined
        ? 'there is no log yet: the first start of svc creates one'
        : `the log ${closing.id} is drained and cannot be reopened: start svc with a new log`,
      'LOG_DRAINED',
    )
  const log = await find(sql, closing.id)
  if (options.json) printJson(terminal, log)
  else show(terminal, log)
}

async function find(sql: AdminContext['sql'], id: string): Promise<LogSummary> {
  const log = (await listLogs(sql)).find((one) => one.id === id)
  if (log === undefined) throw new Error(`the log ${id} has vanished from the database`)
  return log
}

function show(terminal: Terminal, log: LogSummary): void {
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
