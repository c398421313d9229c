import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import t from 'tap'
import { cases } from '../../../test/support/cases.js'
import { AnswerCache, type AnswerSource } from '../answer-cache.js'

/** Sizes of the data that queries see. The sets only grow. */
interface Seen {
  readonly events: number
  readonly links: number
}

/** A model of the stores: events and links of the workspace, events of others, and links being delivered. */
class World {
  events = 0
  others = 0
  links = 0
  committed = 0
  delivered = 0
  computed = 0

  constructor(private readonly pause: <T>(work: () => Promise<T>) => Promise<T>) {}

  /** A request whose reads complete in the order of the scheduler. */
  ask(cache: AnswerCache<Seen>, signal = new AbortController().signal) {
    const work: AnswerSource<Seen> = {
      key: 'key',
      signal,
      versions: {
        store: () => this.pause(async () => `${this.events + this.others}`),
        events: () => this.pause(async () => `${this.events}`),
        links: () =>
          this.pause(async () => (this.committed > this.delivered ? undefined : `${this.delivered}`)),
      },
      compute: async (abort) => {
        this.computed++
        const seen = await this.pause(async () => ({ events: this.events, links: this.links }))
        await this.pause(async () => {})
        abort.throwIfAborted()
        return seen
      },
    }
    return cache.answer(work)
  }

  /** The next change of a kind. */
  change(kind: (typeof CHANGES)[number]): void {
    if (kind === 'event') this.events++
    else if (kind === 'other') this.others++
    else if (this.committed === this.delivered) this.committed++
    else if (this.links < this.committed) this.links++
    else this.delivered++
  }
}

const CHANGES = ['event', 'other', 'link'] as const
const size = () => 10
const step = fc.oneof(
  { weight: 3, arbitrary: fc.constant('ask' as const) },
  { weight: 6, arbitrary: fc.constant('wait' as const) },
  { weight: 1, arbitrary: fc.constant('settle' as const) },
  { weight: 2, arbitrary: fc.constantFrom(...CHANGES) },
)

t.test('an answer is never older than its request, in any order of events', async (t) => {
  let given = 0
  let kept = 0
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(step, { minLength: 20, maxLength: 60 }),
      async (scheduler, steps) => {
        const world = new World((work) => scheduler.schedule(Promise.resolve()).then(work))
        const cache = new AnswerCache<Seen>(size)
        const answers: Promise<void>[] = []
        for (const step of steps) {
          if (step === 'wait') {
            if (scheduler.count() > 0) await scheduler.waitOne()
          } else if (step === 'settle') await scheduler.waitIdle()
          else if (step === 'ask') {
            const before: Seen = { events: world.events, links: world.links }
            answers.push(
              world.ask(cache).then((answer) => {
                given++
                if (answer.cached) kept++
                const now: Seen = { events: world.events, links: world.links }
                for (const of of ['events', 'links'] as const)
                  if (answer.answer[of] < before[of] || answer.answer[of] > now[of])
                    throw new Error(`${of}: ${before[of]} <= ${answer.answer[of]} <= ${now[of]}`)
              }),
            )
          } else world.change(step)
        }
        const all = Promise.all(answers)
        await scheduler.waitFor(all)
      },
    ),
    { numRuns: cases(1_000) },
  )
  t.ok(kept > given / 20, `${kept} of ${given} answers were kept ones`)
})

t.test('concurrent equal requests share one computation', async (t) => {
  const world = new World(async (work) => {
    await nextTurn()
    return work()
  })
  const cache = new AnswerCache<Seen>(size)
  const answers = await Promise.all(Array.from({ length: 10 }, () => world.ask(cache)))
  t.equal(world.computed, 1)
  t.ok(answers.every(({ answer, cached }) => answer.events === 0 && !cached))
  t.equal((await world.ask(cache)).cached, true)
  t.equal(world.computed, 1)
  world.others++
  t.equal((await world.ask(cache)).cached, true, 'events of others change nothing')
  world.events++
  t.same(await world.ask(cache), { answer: { events: 1, links: 0 }, cached: false })
  world.committed++
  for (let i = 0; i < 2; i++) t.equal((await world.ask(cache)).cached, false, 'a link is on its way')
  t.equal(world.computed, 4)
})

t.test('a caller that leaves does not disturb others, and the last one aborts the computation', async (t) => {
  let aborted = 0
  let release: () => void = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const cache = new AnswerCache<string>(size)
  const ask = (signal: AbortSignal) =>
    cache.answer({
      key: 'key',
      signal,
      versions: { store: async () => '1', events: async () => '1', links: async () => '1' },
      compute: (abort) => {
        abort.addEventListener('abort', () => aborted++, { once: true })
        return released.then(() => 'answer')
      },
    })
  const [first, second] = [new AbortController(), new AbortController()]
  const one = ask(first.signal)
  const two = ask(second.signal)
  await nextTurn()
  first.abort(new Error('gone'))
  await t.rejects(one, { message: 'gone' })
  t.equal(aborted, 0)
  second.abort(new Error('gone too'))
  await t.rejects(two, { message: 'gone too' })
  t.equal(aborted, 1)
  const three = ask(new AbortController().signal)
  await nextTurn()
  release()
  t.same(await three, { answer: 'answer', cached: false }, 'work that was given up is not joined')
})

t.test('a failure reaches all waiting callers and is not cached', async (t) => {
  let times = 0
  const cache = new AnswerCache<string>(size)
  const ask = () =>
    cache.answer({
      key: 'key',
      signal: new AbortController().signal,
      versions: { store: async () => '1', events: async () => '1', links: async () => '1' },
      compute: async () => {
        await nextTurn()
        if (++times === 1) throw new Error('down')
        return 'up'
      },
    })
  const [one, two] = await Promise.allSettled([ask(), ask()])
  t.equal(one.status, 'rejected')
  t.equal(two.status, 'rejected')
  t.same(await ask(), { answer: 'up', cached: false })
})
