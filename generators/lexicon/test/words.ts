import fc from 'fast-check'
import t from 'tap'
import { agreement, stemOf } from '../words.js'

t.test('how far two texts agree', async (t) => {
  t.equal(agreement('Create my account', 'create my ACCOUNT!'), 1)
  t.equal(agreement('one two three four five', 'one two three four six'), 0.8)
  t.equal(agreement('', ''), 0)
  t.equal(agreement('no no no', 'no'), 1 / 3)
  t.equal(stemOf('Prices'), stemOf('price'))
  fc.assert(
    fc.property(fc.string(), fc.string(), (a, b) => {
      const both = agreement(a, b)
      return both === agreement(b, a) && both >= 0 && both <= 1
    }),
  )
})
