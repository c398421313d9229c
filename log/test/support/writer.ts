/**
 * Writes to an embedded log from its own process: `node writer.js PATH MODE NAME …`. Prints each acknowledged
 * id as a line immediately, so that a killed process has reported all of them.
 */
import { writeSync } from 'node:fs'
import { open } from 'lmdb'
import { openEmbeddedLog } from '../../embedded/log.js'
import { LogUnavailableError } from '../../port.js'

const [path = '', mode = '', name = '', countText = '0'] = process.argv.slice(2)
const count = Number(countText)
const say = (line: string): void => void writeSync(1, `${line}\n`)

if (mode === 'hold') {
  // Takes the writer's lock and keeps it.
  const database = open({
    path,
    noSubdir: false,
    overlappingSync: false,
    encoding: 'binary',
    keyEncoding: 'binary',
  })
  database.transactionSync(() => {
    say('holding')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  })
}

const log = await openEmbeddedLog({ path, partitions: 3, identityPartitions: 2 })
say('open')
const payload = (id: string): Buffer => Buffer.from(id)

if (mode === 'some') {
  await Promise.all(
    Array.from({ length: 8 }, async (_, lane) => {
      for (let i = lane; i < count; i += 8) {
        const id = `${name}-${i}`
        await log.append([
          { partition: i % 3, payload: payload(id) },
          { partition: 3 + (i % 2), payload: payload(id) },
        ])
        say(id)
      }
    }),
  )
  await log.close()
} else if (mode === 'forever') {
  for (let lane = 0; lane < 8; lane++)
    void (async () => {
      for (let i = lane; ; i += 8) {
        const id = `${name}-${i}`
        // Some requests are large, so that a transaction lasts a while.
        const filler = Buffer.alloc(i % 5 === 0 ? 200_000 : 0, '.')
        await log.append([
          { partition: 0, payload: Buffer.concat([payload(`${id} `), filler]) },
          { partition: 1, payload: payload(`${id} `) },
        ])
        say(id)
      }
    })()
} else if (mode === 'disk-full') {
  // The kernel reports the limit of the file's size as a failed write. By default it would end the process.
  process.on('SIGXFSZ', () => {})
  let written = 0
  try {
    for (;;) {
      await log.append([{ partition: 0, payload: Buffer.alloc(1_000_000, written) }])
      written++
    }
  } catch (error) {
    if (!(error instanceof LogUnavailableError)) throw error
    say(`full after ${written}`)
  }
  const end = await log.end(0)
  say(`end ${end}`)
  await log.trim(0, end)
  // The first may fail: freed pages are written to from the second transaction on.
  await log.append([{ partition: 0, payload: Buffer.alloc(1_000_000) }]).catch(() => say('failed once'))
  for (let i = 0; i < 3; i++) await log.append([{ partition: 0, payload: Buffer.alloc(1_000_000, i) }])
  say(`end ${await log.end(0)}`)
  await log.close()
}
