import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Ledger, type LedgerEntry } from '../ledger.js'

const entry = (seed: number, from: number, to: number): LedgerEntry => ({
  seed,
  from,
  to,
  at: '2026-01-01T00:00:00.000Z',
  faults: { 'kill all': to - from, SIGTERM: 1 },
  uncounted: { SIGTERM: 2 },
  count: {
    acknowledged: 100,
    stored: 90,
    lost: 0,
    doubled: 1,
    torn: 0,
    wrong: 0,
    links: 0,
    illegal: 0,
    writes: 40,
    jobs: 5,
  },
})

t.test('a seed continues at the round that it reached, and runs add up over files', async (t) => {
  const path = join(t.testdir(), 'below', 'ledger.json')
  const ledger = new Ledger(path)
  t.equal(ledger.reached('all-in-one', 7), 0, 'nothing yet')
  ledger.add(entry(7, 0, 8))
  ledger.add(entry(8, 0, 3))
  ledger.add({ ...entry(7, 0, 40), system: 'cluster' })
  ledger.add(entry(7, 8, 10))
  const again = new Ledger(path)
  t.equal(again.reached('all-in-one', 7), 10)
  t.equal(again.reached('all-in-one', 8), 3)
  t.same(again.sums('all-in-one'), {
    seeds: 2,
    rounds: 13,
    faults: { 'kill all': 13, SIGTERM: 3 },
    uncounted: 6,
    count: {
      acknowledged: 300,
      stored: 270,
      lost: 0,
      doubled: 3,
      torn: 0,
      wrong: 0,
      links: 0,
      illegal: 0,
      writes: 120,
      jobs: 15,
    },
  })
  t.equal(again.reached('cluster', 7), 40, 'each system has its own rounds')
  t.equal((JSON.parse(readFileSync(path, 'utf8')) as { format: number }).format, 1)
})
