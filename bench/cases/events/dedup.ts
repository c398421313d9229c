import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Figure } from '../../support/figures.js'
import type { Measured, Task } from '../../support/programs/dedup-child.js'

const CHILD = fileURLToPath(new URL('../../support/programs/dedup-child.js', import.meta.url))
const MIB = 2 ** 20

/**
 * Deduplication alone: a month of new ids in memory, the takeover of a stored month, and both with budgets
 * that are too small. 3 % of the ids are known; every answer is checked.
 */
export async function dedupCase(folder: string, inMemory: number, stored: number): Promise<Figure[]> {
  const figures: Figure[] = []
  const path = join(folder, 'clickhouse')
  const whole = await measure({ kind: 'memory', path: join(folder, 'empty'), ids: inMemory, budgetMb: 1_024 })
  const millions = (ids: number) => `${(ids / 1e6).toFixed(1)} M ids`
  figures.push(
    { name: `${millions(whole.ids)} in memory`, value: whole.idsPerSecond, unit: 'ids/s' },
    { name: 'the same by CPU', value: whole.idsPerCpuSecond, unit: 'ids/CPU s' },
    { name: 'memory of them', value: whole.setBytes / whole.ids, unit: 'bytes/id' },
    {
      name: 'their peak',
      value: whole.peakBytes / MIB,
      unit: 'MiB',
      ratioTo: '1024 MiB',
      ratio: whole.peakBytes / MIB / 1_024,
    },
    { name: 'their exact tables of 256', value: whole.exactTables, unit: '' },
  )
  await measure({ kind: 'store', path, ids: stored })
  for (const budgetMb of [1_024, 64, 8, 1]) {
    const result = await measure({ kind: 'stored', path, blocks: 8, budgetMb })
    const of = `${budgetMb} MiB: `
    figures.push(
      { name: `${of}take-over of ${millions(stored)}`, value: result.fillSeconds, unit: 's' },
      { name: `${of}the same by CPU`, value: result.fillCpuSeconds, unit: 'CPU s' },
      { name: `${of}longest hold-up in it`, value: result.longestHoldMs, unit: 'ms' },
      {
        name: `${of}peak, with queries of the engine`,
        value: result.peakBytes / MIB,
        unit: 'MiB',
        ratioTo: 'the budget',
        ratio: result.peakBytes / MIB / budgetMb,
      },
      { name: `${of}tables exact`, value: result.exactTables, unit: 'of 256' },
      { name: `${of}tables filtered`, value: result.filterTables, unit: 'of 256' },
      { name: `${of}checked and added`, value: result.idsPerSecond, unit: 'ids/s' },
      { name: `${of}checked and added by CPU`, value: result.idsPerCpuSecond, unit: 'ids/CPU s' },
      { name: `${of}asked of ClickHouse`, value: result.askedPerBlock, unit: 'ids/50,000' },
      { name: `${of}of them in vain`, value: result.askedInVain * 100, unit: '% of new ids' },
      { name: `${of}look-up`, value: result.lookUpMsPerBlock, unit: 'ms/50,000' },
    )
  }
  return figures
}

async function measure(task: Task): Promise<Measured> {
  const child = fork(CHILD, [JSON.stringify(task)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  let answer: Measured | undefined
  child.on('message', (message) => {
    answer = message as Measured
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0 || answer === undefined) throw new Error(`measuring ${task.kind} ended with ${code}`)
  return answer
}
