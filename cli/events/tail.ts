import type { Api } from '../client/api.js'
import type { Common, Context } from '../context.js'
import { CommandFailure, EXIT } from '../failure.js'
import { parseFilter } from '../funnels/filter.js'
import { cutTo, displayWidth, printable } from '../output.js'
import { type Look, paint } from '../render/look.js'
import type { StoredEvent } from './list.js'
import { passes } from './passes.js'

interface Options extends Common {
  readonly event?: string
  readonly person?: string
  readonly where?: string
  readonly lines?: number
  readonly follow: boolean
  readonly count?: number
  readonly timeout?: number
}

const PAGE = 100
const PAUSE_MS = 1_000
/** Of events that came in at once, more are not looked through in one turn: the next turn has its own newest ones. */
const MOST_PAGES = 50
/** Ids that are remembered, so that an event that is listed again is not shown again. */
const MEMORY = 20_000
const DEFAULT_LINES = 10

/** Shows events as they come in, oldest first, until ^C, `--count` or `--timeout`. */
export async function tailEvents(context: Context, options: Options): Promise<void> {
  const { terminal } = context
  const { count = Number.POSITIVE_INFINITY, timeout, follow } = options
  const wanted = wantedBy(options)
  const api = await context.api()
  const look = context.look()
  const interrupted = context.interrupted()
  const end = timeout === undefined ? Number.POSITIVE_INFINITY : context.now() + timeout * 1_000
  const seen = new Set<string>()
  let shown = 0
  const show = (events: readonly StoredEvent[]): void => {
    for (const event of events.filter(wanted)) {
      if (shown === count) return
      terminal.out(options.json ? `${JSON.stringify(event)}\n` : describeEvent(look, event))
      shown++
    }
  }
  try {
    show(await firstEvents(api, seen, options.lines ?? DEFAULT_LINES, wanted, interrupted))
    if (!follow) return
    if (terminal.watched && shown < count) terminal.err('Watching; ^C ends it.\n')
    // A reader that has seen enough (`svc events tail | head`) ends it too.
    while (shown < count && process.stdout.writable) {
      if (context.now() >= end)
        throw options.count === undefined
          ? new TimeOver()
          : new CommandFailure(
              EXIT.refused,
              `${shown} of ${count} events were seen in ${timeout} s`,
              'TIMEOUT',
            )
      await context.sleep(Math.min(PAUSE_MS, end - context.now()), interrupted)
      show(await newEvents(api, seen, interrupted))
    }
  } catch (error) {
    if (!interrupted.aborted && !(error instanceof TimeOver)) throw error
  }
}

class TimeOver extends Error {}

function wantedBy({ event, person, where }: Options): (stored: StoredEvent) => boolean {
  const filter = where === undefined ? undefined : parseFilter(where)
  return (stored) =>
    (event === undefined || stored.event === event) &&
    (person === undefined || stored.personId === person) &&
    (filter === undefined || passes(stored.properties, filter))
}

/** The newest events there are, oldest first: as many wanted ones as asked for, of the newest page. */
async function firstEvents(
  api: Api,
  seen: Set<string>,
  lines: number,
  wanted: (event: StoredEvent) => boolean,
  signal: AbortSignal,
): Promise<StoredEvent[]> {
  const found: StoredEvent[] = []
  for (let offset = 0; offset === 0 || (found.length < lines && offset < MOST_PAGES * PAGE); offset += PAGE) {
    const { body } = await api.call('listEvents', { query: { limit: PAGE, offset } }, signal)
    // Later pages repeat what moved down while this read.
    const fresh = body.data.filter(({ id }) => !seen.has(id))
    for (const { id } of body.data) seen.add(id)
    found.push(...fresh.filter(wanted))
    if (!body.pagination.hasMore) break
  }
  return found.slice(0, lines).reverse()
}

/** What has come in since the last turn, oldest first. */
async function newEvents(api: Api, seen: Set<string>, signal: AbortSignal): Promise<StoredEvent[]> {
  const found: StoredEvent[] = []
  for (let page = 0; page < MOST_PAGES; page++) {
    const { body } = await api.call('listEvents', { query: { limit: PAGE, offset: page * PAGE } }, signal)
    const fresh = body.data.filter(({ id }) => !seen.has(id))
    for (const { id } of fresh) seen.add(id)
    found.push(...fresh)
    if (fresh.length < body.data.length || !body.pagination.hasMore) break
  }
  for (const id of seen) {
    if (seen.size <= MEMORY) break
    seen.delete(id)
  }
  return found.reverse()
}

function describeEvent(look: Look, { receivedAt, event, personId, properties }: StoredEvent): string {
  const time = look.columns === undefined ? receivedAt : receivedAt.slice(11, 19)
  const said = printable(JSON.stringify(properties))
  const head = [time, printable(event), printable(personId)]
  const line = `${paint(look, 'dim', time)}  ${paint(look, 'cyan', head[1] ?? '')}  ${head[2]}`
  if (said === '{}') return `${line}\n`
  const room =
    look.columns === undefined ? Number.POSITIVE_INFINITY : look.columns - displayWidth(head.join('  ')) - 2
  return room < 8 ? `${line}\n` : `${line}  ${paint(look, 'dim', cutTo(said, room))}\n`
}
