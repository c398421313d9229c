import type { Api, Result } from '../client/api.js'
import { refusedError } from '../command-error.js'
import type { CommonOptions, Context } from '../context.js'
import { parseFilter } from '../funnels/filter.js'
import { displayWidth, escapeControls, printJsonText, truncate } from '../output.js'
import { colorize, type TerminalStyle } from '../render/terminal-style.js'
import { followEvents } from './follow.js'
import { matchesFilter } from './matches-filter.js'

type StoredEvent = Result<'listEvents'>['data'][number]

interface Options extends CommonOptions {
  readonly event?: string
  readonly person?: string
  readonly where?: string
  readonly lines?: number
  readonly follow: boolean
  readonly count?: number
  readonly timeout?: number
}

const PAGE_SIZE = 100
const POLL_MS = 1_000
/** Without a stream, one poll reads at most this many pages. */
const MAX_PAGES = 50
const MAX_REMEMBERED_IDS = 20_000
const DEFAULT_LINES = 10

/** Prints events as they arrive, oldest first, until ^C, `--count` or `--timeout`. */
export async function tailEvents(context: Context, options: Options): Promise<void> {
  const { terminal } = context
  const { count = Number.POSITIVE_INFINITY, timeout } = options
  const wanted = createFilter(options)
  const api = await context.api()
  const style = context.style()
  const over = new AbortController()
  const seen = new Set<string>()
  let shown = 0
  const show = (event: StoredEvent, asItCame = JSON.stringify(event)): void => {
    if (shown === count || !wanted(event)) return
    if (options.json) printJsonText(terminal, asItCame)
    else terminal.out(describeEvent(style, event))
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

  context.interruptSignal().addEventListener('abort', () => over.abort())
  // Closing the pipe (`svc events tail | head`) ends it too.
  process.stdout.on('error', () => over.abort())
  const timer = timeout === undefined ? undefined : setTimeout(() => over.abort(), timeout * 1_000)
  let begun = false
  const begin = async (): Promise<void> => {
    if (begun) return news()
    begun = true
    await first()
    if (terminal.isInteractive && shown < count) terminal.err('Watching; ^C ends it.\n')
  }
  try {
    const follower = {
      onOpen: begin,
      onEvent(data: string) {
        const event = JSON.parse(data) as StoredEvent
        if (seen.has(event.id)) return
        remember(seen, event.id)
        show(event, data)
      },
      onGap: (skipped: number | null) =>
        terminal.err(`svc: ${skipped ?? 'some'} events left out: too many at once\n`),
      onDisconnect: (seconds: number) => terminal.err(`svc: the connection broke; again in ${seconds} s\n`),
    }
    if (await followEvents(api, options.event, follower, over.signal, context)) return
    for (;;) {
      await begin()
      await context.sleep(POLL_MS, over.signal)
    }
  } catch (error) {
    if (!over.signal.aborted) throw error
  } finally {
    clearTimeout(timer)
  }
  const { count: asked } = options
  if (asked !== undefined && shown < asked && !context.interruptSignal().aborted && process.stdout.writable)
    throw refusedError(`${shown} of ${asked} events were seen in ${timeout} s`, 'TIMEOUT')
}

function createFilter({ event, person, where }: Options): (stored: StoredEvent) => boolean {
  const filter = where === undefined ? undefined : parseFilter(where)
  return (stored) =>
    (event === undefined || stored.event === event) &&
    (person === undefined || stored.personId === person) &&
    (filter === undefined || matchesFilter(stored.properties, filter))
}

/** The newest matching events, oldest first. */
async function firstEvents(
  api: Api,
  seen: Set<string>,
  lines: number,
  wanted: (event: StoredEvent) => boolean,
  signal: AbortSignal,
): Promise<StoredEvent[]> {
  const found: StoredEvent[] = []
  for (
    let offset = 0;
    offset === 0 || (found.length < lines && offset < MAX_PAGES * PAGE_SIZE);
    offset += PAGE_SIZE
  ) {
    const { body } = await api.call('listEvents', { query: { limit: PAGE_SIZE, offset } }, signal)
    // New events shift the pages while they are read.
    const fresh = body.data.filter(({ id }) => !seen.has(id))
    for (const { id } of body.data) seen.add(id)
    found.push(...fresh.filter(wanted))
    if (!body.pagination.hasMore) break
  }
  return found.slice(0, lines).reverse()
}

/** New events since the last poll, oldest first. */
async function newEvents(api: Api, seen: Set<string>, signal: AbortSignal): Promise<StoredEvent[]> {
  const found: StoredEvent[] = []
  for (let page = 0; page < MAX_PAGES; page++) {
    const { body } = await api.call(
      'listEvents',
      { query: { limit: PAGE_SIZE, offset: page * PAGE_SIZE } },
      signal,
    )
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
  if (seen.size > MAX_REMEMBERED_IDS && oldest !== undefined) seen.delete(oldest)
}

function describeEvent(
  style: TerminalStyle,
  { receivedAt, event, personId, properties }: StoredEvent,
): string {
  const time = style.columns === undefined ? receivedAt : receivedAt.slice(11, 19)
  const said = escapeControls(JSON.stringify(properties))
  const head = [time, escapeControls(event), escapeControls(personId)]
  const line = `${colorize(style, 'dim', time)}  ${colorize(style, 'cyan', head[1] ?? '')}  ${head[2]}`
  if (said === '{}') return `${line}\n`
  const room =
    style.columns === undefined ? Number.POSITIVE_INFINITY : style.columns - displayWidth(head.join('  ')) - 2
  return room < 8 ? `${line}\n` : `${line}  ${colorize(style, 'dim', truncate(said, room))}\n`
}
