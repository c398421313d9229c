import { cpuOfTree } from './process-tree.js'

/** The cost of a number of events: CPU seconds of the process tree, and clock seconds. */
export interface Cost {
  readonly events: number
  readonly tree: number
  readonly seconds: number
}

/**
 * Starts counting; `cost` returns what this many events took since, without the load generator's share if it
 * is below the root.
 */
export function startCounting(root: number): { cost(events: number, generatorSeconds?: number): Cost } {
  const before = cpuOfTree(root)
  const started = performance.now()
  return {
    cost: (events, generatorSeconds = 0) => ({
      events,
      seconds: (performance.now() - started) / 1_000,
      tree: cpuOfTree(root) - before - generatorSeconds,
    }),
  }
}

/** Columns of `costCells`. CPU seconds are per million events. */
export const COST_HEADER = ['CPU s/M', 'wall s']

/** The cells of a table; empty if nothing was counted. */
export function costCells(cost: Cost | undefined): string[] {
  if (cost === undefined) return COST_HEADER.map(() => '')
  return [((cost.tree / cost.events) * 1e6).toFixed(2), cost.seconds.toFixed(1)]
}
