import { writeSync } from 'node:fs'

const STANDARD_ERROR = 2

/**
 * For tests of crashes, `NAME[:PASS[:ACTION]]`: what happens at the given pass of a named point, the first by default, in each process that has that point.
 * `kill` (the default) ends the process as a power cut would, `kill-group` all of its process group, `stop` freezes it until SIGCONT, `fail` throws there as a
 * store that is gone would make it. A line on standard error says that it happens.
 */
export function faultPointOf(setting: string | undefined): (name: string) => void {
  if (setting === undefined) return () => {}
  const cut = /^(.+?)(?::(\d+))?(?::(kill|kill-group|stop|fail))?$/.exec(setting)
  const [, target, pass = '1', action = 'kill'] = cut ?? []
  let left = Number(pass)
  return (name) => {
    if (name !== target || --left !== 0) return
    // At once: nothing that waits for its turn would come out any more.
    writeSync(STANDARD_ERROR, `svc: fault point ${setting}\n`)
    if (action === 'fail') throw new Error(`failing at ${setting}`)
    if (action === 'stop') process.kill(process.pid, 'SIGSTOP')
    else process.kill(action === 'kill-group' ? 0 : process.pid, 'SIGKILL')
  }
}
