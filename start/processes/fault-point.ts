import { readFileSync, writeSync } from 'node:fs'

const STANDARD_ERROR = 2

/**
 * Crash tests: `NAME[:PASS[:ACTION]]` runs an action at the given pass of a named point, in each process that
 * has that point, and writes a line to standard error.
 *
 * - `kill`: ends the process as a power cut would
 * - `kill-group`: ends its whole process group
 * - `stop`: freezes it until SIGCONT
 * - `fail`: throws, as a store that is down would
 *
 * `@FILE` reads such a setting from a file at each point, and counts passes from its last change.
 *
 * @default PASS 1, ACTION kill
 */
export function faultPointOf(setting: string | undefined): (name: string) => void {
  if (setting === undefined || setting === '') return () => {}
  if (setting.startsWith('@')) return faultPointIn(setting.slice(1))
  const cut = /^(.+?)(?::(\d+))?(?::(kill|kill-group|stop|fail))?$/.exec(setting)
  const [, target, pass = '1', action = 'kill'] = cut ?? []
  let left = Number(pass)
  return (name) => {
    if (name !== target || --left !== 0) return
    // Synchronous, because nothing queued would be written any more.
    writeSync(STANDARD_ERROR, `svc: fault point ${setting}\n`)
    if (action === 'fail') throw new Error(`failing at ${setting}`)
    if (action === 'stop') process.kill(process.pid, 'SIGSTOP')
    else process.kill(action === 'kill-group' ? 0 : process.pid, 'SIGKILL')
  }
}

function faultPointIn(file: string): (name: string) => void {
  let setting = ''
  let pass = faultPointOf(undefined)
  return (name) => {
    const read = readFileSync(file, 'utf8')
    if (read !== setting) pass = faultPointOf(read)
    setting = read
    pass(name)
  }
}
