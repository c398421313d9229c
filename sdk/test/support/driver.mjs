// Runs commands, a line of JSON each, against the package for Node. Answers each with a line.
import cluster from 'node:cluster'
import { createInterface } from 'node:readline'
import { isMainThread, Worker } from 'node:worker_threads'
import { SvcEvents } from 'svc-events'

let events
const failures = []
const warnings = []
const onError = (failure) => {
  failures.push(failure)
}
const answer = (value) => process.stdout.write(`${JSON.stringify(value ?? null)}\n`)
const inChild = (event) => {
  const own = new SvcEvents({ onError: (failure) => console.error(failure) })
  own.track(event)
}

const commands = {
  open: ({ options: { warningsTo, ...options }, throwing }) => {
    const onWarning = {
      list: (warning) => void warnings.push(warning),
      error: () => {
        throw new Error('handler')
      },
    }[warningsTo]
    events = new SvcEvents({
      ...options,
      onError: throwing
        ? () => {
            throw new Error('handler')
          }
        : onError,
      onWarning,
    })
  },
  track: ({ event }) => events.track(event),
  trackMany: ({ event, count }) => {
    let tracked = 0
    for (let n = 0; n < count; n++) if (events.track({ ...event, userId: `u${n}` })) tracked++
    return tracked
  },
  trackDurably: ({ event }) => events.trackDurably(event),
  durablyMany: async ({ event, from, count }) => {
    const all = Array.from({ length: count }, (_, n) =>
      events.trackDurably({ ...event, userId: `u${from + n}` }),
    )
    return (await Promise.all(all)).filter(Boolean).length
  },
  // Tracks until it is killed, and answers with each event that is confirmed.
  durablyForEver: async ({ event, user }) => {
    for (let n = 0; ; n += 5) {
      const five = [n, n + 1, n + 2, n + 3, n + 4].map(async (number) => {
        const userId = `${user}-${number}`
        if (await events.trackDurably({ ...event, userId })) answer(userId)
      })
      await Promise.all(five)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  },
  // Events that no type allows.
  trackOdd: () => {
    const cyclic = {}
    cyclic.self = cyclic
    return [
      null,
      { event: 'a', userId: 'u', properties: cyclic },
      { event: 'a', userId: 'u', timestamp: new Date(NaN) },
    ].map((event) => events.track(event))
  },
  alias: ({ link }) => events.alias(link),
  flush: ({ ms }) => events.flush(ms),
  close: ({ ms }) => events.close(ms),
  stats: () => events.stats(),
  failures: () => failures.splice(0),
  warnings: () => warnings.splice(0),
  // The processes and threads below this one track an event each, and end by themselves.
  children: async ({ event }) => {
    events.track({ ...event, userId: 'parent' })
    const worker = new Worker(new URL(import.meta.url), { workerData: { ...event, userId: 'thread' } })
    cluster.setupPrimary({ exec: process.argv[1], args: [JSON.stringify({ ...event, userId: 'cluster' })] })
    const forked = cluster.fork()
    await Promise.all([worker, forked].map((child) => new Promise((resolve) => child.once('exit', resolve))))
    return events.flush()
  },
  exit: () => process.exit(3),
}

if (!isMainThread) inChild((await import('node:worker_threads')).workerData)
else if (cluster.isWorker) {
  inChild(JSON.parse(process.argv[2]))
  cluster.worker.disconnect()
} else
  for await (const line of createInterface({ input: process.stdin })) {
    const { do: name, ...rest } = JSON.parse(line)
    answer(await commands[name](rest))
  }
