/** A worker thread that consumes an embedded log and trims it, like the consumers of `npm start`. */
import { parentPort, workerData } from 'node:worker_threads'
import { openEmbeddedLog } from '../../embedded/log.js'

const { path, expected } = workerData as { readonly path: string; readonly expected: number }
const log = await openEmbeddedLog({ path, partitions: 3, identityPartitions: 2, pollMs: 5 })
const abort = new AbortController()
const seen: string[] = []
await log.consume(
  { kind: 'events', maxBatchBytes: 2 ** 20, lingerMs: 0 },
  {
    assigned: async () => 0,
    handle: async (partition, records) => {
      for (const { payload } of records) seen.push(Buffer.from(payload.subarray(0, 16)).toString().trimEnd())
      await log.trim(partition, (records.at(-1)?.offset ?? 0) + 1)
      if (seen.length >= expected) abort.abort()
    },
  },
  abort.signal,
)
await log.close()
parentPort?.postMessage(seen)
