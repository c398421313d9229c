import t from 'tap'
import { batchLoader } from '../batch-loader.js'

/** Questions that the test answers. */
function questions() {
  const asked: { keys: readonly number[]; answer: () => void; fail: (error: Error) => void }[] = []
  const ask = (keys: readonly number[]) =>
    new Promise<number[]>((resolve, reject) => {
      asked.push({ keys, answer: () => resolve(keys.map((key) => key * 10)), fail: reject })
    })
  return { asked, ask }
}
const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

t.test('requests of one turn share a batch, and each gets its own answer', async (t) => {
  const { asked, ask } = questions()
  const question = batchLoader(ask, 100)
  const answers = Promise.all([3, 1, 3].map(question))
  await turn()
  t.strictSame(
    asked.map(({ keys }) => keys),
    [[3, 1, 3]],
  )
  asked[0]?.answer()
  t.strictSame(await answers, [30, 10, 30])
})

t.test('a later request does not join a batch that was sent', async (t) => {
  const { asked, ask } = questions()
  const question = batchLoader(ask, 2)
  const first = Promise.all([1, 2, 3].map(question))
  await turn()
  t.strictSame(
    asked.map(({ keys }) => keys),
    [[1, 2], [3]],
  )
  const late = Promise.all([4, 5].map(question))
  await turn()
  t.equal(asked.length, 2, 'two on their way: the next wait')
  asked[0]?.answer()
  await turn()
  t.strictSame(asked[2]?.keys, [4, 5])
  for (const { answer } of asked) answer()
  t.strictSame(await first, [10, 20, 30])
  t.strictSame(await late, [40, 50])
})

t.test('a question that gets no answer does not hold up those after it', async (t) => {
  const { asked, ask } = questions()
  const question = batchLoader(ask, 1)
  void question(1)
  void question(2)
  await turn()
  const third = question(3)
  while (asked.length < 3) await turn()
  asked[2]?.answer()
  t.equal(await third, 30)
})

t.test('a failure reaches every caller of its batch, and no other', async (t) => {
  const { asked, ask } = questions()
  const question = batchLoader(ask, 2)
  const outcomes = Promise.allSettled([1, 2, 3].map(question))
  await turn()
  asked[0]?.fail(new Error('gone'))
  asked[1]?.answer()
  t.strictSame(
    (await outcomes).map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : 'failed')),
    ['failed', 'failed', 30],
  )
  const fourth = question(4)
  await turn()
  asked[2]?.answer()
  t.equal(await fourth, 40)
})
