/**
 * Actions on the first or the second experiment. `stale` merges its cleanup as it was first written, and then
 * the pull request that puts back code of other experiments.
 */
export type Action =
  | 'declare'
  | 'merge'
  | 'start'
  | 'pause'
  | 'resume'
  | 'ship'
  | 'reject'
  | 'clean'
  | 'stale'
export type Step = readonly [Action, 1 | 2]

interface Order {
  readonly name: string
  readonly steps: readonly Step[]
}

/** By the suffix of the experiments' keys. The first experiment is shipped, the second one rejected. */
export const ORDERS: Readonly<Record<string, Order>> = {
  a: {
    name: 'the first cleanup is merged before the second experiment is declared',
    steps: [
      ...steps(1, 'declare', 'merge', 'start', 'pause', 'resume', 'ship', 'clean'),
      ...steps(2, 'declare', 'merge', 'start', 'reject', 'clean'),
    ],
  },
  b: {
    name: 'the second pull request is merged before the first cleanup',
    steps: [
      ...steps(1, 'declare', 'merge', 'start'),
      ...steps(2, 'declare', 'merge', 'start', 'pause', 'resume'),
      ...steps(1, 'ship', 'clean'),
      ...steps(2, 'reject', 'clean'),
    ],
  },
  c: {
    name: 'both pull requests are open, and the second one is merged first',
    steps: [
      ...steps(1, 'declare'),
      ...steps(2, 'declare', 'merge', 'start'),
      ...steps(1, 'merge', 'start', 'ship'),
      ...steps(2, 'reject', 'clean'),
      ...steps(1, 'clean'),
    ],
  },
  d: {
    name: 'both pull requests are open, and the first one is merged first',
    steps: [
      ...steps(1, 'declare'),
      ...steps(2, 'declare'),
      ...steps(1, 'merge', 'start'),
      ...steps(2, 'merge', 'start', 'reject'),
      ...steps(1, 'ship', 'clean'),
      ...steps(2, 'clean'),
    ],
  },
  e: {
    name: 'the first cleanup is written before the second experiment is declared, and merged after it runs',
    steps: [
      ...steps(1, 'declare', 'merge', 'start', 'ship'),
      ...steps(2, 'declare', 'merge', 'start'),
      ...steps(1, 'clean'),
      ...steps(2, 'reject', 'clean'),
    ],
  },
  f: {
    name: 'the first cleanup is merged as it was before the second experiment was declared',
    steps: [
      ...steps(1, 'declare', 'merge', 'start', 'ship'),
      ...steps(2, 'declare', 'merge', 'start'),
      ...steps(1, 'stale'),
      ...steps(2, 'reject', 'clean'),
    ],
  },
}

function steps(which: 1 | 2, ...actions: readonly Action[]): Step[] {
  return actions.map((action) => [action, which])
}
