import { HOUR_MS } from '../../domain/hour.js'
import { formatCount, pluralize } from '../../domain/text/format.js'
import type { Result } from '../client/api.js'
import { refusedError, usageError } from '../command-error.js'
import type { CommonOptions, Context } from '../context.js'
import { readText } from '../files/document.js'
import { printJson } from '../output.js'
import { printAnswer } from '../render/page.js'
import { figures, renderTable } from '../render/table.js'
import type { TerminalStyle } from '../render/terminal-style.js'
import { pollUntilDone } from '../wait.js'

/** How long missing events are waited for. */
const SETTLE_SECONDS = 300

type Ledger = Result<'getKeyLedger'>
type Hour = Ledger['hours'][number]

interface Options extends CommonOptions {
  readonly key: string
  readonly from?: string
  readonly to?: string
  readonly compare?: readonly string[]
}

/** Events by the start of an hour, as clients were told that they were accepted. */
type Confirmed = ReadonlyMap<string, number>

interface ComparedHour {
  readonly at: string
  readonly confirmed: number
  readonly accepted: number
}

/** Prints what became of a key's events, or compares it with what clients counted. */
export async function printLedger(context: Context, options: Options): Promise<void> {
  const { key, from, to, compare } = options
  if (compare !== undefined) return compareLedger(context, options, await readConfirmed(context, compare))
  const answer = await (await context.api()).call('getKeyLedger', { query: queryOf({ key, from, to }) })
  await printAnswer(context, options, answer, renderLedger)
}

/** Missing events may only wait: it looks again until those received before it began are counted. */
async function compareLedger(context: Context, options: Options, confirmed: Confirmed): Promise<void> {
  const { key, from, to, json } = options
  const query = queryOf({ key, ...rangeOf(confirmed), ...(from && { from }), ...(to && { to }) })
  const began = new Date(context.now()).toISOString()
  const api = await context.api()
  const ledger = await pollUntilDone(context, {
    what: 'comparing',
    timeoutSeconds: SETTLE_SECONDS,
    retryCommand: `svc ledger --key ${key}`,
    poll: async (signal) => (await api.call('getKeyLedger', { query }, signal)).body,
    isDone: (body) =>
      missingIn(compareHours(confirmed, body)) === 0 ||
      body.settledUntil === null ||
      body.settledUntil >= began,
    describe: settledLine,
  })
  const hours = compareHours(confirmed, ledger)
  if (json) printJson(context.terminal, { ...ledger, compared: { ...totalOf(hours), hours } })
  else context.terminal.out(renderComparison(context.style(), ledger, hours))
  const missing = missingIn(hours)
  if (missing > 0)
    throw refusedError(
      `${pluralize(missing, 'event')} that clients were told ${missing === 1 ? 'is' : 'are'} accepted did not arrive`,
      'EVENTS_MISSING',
      ['name the file of each client once, and the key that all of them use'],
    )
}

const queryOf = ({ key, from, to }: { key: string; from?: string | undefined; to?: string | undefined }) => ({
  key,
  ...(from === undefined ? {} : { from }),
  ...(to === undefined ? {} : { to }),
})

function totalOf(hours: readonly ComparedHour[]): Omit<ComparedHour, 'at'> {
  const sum = (figure: 'confirmed' | 'accepted') => hours.reduce((total, hour) => total + hour[figure], 0)
  return { confirmed: sum('confirmed'), accepted: sum('accepted') }
}

/** In all hours together: an event may be received in one hour and confirmed in the next. */
function missingIn(hours: readonly ComparedHour[]): number {
  const { confirmed, accepted } = totalOf(hours)
  return Math.max(0, confirmed - accepted)
}

async function readConfirmed(context: Context, files: readonly string[]): Promise<Confirmed> {
  const confirmed = new Map<string, number>()
  for (const file of files) {
    const hours = hoursOf(await readText(context, file))
    if (hours === undefined)
      throw usageError(`${file} has no acceptedByHour: write stats() of svc-events into it, as JSON`)
    for (const [at, events] of hours) confirmed.set(at, (confirmed.get(at) ?? 0) + events)
  }
  return confirmed
}

/** Undefined if the text is not the JSON of a client's counts. */
function hoursOf(text: string): [hour: string, events: number][] | undefined {
  try {
    const { acceptedByHour } = JSON.parse(text) as { acceptedByHour?: Record<string, unknown> }
    return Object.entries(acceptedByHour ?? fail()).map(([at, events]) => {
      const time = Date.parse(at)
      if (time % HOUR_MS !== 0 || typeof events !== 'number' || !(events >= 0)) fail()
      return [new Date(time).toISOString(), events]
    })
  } catch {
    return undefined
  }
}

