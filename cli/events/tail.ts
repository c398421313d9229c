import type { Api } from '../client/api.js'
import type { Common, Context } from '../context.js'
import { CommandFailure, EXIT } from '../failure.js'
import { parseFilter } from '../funnels/filter.js'
import { cutTo, displayWidth, printable } from '../output.js'
import { type Look, paint } from '../render/look.js'
import { followEvents } from './follow.js'
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
/** Where no stream is to be had: of events that came in at once, more are not looked through in one turn, and the next turn has its own newest ones. */
const MAX_PAGES = 50
/** Ids that are remembered, so that an event that is listed again is not shown again. */
const MEMORY = 20_000
const DEFAULT_LINES = 10

/** Shows events as they come in, oldest first, until ^C, `--count` or `--timeout`. */
export async function tailEvents(context: Context, options: Options): Promise<void> {
  const { terminal } = context
  const { count = Number.POSITIVE_INFINITY, timeout } = options
  const wanted = wantedBy(options)
  const api = await context.api()
  const look = context.look()
  const over = new AbortController()
  const seen = new Set<string>()
  let shown = 0
  const show = (event: StoredEvent, asItCame = JSON.stringify(event)): void => {
    if (shown === count || !wanted(event)) return
    terminal.out(options.json ? `${asItCame}\n` : describeEvent(look, event))
    shown++
    if (shown === count) over.abort()
  }
  const first = async (): Promise<void> => {
    for (const event of await firstEvents(api, seen, options.lines ?? DEFAULT_LINES, wanted, over.signal))
      show(event)
  }
  const news = async (): Promise<void> => {
    for (const event of await newEvents(api, seen, over.signal)) show(event)
  }
  if (!options.follow) return first()

  context.interrupted().addEventListener('abort', () => over.abort())
  // A reader that has seen enough (`svc events tail | head`) ends it too.
  process.stdout.on('error', () => over.abort())
  const timer = timeout === undefined ? undefined : setTimeout(() => over.abort(), timeout * 1_000)
  let begun = false
  const begin = async (): Promise<void> => {
    if (begun) return news()
    begun = true
    await first()
    if (terminal.watched && shown < count) terminal.err('Watching; ^C ends it.\n')
  }
  try {
    const follower = {
      begun: begin,
      event(data: string) {
        const event = JSON.parse(data) as StoredEvent
        if (seen.has(event.id)) return
        remember(seen, event.id)
        show(event, data)
      },
      gap: (skipped: number | null) =>
        terminal.err(`svc: ${skipped ?? 'some'} events left out: too many at once\n`),
      broken: (seconds: number) => terminal.err(`svc: the connection broke; again in ${seconds} s\n`),
    }
    if (await followEvents(api, options.event, follower, over.signal, context)) return
    for (;;) {
      await begin()
      await context.sleep(PAUSE_MS, over.signal)
    }
  } catch (error) {
    if (!over.signal.aborted) throw error
  } finally {
    clearTimeout(timer)
  }
  const { count: asked } = options
  if (asked !== undefined && shown < asked && !context.interrupted().aborted && process.stdout.writable)
    throw new CommandFailure(EXIT.refused, `${shown} of ${asked} events were seen in ${timeout} s`, 'TIMEOUT')
}

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
  for (let offset = 0; offset === 0 || (found.length < lines && offset < MAX_PAGES * PAGE); offset += PAGE) {
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
  for (let page = 0; page < MAX_PAGES; page++) {
    const { body } = await api.call('listEvents', { query: { limit: PAGE, offset: page * PAGE } }, signal)
    const fresh = body.data.filter(({ id }) => !seen.has(id))
    for (const { id } of fresh) remember(seen, id)
    found.push(...fresh)
    if (fresh.length < body.data.length || !body.pagination.hasMore) break
  }
  return found.reverse()
}

function remember(seen: Set<string>, id: string): void {
  seen.add(id)
  const [oldest] = seen
  if (seen.size > MEMORY && oldest !== undefined) seen.delete(oldest)
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
