import { monitorEventLoopDelay } from 'node:perf_hooks'

/**
 * Limits that hold for a process that is given its turns. On a machine with too much to do this one stood still meanwhile: what `worst` says may come
 * on top, milliseconds.
 */
export function watchStalls(): { worst(): number; stop(): void } {
  const delays = monitorEventLoopDelay({ resolution: 10 })
  delays.enable()
  return { worst: () => delays.max / 1e6, stop: () => void delays.disable() }
}
