import t from 'tap'
import { similarity } from '../similarity.js'

const alike = (one: string, other: string) => similarity(Buffer.from(one), Buffer.from(other))

t.test('similarity is the share of common lines in the longer text, in any order', async (t) => {
  t.equal(alike('a\nb\n', 'b\na\n'), 1)
  t.equal(alike('a\nb\n', 'a\nc\n'), 0.5)
  t.equal(alike('a\n', 'a\na\na\na\n'), 0.25, 'each as often as it is there')
  t.equal(alike('', ''), 0)
  t.equal(alike('a', 'a\n'), 0)
  t.equal(alike('é\n', 'é\n'), 1)
})
