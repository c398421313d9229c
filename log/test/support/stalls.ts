import { monitorEventLoopDelay } from 'node:perf_hooks'

/**
 * Limits hold for a process that gets CPU time. On a busy machine this process may stall; `worst` says for
 * how many milliseconds.
 */
export function watchStalls(): { worst(): number; stop(): void } {
  const delays = monitorEventLoopDelay({ resolution: 10 })
  delays.enable()
  return { worst: () => delays.max / 1e6, stop: () => void delays.disable() }
}
