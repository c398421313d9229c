/** Called at named moments of the pipeline; does nothing outside of tests. */
export type FaultPoint = (name: string) => void | Promise<void>

/**
 * For tests of crashes: `SVC_FAULT_POINT=consumer:inserted:3` ends the process with SIGKILL at the third pass of that point, as a power cut
 * would.
 */
export function faultPointOf(setting: string | undefined): FaultPoint {
  if (setting === undefined) return () => {}
  const cut = /^(.*?)(?::(\d+))?$/.exec(setting)
  const target = cut?.[1]
  let left = Number(cut?.[2] ?? 1)
  return (name) => {
    if (name === target && --left === 0) process.kill(process.pid, 'SIGKILL')
  }
}
