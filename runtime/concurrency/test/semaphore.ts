import fc from 'fast-check'
import t from 'tap'
import { Semaphore } from '../semaphore.js'

/** Work that the test ends. */
function pendingWork() {
  const begun: { readonly id: number; end(error?: Error): void }[] = []
  const work = (id: number) => () =>
    new Promise<number>((resolve, reject) => {
      begun.push({ id, end: (error) => (error === undefined ? resolve(id) : reject(error)) })
    })
  return { begun, work, ids: () => begun.map(({ id }) => id) }
}
const turn = () => new Promise((resolve) => setImmediate(resolve))

t.test('work runs up to the permits, and the rest in the order of the calls', async (t) => {
  const { begun, work, ids } = pendingWork()
  const semaphore = new Semaphore(2)
  const all = Promise.all([1, 2, 3, 4].map((id) => semaphore.run(work(id))))
  await turn()
  t.strictSame(ids(), [1, 2])
  begun[1]?.end()
  await turn()
  t.strictSame(ids(), [1, 2, 3])
  begun[0]?.end()
  await turn()
  for (const { end } of begun) end()
  t.strictSame(await all, [1, 2, 3, 4])
})

t.test('failed work gives its permit back', async (t) => {
  const { begun, work, ids } = pendingWork()
  const semaphore = new Semaphore(1)
  const failed = t.rejects(semaphore.run(work(1)), /broken/)
  const second = semaphore.run(work(2))
  await turn()
  begun[0]?.end(new Error('broken'))
  await failed
  await turn()
  t.strictSame(ids(), [1, 2])
  begun[1]?.end()
  t.equal(await second, 2)
})

t.test('aborting takes a waiting call out of the queue and leaves running work alone', async (t) => {
  const { begun, work, ids } = pendingWork()
  const semaphore = new Semaphore(1)
  const abort = new AbortController()
  const running = semaphore.run(work(1), abort.signal)
  const waiting = t.rejects(semaphore.run(work(2), abort.signal), /gone/)
  const third = semaphore.run(work(3))
  await turn()
  abort.abort(new Error('gone'))
  await waiting
  await t.rejects(semaphore.run(work(4), abort.signal), /gone/, 'a call that comes too late')
  begun[0]?.end()
  t.equal(await running, 1)
  await turn()
  t.strictSame(ids(), [1, 3])
  begun[1]?.end()
  t.equal(await third, 3)
})

t.test('closing rejects what waits, and resolves when nothing runs', async (t) => {
  const { begun, work } = pendingWork()
  const semaphore = new Semaphore(1)
  const running = semaphore.run(work(1))
  const waiting = t.rejects(semaphore.run(work(2)), /closed/)
  let isClosed = false
  const closed = semaphore.close(new Error('closed')).then(() => {
    isClosed = true
  })
  await waiting
  await t.rejects(semaphore.run(work(3)), /closed/)
  t.notOk(isClosed)
  begun[0]?.end()
  t.equal(await running, 1)
  await closed
  await new Semaphore(1).close(new Error('nothing runs'))
})

t.test('all work runs, never more at a time than permits, whatever fails or is aborted', async () => {
  const step = fc.record({ ticks: fc.nat(3), fails: fc.boolean(), aborts: fc.option(fc.nat(3)) })
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(step, { maxLength: 20 }),
      async (permits, steps) => {
        const semaphore = new Semaphore(permits)
        let running = 0
        let ran = 0
        const outcomes = await Promise.allSettled(
          steps.map(({ ticks, fails, aborts }) => {
            const abort = new AbortController()
            if (aborts !== null)
              void (async () => {
                for (let i = 0; i < aborts; i++) await turn()
                abort.abort(new Error('aborted'))
              })()
            return semaphore.run(async () => {
              if (++running > permits) throw new Error('too many at once')
              ran++
              for (let i = 0; i < ticks; i++) await turn()
              running--
              if (fails) throw new Error('failed')
            }, abort.signal)
          }),
        )
        const messages = outcomes.map((o) => (o.status === 'rejected' ? (o.reason as Error).message : 'done'))
        if (messages.includes('too many at once') || running !== 0) throw new Error(messages.join())
        if (ran !== messages.filter((message) => message !== 'aborted').length)
          throw new Error('work was lost')
        await semaphore.close(new Error('closed'))
      },
    ),
    { numRuns: 50 },
  )
})
