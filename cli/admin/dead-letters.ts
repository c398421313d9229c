import { type Command, Option } from 'commander'
import {
  findDeadLetter,
  LETTER_STATES,
  type LetterFilter,
  type LetterState,
  type LetterSummary,
  listDeadLetters,
} from '../../postgres/tables/dead-letter-list.js'
import { refusedError, usageError } from '../command-error.js'
import { type Moment, parseCount, parseId, parseMoment, parseSearch } from '../option-parsers.js'
import { printJson, printRecord, printTable, type Terminal } from '../output.js'
import { type DeadLetterContent, parseDeadLetter } from './dead-letter-content.js'
import { replayDeadLetters } from './replay-dead-letters.js'
import {
  type AdminContext,
  type AdminOptions,
  printFromDatabase,
  resolveWorkspace,
  withAdminDatabase,
} from './with-database.js'

interface FilterOptions extends AdminOptions {
  readonly reason?: string
  readonly since?: Moment
}

interface ListOptions extends FilterOptions {
  readonly state: LetterState
  readonly limit: number
  readonly offset: number
}

interface ReplayOptions extends FilterOptions {
  readonly all?: true
  readonly timeout: number
}

const MAX_LISTED = 1_000
/** Characters of a reason in the table; `show` prints all of it. */
const REASON_SHOWN = 100
const PAYLOAD_SHOWN = 64

export function addDeadLetterCommands(admin: Command, terminal: Terminal): void {
  const letters = admin
    .command('dead-letters')
    .description('events that could not be stored: look at them, and store them once the cause is gone')
  filtered(letters.command('list').description('list dead letters, those that failed last first'))
    .addOption(
      new Option('--state <state>', 'open: not stored yet; waiting: requested to be replayed')
        .choices(LETTER_STATES)
        .default('open'),
    )
    .option('--limit <n>', 'maximum number of dead letters', parseCount(1, MAX_LISTED), 50)
    .option('--offset <n>', 'dead letters to skip', parseCount(0, 2_000_000_000), 0)
    .option(
      '--json',
      'print { data: [{ id, reason, events, workspaceId, log: { id, partition, offset, index }, attempts, createdAt, failedAt, replayedAt, replayId }], pagination }',
    )
    .action((options: ListOptions) =>
      printFromDatabase(
        terminal,
        options,
        (context) => readPage(context, options),
        (page) => printPage(terminal, page),
      ),
    )
  letters
    .command('show')
    .description('show a dead letter: its reason, its place in the log, and the events in it')
    .argument('<id>', 'id of the letter', parseId)
    .option(
      '--json',
      'print what list has, { record, contents, links, unreadable }, and the payload in base64',
    )
    .action((id: string, options: AdminOptions) =>
      withAdminDatabase(terminal, (context) => show(context, id, options)),
    )
  filtered(
    letters
      .command('replay')
      .description('have the running svc store dead letters, each event once')
      .argument('[ids...]', 'ids of the letters', (id: string, before: string[] = []) => [
        ...before,
        parseId(id),
      ]),
  )
    .option('--all', 'all open letters, as far as the filters let them through')
    .option(
      '--timeout <seconds>',
      'how long to wait until they are stored; 0: do not wait',
      parseCount(0, 86_400),
      60,
    )
    .option(
      '--json',
      'print { id, state, letters, replayed, failed, eventsStored, eventsDuplicate, problem, requestedAt, startedAt, finishedAt }',
    )
    .addHelpText(
      'after',
      `
Letters keep the time of their receipt, and with it the month of their deduplication. A letter that fails again stays a dead letter, with its new reason.
The exit code is 0 if all were stored, and 1 if some failed again or the end did not come in time. The request stays either way.`,
    )
    .action(async (ids: readonly string[], options: ReplayOptions) => {
      const filters = [options.reason, options.since, options.workspace].some(
        (filter) => filter !== undefined,
      )
      if ((ids.length === 0) === (options.all === undefined) || (filters && options.all === undefined))
        throw usageError('name the letters by their ids, or take --all with or without filters')
      await withAdminDatabase(terminal, async (context) =>
        replayDeadLetters(
          context,
          ids.length > 0 ? { ids } : { filter: await filterOf(context, options) },
          options.timeout,
          options.json === true,
        ),
      )
    })
}

