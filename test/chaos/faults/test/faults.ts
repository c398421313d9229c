import t from 'tap'
import { FAULTS, faultOf, faultsNamed } from '../faults.js'

t.test('each cycle of rounds has every fault once, the same for the same seed', async (t) => {
  const names = (seed: number, cycle: number): string[] =>
    FAULTS.map((_, i) => faultOf(seed, cycle * FAULTS.length + i, FAULTS).name)
  for (const cycle of [0, 1, 5]) {
    t.same(names(3, cycle).sort(), FAULTS.map(({ name }) => name).sort())
    t.same(names(3, cycle), names(3, cycle))
  }
  t.notSame(names(3, 0), names(3, 1))
  t.notSame(names(3, 0), names(4, 0))
})

t.test('names are distinct, and an unknown one is refused', async (t) => {
  t.equal(new Set(FAULTS.map(({ name }) => name)).size, FAULTS.length)
  t.throws(() => faultsNamed(['kill all', 'kill nobody'], FAULTS), /no fault "kill nobody"/)
})
