import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'

/** A compiled program in a child process, ready to serve. */
export interface RunningProgram {
  readonly process: ChildProcess
  /** Value of a part of the line `svc ready name=value …`, empty without such a part. */
  part(name: string): string
  /** Standard output and error so far. */
  output(): string
  /** Resolves with the exit code, null after a signal, when it has ended. */
  readonly exited: Promise<number | null>
}

const READY_LIMIT_MS = 110_000

/**
 * Runs a compiled program in a new process group, with only the given variables of svc, and with a profile if
 * this process writes one. Throws with its output if it ends, or is not ready within two minutes.
 */
export async function startProgram(
  file: string,
  env: Readonly<Record<string, string>>,
  started: (child: ChildProcess) => void = () => {},
): Promise<RunningProgram> {
  const profiling = process.execArgv.filter((argument) => argument.startsWith('--cpu-prof'))
  const child = spawn(process.execPath, [...profiling, '--enable-source-maps', file], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    env: { ...withoutSvc(process.env), ...env },
  })
  started(child)
  let output = ''
  child.stdout?.on('data', (chunk) => {
    output += chunk
  })
  child.stderr?.on('data', (chunk) => {
    output += chunk
  })
  let code: number | null | undefined
  const exited = new Promise<number | null>((resolve) =>
    child.once('exit', (value) => {
      code = value
      resolve(value)
    }),
  )
  for (let waited = 0; waited < READY_LIMIT_MS; waited += 25) {
    const line = /^svc ready .*$/m.exec(output)?.[0]
    if (line !== undefined) {
      const part = (name: string): string => new RegExp(`${name}=(\\S+)`).exec(line)?.[1] ?? ''
      return { process: child, part, output: () => output, exited }
    }
    if (code !== undefined) throw new Error(`svc ended with ${code} before it was ready:\n${output}`)
    await sleep(25)
  }
  killGroup(child)
  throw new Error(`svc was not ready within two minutes:\n${output}`)
}

export function withoutSvc(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('SVC_')))
}

/** A signal to the program and all that it has started. False if the group is gone. */
export function signalGroup(child: ChildProcess, name: NodeJS.Signals): boolean {
  if (child.pid === undefined) return false
  try {
    return process.kill(-child.pid, name)
  } catch {
    return false
  }
}

export function killGroup(child: ChildProcess): void {
  signalGroup(child, 'SIGKILL')
}
