import { type CpuParts, cpuPartsOf } from './process-tree.js'

/** The cost of a number of events: CPU seconds of the process tree and its parts, and clock seconds. */
export interface Cost extends CpuParts {
  readonly events: number
  readonly seconds: number
}

/**
 * Starts counting; `cost` returns what this many events took since, without the load generator's share if it
 * is below the root.
 */
export function startCounting(root: number): { cost(events: number, generatorSeconds?: number): Cost } {
  const before = cpuPartsOf(root)
  const started = performance.now()
  return {
    cost(events, generatorSeconds = 0) {
      const now = cpuPartsOf(root)
      return {
        events,
        seconds: (performance.now() - started) / 1_000,
        tree: now.tree - before.tree - generatorSeconds,
        gateway: now.gateway - before.gateway,
        stores: now.stores - before.stores,
        log: now.log - before.log,
      }
    },
  }
}

/** Columns of `costCells`. CPU seconds are per million events. */
export const COST_HEADER = ['CPU s/M', 'gateway', 'log', 'stores', 'wall s']

/** The cells of a table; empty if a part did nothing or nothing was counted. */
export function costCells(cost: Cost | undefined): string[] {
  if (cost === undefined) return COST_HEADER.map(() => '')
  const parts = [cost.tree, cost.gateway, cost.log, cost.stores].map((seconds) => {
    const aMillion = (seconds / cost.events) * 1e6
    return aMillion < 0.005 ? '' : aMillion.toFixed(2)
  })
  return [...parts, cost.seconds.toFixed(1)]
}
