import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import t from 'tap'
import { SerialQueue } from '../serial-queue.js'

t.test('tasks run one at a time and in order, whatever fails', async () => {
  const step = fc.record({ turns: fc.nat(4), fails: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 10 }), async (steps) => {
      const queue = new SerialQueue()
      const order: number[] = []
      let running = 0
      const results = steps.map(({ turns, fails }, i) =>
        queue.run(async () => {
          if (running++ > 0) throw new Error('two at once')
          order.push(i)
          for (let n = 0; n < turns; n++) await turn()
          running--
          if (fails) throw new Error('failed')
          return i
        }),
      )
      const settled = Promise.allSettled(results)
      await queue.idle()
      if (order.length !== steps.length) throw new Error('idle before the end')
      if (order.some((at, i) => at !== i)) throw new Error(`order ${order}`)
      return (await settled).every(({ status }, i) => (status === 'rejected') === steps[i]?.fails)
    }),
    { numRuns: 30 },
  )
})

t.test('a caller gets the result of its own task', async (t) => {
  const queue = new SerialQueue()
  const failed = t.rejects(
    queue.run(() => Promise.reject(new Error('broken'))),
    /broken/,
  )
  t.equal(await queue.run(async () => 'done'), 'done')
  await failed
})
