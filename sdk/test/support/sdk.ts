import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { packageRoot } from '../../../runtime/package-root.js'
import { executablePath } from '../../../test/support/executable.js'
import type { Teardown } from '../../../test/support/stores.js'

export type Language = 'node' | 'python'

export interface Failure {
  readonly code: string
  readonly message: string
  readonly status: number | null
  readonly events: readonly { readonly event?: string; readonly userId?: string }[]
}

/** A process that uses a client library. */
export interface Driver {
  /** Carries out a command of the drivers and resolves with its result. */
  run<T = unknown>(command: string, more?: Readonly<Record<string, unknown>>): Promise<T>
  /** Begins a command that answers until the process is killed. The answers are read to the end. */
  stream(command: string, more: Readonly<Record<string, unknown>>): Promise<readonly string[]>
  /** Ends the input, after which the process ends, or sends the command `exit`. */
  leave(how: 'end' | 'exit'): void
  kill(signal: NodeJS.Signals): void
  /** Its standard error so far. */
  errors(): string
  /** Resolves with the exit code or the signal that ended it. */
  readonly ended: Promise<number | string>
}

export interface Sdk {
  readonly language: Language
  /** @param options of `SvcEvents`; undefined to make none */
  start(options?: Readonly<Record<string, unknown>>, process?: StartOptions): Promise<Driver>
}

interface StartOptions {
  readonly env?: Readonly<Record<string, string>>
  /** The longest file that it may write; a longer one fails as a full disk does. */
  readonly maxFileBytes?: number
}

const archives = join(packageRoot(), 'dist', 'client')
const support = join(packageRoot(), 'sdk', 'test', 'support')

/** The library as it is published, or why it cannot be used. */
export function installSdk(t: Teardown, language: Language): Sdk | { readonly unreachable: string } {
  const folder = mkdtempSync(join(tmpdir(), 'svc-sdk-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  if (language === 'node') return { language, start: starter(t, process.execPath, installNode(folder), {}) }
  const python = executablePath(['python3'])
  if (python === undefined) return { unreachable: 'no python3' }
  const wheel = readdirSync(archives).find((name) => name.endsWith('.whl'))
  // Python imports from the archive.
  const env = { PYTHONPATH: join(archives, wheel ?? 'no wheel'), PYTHONDONTWRITEBYTECODE: '1' }
  return { language, start: starter(t, python, join(support, 'driver.py'), env) }
}

/** Into a folder, beside its driver. */
export function installNode(folder: string): string {
  const place = join(folder, 'node_modules', 'svc-events')
  mkdirSync(place, { recursive: true })
  execFileSync('tar', ['xzf', join(archives, 'svc-events.tgz'), '--strip-components=1', '-C', place])
  copyFileSync(join(support, 'driver.mjs'), join(folder, 'driver.mjs'))
  return join(folder, 'driver.mjs')
}

function starter(
  t: Teardown,
  program: string,
  file: string,
  variables: Readonly<Record<string, string>>,
): Sdk['start'] {
  return async (options, { env = {}, maxFileBytes } = {}) => {
    const limit =
      maxFileBytes === undefined ? '' : `trap '' XFSZ; ulimit -f ${Math.ceil(maxFileBytes / 512)}; `
    const child = spawn('sh', ['-c', `${limit}exec "$0" "$1"`, program, file], {
      // Without the defaults of development.
      env: { ...process.env, NODE_ENV: 'test', ...variables, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    t.teardown(() => void child.kill('SIGKILL'))
    const driver = driverOf(child)
    if (options !== undefined) await driver.run('open', { options })
    return driver
  }
}

function driverOf(child: ChildProcess): Driver {
  const { stdin, stdout, stderr } = child
  if (stdin === null || stdout === null || stderr === null) throw new Error('the driver has no pipes')
  let errors = ''
  stderr.on('data', (chunk: Buffer) => {
    errors += String(chunk)
    process.stderr.write(chunk)
  })
  stdin.on('error', () => {})
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]()
  const send = (command: string, more = {}): void =>
    void stdin.write(`${JSON.stringify({ do: command, ...more })}\n`)
  return {
    stream: async (command, more) => {
      send(command, more)
      const answers: string[] = []
      // The last line may be torn.
      for await (const line of { [Symbol.asyncIterator]: () => lines })
        if (line.endsWith('"')) answers.push(JSON.parse(line))
      return answers
    },
    leave: (how) => (how === 'end' ? void stdin.end() : send(how)),
    run: async <T>(command: string, more = {}) => {
      send(command, more)
      const { done, value } = await lines.next()
      if (done === true) throw new Error(`the driver ended at ${command}`)
      return JSON.parse(value) as T
    },
    errors: () => errors,
    kill: (signal) => void child.kill(signal),
    ended: once(child, 'exit').then(([code, signal]) => (signal ?? code) as number | string),
  }
}