function fail(): never {
  throw new TypeError('not the counts of a client')
}

/** An hour more on each side: an event is received before it is confirmed, and clocks differ. */
function rangeOf(confirmed: Confirmed): { readonly from?: string; readonly to?: string } {
  const times = [...confirmed.keys()].map((at) => Date.parse(at))
  if (times.length === 0) return {}
  return {
    from: new Date(Math.min(...times) - HOUR_MS).toISOString(),
    to: new Date(Math.max(...times) + 2 * HOUR_MS).toISOString(),
  }
}

/** The hours of the ledger's range in which clients or svc counted events. */
function compareHours(confirmed: Confirmed, { from, to, since, hours }: Ledger): ComparedHour[] {
  const accepted = new Map(hours.map((hour) => [hour.at, hour.accepted]))
  const first = since !== null && since > from ? since : from
  return [...new Set([...confirmed.keys(), ...accepted.keys()])]
    .filter((at) => at >= first && at < to)
    .sort()
    .map((at) => ({ at, confirmed: confirmed.get(at) ?? 0, accepted: accepted.get(at) ?? 0 }))
}

const hourText = (at: string): string => `${at.slice(0, 10)} ${at.slice(11, 16)}`

function renderLedger(style: TerminalStyle, ledger: Ledger): string {
  const { hours, total } = ledger
  if (hours.length === 0)
    return `No events between ${hourText(ledger.from)} and ${hourText(ledger.to)} UTC.\n`
  type Row = Omit<Hour, 'at' | 'settled'> & { readonly name: string }
  const rows: Row[] = [
    ...hours.map((hour) => ({ ...hour, name: hourText(hour.at) + (hour.settled ? '' : ' *') })),
    { ...total, name: 'total' },
  ]
  const column = (title: string, figure: keyof Ledger['total']) =>
    figures<Row>(title, (row) => formatCount(row[figure]))
  const table = renderTable(
    style,
    [
      { title: 'hour (UTC)', text: ({ name }) => name },
      column('accepted', 'accepted'),
      column('stored', 'stored'),
      column('duplicates', 'deduplicated'),
      column('dead letters', 'deadLettered'),
      column('erased', 'erased'),
    ],
    rows,
  )
  return [table, ...notes(ledger)].map((line) => (line.endsWith('\n') ? line : `${line}\n`)).join('')
}

function notes(ledger: Ledger): string[] {
  const { since, total, from } = ledger
  return [
    settledLine(ledger),
    ...(total.erasedOfAnyKey > 0
      ? [
          `${pluralize(total.erasedOfAnyKey, 'stored event')} of these hours were erased since; several keys sent events, and it is not known which sent those.`,
        ]
      : []),
    ...(since !== null && since > from
      ? [`Hours before ${hourText(since)} are not known: the ledger began there.`]
      : []),
  ]
}

function settledLine({ settledUntil, waiting, hours }: Ledger): string {
  const until =
    settledUntil === null
      ? 'No event log is in use'
      : `Everything received before ${hourText(settledUntil)}:${settledUntil.slice(17, 19)} is counted`
  const more =
    waiting === null || waiting === 0
      ? ''
      : `; ${pluralize(waiting, 'event')} of all keys ${waiting === 1 ? 'waits' : 'wait'} to be processed`
  return `${until}${more}.${hours.some(({ settled }) => !settled) ? ' Hours with * may grow.' : ''}`
}

function renderComparison(style: TerminalStyle, ledger: Ledger, hours: readonly ComparedHour[]): string {
  const table = renderTable(
    style,
    [
      { title: 'hour (UTC)', text: ({ at }) => (at === '' ? 'total' : hourText(at)) },
      figures<ComparedHour>('confirmed', ({ confirmed }) => formatCount(confirmed)),
      figures<ComparedHour>('accepted', ({ accepted }) => formatCount(accepted)),
      { title: '', text: differenceText },
    ],
    [...hours, { ...totalOf(hours), at: '' }],
  )
  return `${table}${notes(ledger).join('\n')}\n`
}

function differenceText({ confirmed, accepted }: ComparedHour): string {
  if (confirmed === accepted) return 'equal'
  return accepted > confirmed
    ? `${formatCount(accepted - confirmed)} more accepted`
    : `${formatCount(confirmed - accepted)} fewer accepted`
}
