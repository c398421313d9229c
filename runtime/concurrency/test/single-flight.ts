import t from 'tap'
import { SingleFlight } from '../single-flight.js'

t.test('calls for one key share a run, and its failure', async (t) => {
  const flights = new SingleFlight<string, number>()
  let runs = 0
  const fail: ((error: Error) => void)[] = []
  const work = () =>
    new Promise<number>((_, reject) => {
      runs++
      fail.push(reject)
    })
  const shared = [flights.run('a', work), flights.run('a', work)]
  const other = flights.run('b', async () => 2)
  t.equal(await other, 2)
  t.equal(runs, 1)
  fail[0]?.(new Error('gone'))
  for (const each of shared) await t.rejects(each, /gone/)
})

t.test('a call after the end starts a new run', async (t) => {
  const flights = new SingleFlight<string, number>()
  let runs = 0
  const work = async () => ++runs
  t.equal(await flights.run('a', work), 1)
  t.equal(await flights.run('a', work), 2)
})
