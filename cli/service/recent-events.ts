import { isPlaceholderId } from '../../domain/person.js'
import { formatCount, pluralize } from '../../domain/text/format.js'
import type { Result } from '../client/api.js'
import { CommandError } from '../command-error.js'
import type { Context } from '../context.js'
import { type CheckResult, passed } from '../render/checks.js'

type Event = Result<'listEvents'>['data'][number]
type Problem = Result<'listIngestProblems'>['data'][number]

const PAGES = 5
const PAGE_LENGTH = 100
/** Of the names that a line lists. */
const MAX_NAMES = 3

/** Found in stored events. A number that is beyond the exact ones may have been another. */
const SUSPICIONS: readonly {
  readonly found: (event: Event) => boolean
  readonly what: string
  readonly fix: string
}[] = [
  {
    found: ({ userId, anonymousId }) => isPlaceholderId(userId ?? '') || isPlaceholderId(anonymousId ?? ''),
    what: 'a placeholder such as "undefined" as an id',
    fix: 'leave out an id that is not known',
  },
  {
    found: ({ timestampAdjustment }) => timestampAdjustment === 'clamped_past',
    what: 'a time more than seven days old, which was moved',
    fix: 'send sooner, or import history with svc admin events import',
  },
  {
    found: ({ timestampAdjustment }) => timestampAdjustment === 'clamped_future',
    what: 'a time more than an hour ahead, which was moved',
    fix: 'send sentAt, or correct the clock',
  },
  {
    found: ({ properties }) => hasInexactNumber(properties),
    what: 'a number that was probably rounded',
    fix: 'send ids as texts',
  },
]

/** Tells, without failing, what is probably not meant in the newest events, and what was refused. */
export async function checkRecentEvents(context: Context): Promise<CheckResult[]> {
  const [events, refused, warned] = [
    await newestEvents(context),
    await problems(context, 'refused'),
    await problems(context, 'warned'),
  ]
  const checks = SUSPICIONS.flatMap(({ found, what, fix }) => {
    const names = events.filter(found).map(({ event }) => event)
    return names.length === 0
      ? []
      : [`Of the newest ${formatCount(events.length)}, ${listNames(names)} had ${what}: ${fix}`]
  })
  const unknown = warned.filter(({ code }) => code === 'UNKNOWN_FIELD')
  if (unknown.length > 0)
    checks.push(
      `Ignored fields, as clients that asked for warnings were told: ${unknown.slice(0, MAX_NAMES).map(describeField).join(', ')}. Put them into properties, or correct the names`,
    )
  const results = checks.map((message) => passed('recent_events', message))
  const [newest] = refused
  if (newest === undefined) return results
  const total = refused.reduce((sum, { times }) => sum + times, 0)
  const message = `${formatCount(total)} or more in the last seven days. The newest, of ${newest.eventName ?? 'no readable event'}: ${newest.message}. svc events refused lists them`
  return [...results, passed('refused_events', message)]
}

async function newestEvents(context: Context): Promise<readonly Event[]> {
  const api = await context.api()
  const events: Event[] = []
  let cursor: string | undefined
  for (let page = 0; page < PAGES; page++) {
    const query = { limit: PAGE_LENGTH, ...(cursor === undefined ? {} : { cursor }) }
    const { body } = await api.call('listEvents', { query })
    events.push(...body.data)
    if (body.cursor == null) break
    cursor = body.cursor
  }
  return events
}

/** Empty for a service of an earlier version, which does not keep them. */
async function problems(context: Context, outcome: Problem['outcome']): Promise<readonly Problem[]> {
  try {
    const query = { outcome, limit: PAGE_LENGTH }
    return (await (await context.api()).call('listIngestProblems', { query })).body.data
  } catch (error) {
    if (error instanceof CommandError) return []
    throw error
  }
}

/** The events of each name, most frequent first: `3 order_paid and 1 signed_up`. */
function listNames(names: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  const sorted = [...counts].sort(([, a], [, b]) => b - a)
  const shown = sorted.slice(0, MAX_NAMES).map(([name, count]) => `${formatCount(count)} ${name}`)
  if (sorted.length > MAX_NAMES) shown.push(pluralize(sorted.length - MAX_NAMES, 'other name'))
  return shown.join(', ')
}

function describeField({ field, eventName, times }: Problem): string {
  const name = (field ?? '').replace(/^events\[\d+\]\./, '')
  return `${name}${eventName === null ? '' : ` of ${eventName}`} (at least ${pluralize(times, 'time')})`
}

function hasInexactNumber(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value)
  return typeof value === 'object' && value !== null && Object.values(value).some(hasInexactNumber)
}
