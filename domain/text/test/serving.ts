import t from 'tap'
import { reachOf, servedText } from '../serving.js'

const CHANGED = '2026-11-26T14:00:00.000Z'
const of = (status: string, state: boolean | string, lastAskedAt: string | null = null) => ({
  status,
  serving: { state, lastAskedAt },
  variants: [
    { key: 'control', displayName: 'Control' },
    { key: 'b', displayName: 'Short form' },
  ],
  startedAt: status === 'ready' ? null : CHANGED,
  updatedAt: CHANGED,
})

t.test('a change counts as known once every relay has asked since', async (t) => {
  const reach = (lastAskedAt: string | null, seconds = 10) =>
    reachOf(of('paused', false, lastAskedAt), Date.parse(CHANGED) + seconds * 1_000)
  t.same(reach(null), { kind: 'silent' })
  t.same(reach('2026-11-26T14:00:02.000Z', 3), { kind: 'known' })
  // A gateway may have answered from before the change.
  for (const lastAskedAt of ['2026-11-26T13:59:59.000Z', '2026-11-26T14:00:01.999Z']) {
    t.same(reach(lastAskedAt, 9), { kind: 'soon' })
    t.match(reach(lastAskedAt), { kind: 'late', lastAskedAt, until: /^2026-11-26T1[45]:/ })
  }
  t.equal(reachOf(of('ready', false), 0), undefined)
  t.equal(reachOf(of('rejected', false), 0), undefined)
  t.same(reachOf(of('shipped', 'b'), 0), { kind: 'silent' })
})

t.test('visitors of each serving state see the described version', async (t) => {
  t.equal(servedText(of('running', true)), 'their variant')
  t.equal(servedText(of('paused', false)), 'the control')
  t.equal(servedText(of('shipped', 'b')), 'Short form, for everyone')
  t.equal(servedText(of('shipped', false)), 'the winner, as ordinary code')
})
