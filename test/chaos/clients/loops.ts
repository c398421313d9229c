import { setTimeout as sleep } from 'node:timers/promises'

/** The clients broke off, or were told, something that the contract rules out. */
export class ContractError extends Error {
  override readonly name = 'ContractError'
}

const LOOK_MS = 5

/** Turns that are repeated side by side until they are stopped, and can be paused in between. */
export class Loops {
  failure: ContractError | undefined
  private paused: Promise<void> = Promise.resolve()
  private resume: () => void = () => {}
  private isPaused = false
  private stopped = false
  private idle = 0
  private readonly loops: Promise<void>[] = []

  /** @param unfinished describes the turns that do not end */
  constructor(private readonly unfinished: () => string) {}

  /** Whether a turn that cannot finish now should give up. */
  get isOver(): boolean {
    return this.stopped || this.failure !== undefined
  }

  add(turn: () => Promise<void>): void {
    this.loops.push(this.repeat(turn))
  }

  /** Resolves when every turn has ended; retries need a service that runs. Rejects after `limitMs`. */
  async pause(limitMs: number): Promise<void> {
    if (!this.isPaused) {
      this.isPaused = true
      this.paused = new Promise((resolve) => {
        this.resume = resolve
      })
    }
    for (const end = Date.now() + limitMs; this.idle < this.loops.length; await sleep(LOOK_MS)) {
      if (this.failure !== undefined) throw this.failure
      if (Date.now() > end)
        throw new ContractError(
          `requests are still being sent again after ${limitMs} ms of a running service: ${this.unfinished()}`,
        )
    }
  }

  go(): void {
    this.isPaused = false
    this.resume()
  }

  /** Ends all turns, whatever they are at. */
  async stop(): Promise<void> {
    this.stopped = true
    this.resume()
    await Promise.all(this.loops)
  }

  private async repeat(turn: () => Promise<void>): Promise<void> {
    // The caller is still being constructed.
    await Promise.resolve()
    while (!this.isOver) {
      if (this.isPaused) {
        this.idle++
        await this.paused
        this.idle--
        continue
      }
      try {
        await turn()
      } catch (error) {
        this.failure ??= error instanceof ContractError ? error : new ContractError(String(error))
      }
    }
    this.idle++
  }
}
