import t from 'tap'
import { correctTime } from '../../../../domain/clamp.js'
import { TIMESTAMP_ADJUSTMENTS } from '../../../../domain/event.js'
import { eventsOf, linkOf } from '../../clients/traffic.js'
import { type Outcome, type SentRequest, Truth } from '../../clients/truth.js'
import type { Books, StoredLink, StoredRow } from '../../systems/system.js'
import { type Count, Verifier } from '../verify.js'

const NOW = Date.UTC(2026, 4, 20, 12)

/** A truth of a few requests with outcomes of one's choice, and the store that would be right for it. */
class Story {
  readonly truth = new Truth(5)
  readonly rows: StoredRow[] = []
  readonly links: StoredLink[] = []
  private offset = 0

  send(kind: SentRequest['kind'], slots: readonly number[], ...outcomes: Outcome[]): SentRequest {
    const request = this.truth.add(kind, slots, NOW)
    outcomes.forEach((outcome, i) => {
      const at = NOW + 1_000 * (this.truth.requests.length + i)
      this.truth.settle(request, this.truth.begin(request, at), outcome, at + 10)
    })
    return request
  }

  /** Stores some events of a request as they should be, with the links they make. */
  store(
    request: SentRequest,
    indexes: readonly number[] = request.slots.map((_, i) => i),
    links = true,
  ): void {
    const offset = this.offset++
    const receivedAt = (request.attempts.find(({ outcome }) => outcome !== 'refused')?.startedAt ?? NOW) + 5
    const events = eventsOf(this.truth.seed, request)
    for (const index of indexes) {
      const event = events[index]
      if (event === undefined) continue
      const original = event.timestamp === undefined ? undefined : Date.parse(event.timestamp)
      const { timestamp, adjustment } = correctTime(original, receivedAt, request.sentAt)
      this.rows.push({
        partition: 0,
        offset,
        index,
        receivedAt,
        timestamp,
        originalTimestamp: original ?? 0,
        hasTimestamp: original === undefined ? 0 : 1,
        adjustment: TIMESTAMP_ADJUSTMENTS.indexOf(adjustment),
        event: event.event,
        userId: event.userId ?? '',
        anonymousId: event.anonymousId ?? '',
        insertId: event.insertId ?? '',
        sdkVersion: event.sdkVersion ?? '',
        properties: JSON.stringify(event.properties),
      })
      const pair = linkOf(this.truth.seed, request, index)
      if (!links || pair === undefined || this.links.some((link) => link.anonymousId === pair.anonymousId))
        continue
      this.links.push({ ...pair, anonymousKey: `a ${pair.anonymousId}`, userKey: `u ${pair.userId}` })
    }
  }

  faulty(change: { books?: Partial<Books>; inStore?: readonly StoredLink[] } = {}): Partial<Count> {
    const verifier = new Verifier(this.truth)
    verifier.rows(this.rows)
    const vocabulary = new Map<string, number>()
    for (const { event } of this.rows) vocabulary.set(event, (vocabulary.get(event) ?? 0) + 1)
    const { count } = verifier.finish(
      { vocabulary, links: [this.links, change.inStore ?? this.links] },
      {
        links: this.links,
        outbox: 0,
        stored: this.rows.length,
        duplicates: 0,
        dead: 0,
        appended: this.rows.length,
        ...change.books,
      },
    )
    return Object.fromEntries(
      Object.entries(count).filter(([name, n]) => n > 0 && name !== 'acknowledged' && name !== 'stored'),
    )
  }
}

const ALL_PLAIN = [-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1]

t.test('a right store has no findings', async (t) => {
  const story = new Story()
  story.store(story.send('plain', ALL_PLAIN, 'refused', 'accepted'))
  story.store(story.send('keyed', [0, 1, 2], 'ambiguous', 'accepted'))
  story.send('plain', ALL_PLAIN, 'ambiguous')
  story.store(story.send('plain', ALL_PLAIN, 'ambiguous'))
  story.store(story.send('linker', [10, 11, 12, 13, 14], 'accepted'))
  story.send('repeats', [1], 'accepted')
  story.send('plain', [-1], 'refused')
  t.same(story.faulty(), {})
})

