import fc from 'fast-check'
import t from 'tap'
import { drawInterval, intervalRange, sparkline } from '../charts.js'

t.test('intervals share one scale, with zero change in the middle', async (t) => {
  t.equal(drawInterval([0.2, 1], 0.6, 1, 11), '     │├─●─┤')
  t.equal(drawInterval([-0.6, 0.6], 0, 1, 11), '  ├──●──┤  ')
  t.equal(drawInterval(null, 0.5, 1, 11), '     │     ')
  t.equal(intervalRange([[-0.5, 0.2], null, [0.1, 0.4]]), 0.5)
  const share = fc.double({ min: -3, max: 3, noNaN: true })
  fc.assert(
    fc.property(share, share, share, fc.integer({ min: 11, max: 60 }), (a, b, estimate, width) => {
      const interval = [Math.min(a, b), Math.max(a, b)] as const
      return drawInterval(interval, estimate, intervalRange([interval]), width).length <= width
    }),
  )
})

t.test('a sparkline scales its bars to the largest value', async (t) => {
  t.equal(sparkline([0, null, 0.5, 1]), '▁ ▅█')
  t.equal(sparkline([0.3, 0.3]), '▄▄')
  t.equal(sparkline([]), '')
})