function filtered(command: Command): Command {
  return command
    .option('--reason <text>', 'only dead letters whose reason contains this text', parseSearch)
    .option('--since <time>', 'only what failed since a time, or so long ago: 2d, 12h, 90m', parseMoment)
    .option(
      '--workspace <id>',
      'only of this workspace (default: all, and dead letters without one)',
      parseId,
    )
}

async function filterOf(context: AdminContext, options: FilterOptions): Promise<LetterFilter> {
  const { reason, since, workspace } = options
  return {
    reason,
    since:
      since === undefined
        ? undefined
        : 'at' in since
          ? since.at
          : new Date(context.now.getTime() - since.agoMs),
    workspaceId: workspace === undefined ? undefined : await resolveWorkspace(context, workspace),
  }
}

async function readPage(context: AdminContext, options: ListOptions) {
  const { state, limit, offset } = options
  const filter = { ...(await filterOf(context, options)), state }
  const { letters, total } = await listDeadLetters(context.sql, filter, { limit, offset })
  const hasMore = offset + letters.length < total
  return { data: letters, pagination: { limit, offset, total, hasMore } }
}

function printPage(terminal: Terminal, { data, pagination }: Awaited<ReturnType<typeof readPage>>): void {
  printTable(
    terminal,
    ['id', 'failed', 'tries', 'events', 'workspace', 'log position', 'state', 'reason'],
    data.map((letter) => [
      letter.id,
      letter.failedAt,
      letter.attempts,
      letter.events,
      letter.workspaceId,
      placeOf(letter),
      stateOf(letter),
      shortened(letter.reason),
    ]),
  )
  const { offset, total } = pagination
  if (data.length < total)
    terminal.err(
      data.length === 0
        ? `There are ${total}, but none after ${offset}.\n`
        : `Letters ${offset + 1} to ${offset + data.length} of ${total}: see --limit and --offset.\n`,
    )
}

async function show({ terminal, sql }: AdminContext, id: string, options: AdminOptions): Promise<void> {
  const found = await findDeadLetter(sql, id)
  if (found === undefined)
    throw refusedError(
      `there is no dead letter ${id}: see svc admin dead-letters list`,
      'UNKNOWN_DEAD_LETTER',
    )
  const { payload, ...letter } = found
  const content = parseDeadLetter(payload)
  if (options.json) {
    printJson(terminal, { ...letter, ...content, payload: Buffer.from(payload).toString('base64') })
    return
  }
  printRecord(terminal, {
    id: letter.id,
    reason: letter.reason,
    state: stateOf(letter),
    tries: letter.attempts,
    'first failed': exact(letter.createdAt),
    'last failed': exact(letter.failedAt),
    replayed: exact(letter.replayedAt),
    log: letter.log.id,
    partition: letter.log.partition,
    offset: letter.log.offset,
    'index in the record': letter.log.index ?? 'all of it',
    workspace: content.record?.workspaceId ?? letter.workspaceId,
    key: content.record?.keyId ?? null,
    received: exact(content.record?.receivedAt ?? null),
    sent: exact(content.record?.sentAt ?? null),
    events: letter.events,
    bytes: payload.length,
  })
  if (content.unreadable !== null) {
    const start = Buffer.from(payload.subarray(0, PAYLOAD_SHOWN)).toString('hex')
    terminal.out('\n')
    printRecord(terminal, {
      unreadable: content.unreadable,
      payload: payload.length > PAYLOAD_SHOWN ? `${start}… (--json has all of it)` : start,
    })
  }
  printContents(terminal, content)
}

function printContents(terminal: Terminal, { contents, links }: DeadLetterContent): void {
  for (const event of contents) {
    if (event === null) continue
    const { index, properties, timestamp, ...fields } = event
    terminal.out('\n')
    printRecord(terminal, {
      ...fields,
      timestamp: exact(timestamp),
      properties: JSON.stringify(properties),
      'index in the request': index,
    })
  }
  for (const link of links) {
    terminal.out('\n')
    printRecord(terminal, { ...link })
  }
}

function placeOf({ log }: LetterSummary): string {
  return `${log.partition}:${log.offset}${log.index === null ? '' : `:${log.index}`}`
}

function stateOf({ replayedAt, replayId }: LetterSummary): string {
  if (replayedAt !== null) return 'replayed'
  return replayId === null ? 'open' : 'waiting'
}

function shortened(reason: string): string {
  const units = Array.from(reason)
  return units.length <= REASON_SHOWN ? reason : `${units.slice(0, REASON_SHOWN - 1).join('')}…`
}

function exact(date: Date | null): string | null {
  return date === null ? null : date.toISOString()
}