t.test('lost: acknowledged and not there', async (t) => {
  const story = new Story()
  story.send('keyed', [0, 1, 2], 'ambiguous', 'accepted')
  t.match(story.faulty(), { lost: 3, doubled: undefined, torn: undefined })
})

t.test('lost: an insertId of several acknowledged requests counts once', async (t) => {
  const story = new Story()
  story.send('keyed', [0], 'accepted')
  story.send('repeats', [0], 'accepted')
  t.equal(story.faulty().lost, 1)
})

t.test('doubled: the same row again, and one insertId from two requests', async (t) => {
  const plain = new Story()
  const request = plain.send('plain', [-1], 'accepted')
  plain.store(request)
  plain.rows.push(...plain.rows)
  t.equal(plain.faulty().doubled, 1)
  const keyed = new Story()
  for (const kind of ['keyed', 'repeats'] as const) keyed.store(keyed.send(kind, [0], 'accepted'))
  t.equal(keyed.faulty().doubled, 1)
})

t.test(
  'torn: a request that may be there is there in part, or in two records, or without its links',
  async (t) => {
    const part = new Story()
    part.store(part.send('plain', ALL_PLAIN, 'ambiguous'), [0, 1, 2])
    t.equal(part.faulty().torn, 1)
    const records = new Story()
    const request = records.send('plain', ALL_PLAIN, 'accepted')
    records.store(request, [0, 1, 2, 3, 4, 5])
    records.store(request, [6, 7, 8, 9, 10, 11])
    t.equal(records.faulty().torn, 6)
    const links = new Story()
    links.store(links.send('linker', [0, 1, 2, 3, 4, 5, 6, 7], 'ambiguous'), undefined, false)
    t.ok(Number(links.faulty().torn) > 0)
  },
)

t.test('wrong: content, order, a refused request, and books that do not agree', async (t) => {
  const content = new Story()
  content.store(content.send('plain', [-1, -1], 'accepted'))
  for (const change of [
    { properties: '{"q":0,"i":0}' },
    { timestamp: 1 },
    { userId: 'somebody' },
    { receivedAt: NOW - 1 },
  ]) {
    const rows = [...content.rows]
    content.rows[0] = { ...(rows[0] as StoredRow), ...change }
    t.equal(content.faulty().wrong, 1, JSON.stringify(change))
    content.rows.splice(0, 2, ...rows)
  }
  const order = new Story()
  order.send('keyed', [0], 'accepted')
  order.store(order.send('repeats', [0], 'accepted'))
  t.equal(order.faulty().wrong, 1, 'the second of two acknowledged')
  const within = new Story()
  within.store(within.send('reused', [0, 0], 'accepted'), [1])
  t.equal(within.faulty().wrong, 1, 'the second in its request')
  const refused = new Story()
  refused.store(refused.send('plain', [-1], 'refused'))
  t.ok(Number(refused.faulty().wrong) > 0, 'refused and stored')
  t.equal(new Story().faulty({ books: { stored: 1, appended: 1 } }).wrong, 1)
  t.equal(new Story().faulty({ books: { appended: 1 } }).wrong, 1)
})

t.test('links: missing, another, not the first, or different between the stores', async (t) => {
  const SLOTS = [0, 1, 2, 3, 4, 5, 6, 7]
  const missing = new Story()
  missing.store(missing.send('linker', SLOTS, 'accepted'), undefined, false)
  t.ok(Number(missing.faulty().links) > 0)
  const stores = new Story()
  stores.store(stores.send('linker', SLOTS, 'accepted'))
  t.equal(stores.faulty({ inStore: stores.links.slice(1) }).links, 1)
  t.equal(stores.faulty({ books: { outbox: 2 } }).links, 2)
  stores.links[0] = { ...(stores.links[0] as StoredLink), userId: 'somebody' }
  t.equal(stores.faulty().links, 1)
  const alias = new Story()
  const call = alias.send('alias', [-1], 'accepted')
  const attempt = call.attempts[0]
  if (attempt !== undefined) attempt.link = 'linked'
  t.ok(Number(alias.faulty().links) > 0, 'told "linked", and there is no link')
})
