import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { waitUntil } from '../../../test/support/wait-until.js'
import { LogOutcomeUnknownError, type LogRecord, LogUnavailableError } from '../../port.js'
import { record } from '../../test/support/contract.js'
import { GroupCommit, type GroupCommitOptions } from '../group-commit.js'

/** A transaction that the test ends: its records, and the way to continue it. */
interface Transaction {
  readonly taken: string[]
  finish(error?: Error): void
}

function commits(options: Partial<GroupCommitOptions> = {}) {
  const transactions: Transaction[] = []
  const group = new GroupCommit({
    transaction: (take) =>
      new Promise((resolve, reject) => {
        const taken = take().map((r: LogRecord) => Buffer.from(r.payload).toString())
        transactions.push({ taken, finish: (error) => (error === undefined ? resolve() : reject(error)) })
      }),
    gatherMs: 0,
    enoughBytes: 1_000,
    maxGroupBytes: 100,
    maxBytesInFlight: 1_000,
    patienceMs: 5_000,
    ...options,
  })
  return { group, transactions }
}

t.test('transactions run one at a time, and requests that arrive meanwhile share the next one', async (t) => {
  const { group, transactions } = commits()
  const settled: string[] = []
  const submit = (name: string): Promise<void> =>
    group.submit([record(0, name)]).then(() => void settled.push(name))
  const first = submit('a')
  const rest = ['b', 'c', 'd'].map(submit)
  t.same(
    transactions.map((x) => x.taken),
    [['a']],
  )
  t.equal(group.bytesInFlight, 4)
  transactions[0]?.finish()
  await first
  await turn()
  t.same(settled, ['a'])
  t.same(transactions[1]?.taken, ['b', 'c', 'd'])
  transactions[1]?.finish()
  await Promise.all(rest)
  t.same(settled, ['a', 'b', 'c', 'd'])
  t.equal(group.bytesInFlight, 0)
})

t.test('a transaction has a size limit, and a request is never divided', async (t) => {
  const { group, transactions } = commits()
  const large = 'x'.repeat(60)
  const all = [
    group.submit([record(0, 'first')]),
    group.submit([record(0, large), record(1, large)]),
    group.submit([record(0, large)]),
    group.submit([record(0, 'y')]),
  ]
  for (let i = 0; i < 3; i++) {
    await turn()
    transactions[i]?.finish()
  }
  await Promise.all(all)
  t.same(
    transactions.map((x) => x.taken.length),
    [1, 2, 2],
  )
})

/** Several records together, after which it is worth waiting for others. */
async function severalTogether(
  group: GroupCommit,
  transactions: readonly Transaction[],
  names = 'abcdefgh',
): Promise<void> {
  const written = group.submit([...names].map((name) => record(0, name)))
  transactions.at(-1)?.finish()
  await written
}

t.test('after concurrent requests a group waits for more', async (t) => {
  const { group, transactions } = commits({ gatherMs: 300 })
  await severalTogether(group, transactions)
  const all = ['i', 'j'].map((name) => group.submit([record(0, name)]))
  await turn()
  all.push(group.submit([record(0, 'k')]))
  t.equal(transactions.length, 1)
  await waitUntil(() => transactions.length !== 1)
  t.same(transactions[1]?.taken, ['i', 'j', 'k'])
  transactions[1]?.finish()
  await Promise.all(all)
  const alone = group.submit([record(0, 'l')])
  t.same(transactions[2]?.taken, ['l'], 'few came last: the next one does not wait')
  transactions[2]?.finish()
  await alone
})

t.test('a group that is large enough does not wait', async (t) => {
  const { group, transactions } = commits({ gatherMs: 60_000, enoughBytes: 10 })
  await severalTogether(group, transactions)
  const all = [group.submit([record(0, '123456789')])]
  await turn()
  t.equal(transactions.length, 1)
  all.push(group.submit([record(0, '0')]))
  await turn()
  t.same(transactions[1]?.taken, ['123456789', '0'])
  transactions[1]?.finish()
  await Promise.all(all)
})

t.test('a failed transaction fails its requests and no others', async (t) => {
  const { group, transactions } = commits()
  const first = group.submit([record(0, 'a')])
  const second = group.submit([record(0, 'b')])
  transactions[0]?.finish(new LogUnavailableError('the disk is full'))
  await t.rejects(first, { message: 'the disk is full' })
  await turn()
  transactions[1]?.finish()
  await second
  t.equal(group.bytesInFlight, 0)
})

t.test('a failure before the records were collected fails the waiting requests', async (t) => {
  let failures = 0
  const group = new GroupCommit({
    transaction: async (take) => {
      if (failures++ === 0) throw new LogUnavailableError('no lock')
      take()
    },
    gatherMs: 0,
    enoughBytes: 1_000,
    maxGroupBytes: 100,
    maxBytesInFlight: 1_000,
    patienceMs: 5_000,
  })
  await t.rejects(group.submit([record(0, 'a')]), { message: 'no lock' })
  await group.submit([record(0, 'b')])
})

t.test('requests over the limit of bytes in flight are refused immediately', async (t) => {
  const { group, transactions } = commits({ maxBytesInFlight: 10 })
  const fits = group.submit([record(0, '1234567890')])
  await t.rejects(group.submit([record(0, 'x')]), LogUnavailableError)
  const ping = group.submit([])
  transactions[0]?.finish()
  await fits
  await turn()
  transactions[1]?.finish()
  await ping
  await t.rejects(group.submit([record(0, '12345678901')]), LogUnavailableError)
})

t.test('a transaction that does not end fails its requests, and later ones at once', async (t) => {
  const { group, transactions } = commits({ patienceMs: 30 })
  const written = group.submit([record(0, 'written')])
  const waiting = group.submit([record(0, 'waiting')])
  await Promise.all([t.rejects(written, LogOutcomeUnknownError), t.rejects(waiting, LogUnavailableError)])
  t.equal(group.bytesInFlight, 0)
  await t.rejects(group.submit([record(0, 'later')]), LogUnavailableError, 'at once')
  t.equal(transactions.length, 1)
  transactions[0]?.finish()
  await turn()
  const after = group.submit([record(0, 'after')])
  t.same(transactions[1]?.taken, ['after'], 'it goes on when the transaction has ended after all')
  transactions[1]?.finish()
  await after
})

t.test('close settles what was submitted and refuses the rest', async (t) => {
  const { group, transactions } = commits({ gatherMs: 60_000 })
  await severalTogether(group, transactions)
  const first = group.submit([record(0, 'i')])
  await turn()
  t.equal(transactions.length, 1)
  const closing = group.close()
  await t.rejects(group.submit([record(0, 'j')]), LogUnavailableError)
  t.same(transactions[1]?.taken, ['i'], 'without waiting for others')
  transactions[1]?.finish()
  await Promise.all([first, closing])
})

t.test('close does not wait for a transaction that does not end', async (t) => {
  const { group } = commits({ patienceMs: 30 })
  const lost = t.rejects(group.submit([record(0, 'a')]), LogOutcomeUnknownError)
  t.equal(await group.close(), false)
  await lost
})
