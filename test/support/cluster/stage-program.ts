import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type RunningProgram, signalGroup, startProgram } from '../program.js'

export const STAGE_KINDS = ['ingest', 'consumers', 'api'] as const
export type StageKind = (typeof STAGE_KINDS)[number]

const POLL_MS = 50

/** One process of a stage, by name, over all its starts. */
export class StageProgram {
  private running: RunningProgram | undefined
  /** Also while it is not ready yet. */
  private child: ChildProcess | undefined
  private earlier = ''

  /**
   * @param folder of the compiled programs, `…/start`
   * @param environment of every start
   */
  constructor(
    readonly kind: StageKind,
    readonly name: string,
    private readonly folder: string,
    private readonly environment: Readonly<Record<string, string>>,
  ) {}

  /** Address at which the stage serves (`api` and `ingest`), `undefined` while it does not run. */
  get url(): string | undefined {
    return this.isRunning ? this.running?.part(this.kind) : undefined
  }

  /** Address of `/healthz`, `/readyz` and `/metrics` since the last start. */
  get admin(): string {
    return this.running?.part('admin') ?? ''
  }

  get pid(): number | undefined {
    return this.isRunning ? this.child?.pid : undefined
  }

  get isRunning(): boolean {
    return (
      this.running !== undefined &&
      this.running.process.exitCode === null &&
      this.running.process.signalCode === null
    )
  }

  /** Output since the last start. */
  output(): string {
    return this.running?.output() ?? ''
  }

  /** Output since the first start. */
  everything(): string {
    return this.earlier + this.output()
  }

  /** Resolves when it is ready. Throws with its output if it ends before. */
  async start(env: Readonly<Record<string, string>> = {}): Promise<void> {
    if (this.isRunning) throw new Error(`${this.name} runs already`)
    this.earlier += this.output()
    this.running = undefined
    this.running = await startProgram(
      join(this.folder, `${this.kind}.js`),
      { ...this.environment, ...env },
      (child) => {
        this.child = child
      },
    )
  }

  /**
   * Resolves when `/readyz` reports ready, which may take a while for its stores. Rejects after `limitMs`.
   */
  async ready(limitMs: number): Promise<void> {
    let last = 'no answer'
    for (const end = Date.now() + limitMs; Date.now() < end; await sleep(POLL_MS)) {
      try {
        const answer = await fetch(`${this.admin}/readyz`)
        last = await answer.text()
        if (answer.ok) return
      } catch (error) {
        last = String(error)
      }
    }
    throw new Error(`${this.name} is not ready after ${limitMs} ms: ${last}\n${this.output()}`)
  }

  /** Sends SIGTERM. Resolves with the exit code after the drain; immediately if it does not run. */
  async stop(): Promise<number | null> {
    if (!this.isRunning) return null
    this.running?.process.kill('SIGTERM')
    return this.ended
  }

  /** Resolves with the exit code of the last start, null after a signal. */
  get ended(): Promise<number | null> {
    return this.running?.exited ?? Promise.resolve(null)
  }

  /** SIGKILL, with all its child processes. Resolves when it is gone. */
  async kill(): Promise<void> {
    if (this.child === undefined) return
    signalGroup(this.child, 'SIGKILL')
    await this.ended
  }

  freeze(): void {
    if (this.child !== undefined) signalGroup(this.child, 'SIGSTOP')
  }

  thaw(): void {
    if (this.child !== undefined) signalGroup(this.child, 'SIGCONT')
  }

  /** Stops it in good order if it runs, and starts it. */
  async restart(env: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.stop()
    await this.start(env)
  }
}
