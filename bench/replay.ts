import { errorMessage } from '../runtime/errors.js'
import { callApi, localTarget, progressLine, sendAll, settledVocabulary } from './support/client.js'
import { readEventLog } from './support/data/event-log.js'
import { table } from './support/table.js'

/**
 * `npm run replay -- FILE`: sends a recorded event log (one JSON object per line with `ticket`, `activity`,
 * `timestamp`; plain or .gz) to the local service twice with the same insertIds, and shows that the second
 * pass changes nothing.
 */
async function main(file: string | undefined): Promise<void> {
  if (file === undefined) {
    process.stderr.write('usage: npm run replay -- FILE.ndjson[.gz]\n')
    process.exit(2)
  }
  const target = localTarget(process.env)
  const events = await readEventLog(file, Date.now() - 60_000)
  const before = await counts()
  const seconds: number[] = []
  for (const pass of ['first pass ', 'second pass']) {
    const started = performance.now()
    await sendAll(target, events, progressLine(pass, events.length))
    seconds.push((performance.now() - started) / 1_000)
  }
  const after = await counts()
  const names = [...new Set(events.map(({ event }) => event))]
  const rows = names.map((name) => [name, String((after.get(name) ?? 0) - (before.get(name) ?? 0))])
  process.stdout.write(`${table(['event', 'stored'], rows)}\n\n`)
  const stored = rows.reduce((sum, row) => sum + Number(row[1]), 0)
  const [first = 0, second = 0] = seconds
  process.stdout.write(
    `${events.length} events sent twice (${first.toFixed(1)} s and ${second.toFixed(1)} s), ${stored} stored: ` +
      `${stored === events.length ? 'every event once' : 'not what was sent'}\n`,
  )
  const me = await callApi<{ workspace: { name: string } }>(target, 'GET', '/me')
  process.stdout.write(
    `They are in the workspace "${me.workspace.name}". README.md shows how to make a funnel of them.\n`,
  )
  if (stored !== events.length) process.exitCode = 1

  async function counts(): Promise<Map<string, number>> {
    return new Map((await settledVocabulary(target)).map(({ eventName, count }) => [eventName, count]))
  }
}

main(process.argv[2]).catch((error: unknown) => {
  process.stderr.write(`${errorMessage(error)}\n`)
  process.exit(1)
})
