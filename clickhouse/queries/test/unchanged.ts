import fc from 'fast-check'
import t from 'tap'
import { cases, SEED } from '../../../test/support/cases.js'
import { blockOf, eventsOf } from '../../test/support/contract.js'
import { openTwice } from '../../test/support/two-threads.js'
import { type EventPage, ListingCache, listEvents } from '../events/events.js'
import { listEventNames, VocabularyCache, type VocabularyPage } from '../vocabulary.js'

/** Places of workspaces: the last two have ids that end alike. */
const PLACES = [0, 1, 2] as const
const ENDINGS = ['0001', '0002', '1002']
/** At most so many blocks of a run are on their way at a time. */
const MAX_ON_THEIR_WAY = 4

const place = fc.constantFrom(...PLACES)
const some = fc.uniqueArray(place, { minLength: 1, maxLength: PLACES.length })
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ ask: place, page: fc.boolean() }) },
  {
    weight: 5,
    arbitrary: fc.record({
      write: some,
      by: fc.constantFrom('main', 'other thread', 'command'),
      outcome: fc.constantFrom('stored', 'stored', 'stored', 'refused', 'given up'),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ wait: true } as const) },
)

/** How many events an answer tells of. */
function countOf({ rows }: EventPage | VocabularyPage): number {
  return rows.reduce((sum, row) => sum + ('count' in row ? row.count : 1), 0)
}

t.test('no cached answer is older than its query, whatever is written meanwhile', async (t) => {
  const { clickhouse, other } = await openTwice(t)
  const [vocabulary, listing] = [new VocabularyCache(), new ListingCache()]
  let runs = 0
  let tokens = 0
  let kept = 0
  let asked = 0

  const run = (round: number) =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 30 }), async (steps) => {
        const run = String(++runs).padStart(4, '0')
        const ids = ENDINGS.map((ending) => `01932b5e-0000-7000-8000-${run}0000${ending}`)
        const idOf = (place: number) => ids[place] ?? ''
        // Events of each workspace that are stored for sure, and that may be.
        const stored = [0, 0, 0]
        const begun = [0, 0, 0]
        const settled = new Map<string, { readonly answer: unknown; readonly written: number }>()
        const writing = new Set<Promise<void>>()
        const asking: Promise<void>[] = []

        const write = async ({ write, by, outcome }: Extract<(typeof steps)[number], { by: unknown }>) => {
          for (const place of write) begun[place] = (begun[place] ?? 0) + 1
          const workspaceIds = write.map(idOf)
          const token = `${++tokens}`
          const rows = workspaceIds.flatMap((workspaceId) =>
            eventsOf(1, () => ({ workspaceId, logOffset: tokens })),
          )
          const block = { ...blockOf(token, rows), workspaceIds }
          const abort = new AbortController()
          const store = by === 'main' ? clickhouse : other
          const chunks =
            outcome === 'refused' ? block.chunks.map((chunk) => chunk.subarray(0, -3)) : block.chunks
          const inserting =
            by === 'command'
              ? clickhouse.command(
                  `INSERT INTO events (workspace_id, event, log_offset, received_at, timestamp)
                 SELECT arrayJoin({ids:Array(UUID)}), 'commanded', {offset:UInt64}, at, at
                 FROM (SELECT fromUnixTimestamp64Milli({at:Int64}, 'UTC') AS at)`,
                  {
                    params: { ids: workspaceIds, offset: tokens, at: Date.UTC(2026, 10, 20) },
                    settings: { async_insert: 0 },
                    signal: abort.signal,
                  },
                )
              : store.insertEvents({ ...block, chunks }, abort.signal)
          if (outcome === 'given up') setImmediate(() => abort.abort())
          await inserting.then(
            () => {
              for (const place of write) stored[place] = (stored[place] ?? 0) + 1
            },
            () => {},
          )
        }
        const answer = (place: number, page: boolean, memory = { listing, vocabulary }) => {
          const workspaceId = idOf(place)
          const options = {
            workspaceId,
            limit: 100,
            offset: 0,
            sortBy: 'receivedAt',
            sortDir: 'desc',
          } as const
          return page
            ? listEvents(clickhouse, options, memory.listing)
            : listEventNames(clickhouse, { workspaceId, limit: 100, offset: 0 }, memory.vocabulary)
        }
        const ask = async (place: number, page: boolean) => {
          const least = stored[place] ?? 0
          const counted = countOf(await answer(place, page))
          asked++
          if (counted < least || counted > (begun[place] ?? 0))
            throw new Error(`${idOf(place)}: ${least} <= ${counted} <= ${begun[place]}`)
        }
        /** Checks, with no statement running, that cached answers equal those of the store. */
        const settle = async () => {
          await Promise.all([...writing, ...asking.splice(0)])
          // Aborted inserts may still be running.
          await other.ping()
          for (const place of PLACES)
            while ((await clickhouse.contentVersion(idOf(place))) === undefined) await clickhouse.ping()
          for (const place of PLACES)
            for (const page of [true, false]) {
              const [first, again] = [await answer(place, page), await answer(place, page)]
              const nothing = { listing: new ListingCache(), vocabulary: new VocabularyCache() }
              const fresh = countOf(await answer(place, page, nothing))
              if (countOf(first) !== fresh || again !== first)
                throw new Error(
                  `${idOf(place)}, page ${page}: ${countOf(first)}, then ${countOf(again)}, is ${fresh}`,
                )
              const question = `${place} ${page}`
              const written = begun.reduce((sum, count) => sum + count)
              const before = settled.get(question)
              if (before !== undefined && before.answer === first && before.written < written) kept++
              settled.set(question, { answer: first, written })
            }
        }

        for (const step of steps) {
          if ('ask' in step) asking.push(ask(step.ask, step.page))
          else if ('by' in step) {
            const one = write(step).finally(() => writing.delete(one))
            writing.add(one)
            if (writing.size >= MAX_ON_THEIR_WAY) await Promise.race(writing)
          } else await settle()
          // Sometimes together, sometimes one after the other.
          if (asking.length > 3) await Promise.all(asking.splice(0))
        }
        await settle()
      }),
      { numRuns: cases(4), seed: SEED + round },
    )
  // Whether an answer outlives what others write is up to chance: few have all of it so, and other cases have
  // more of it.
  for (let round = 0; round < 20 && (round === 0 || asked <= 10 || kept <= 1); round++) await run(round)
  t.ok(asked > 10 && kept > 1, `${asked} questions, ${kept} answers that outlived what others wrote`)
})
