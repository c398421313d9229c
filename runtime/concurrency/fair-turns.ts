/** Milliseconds of work that one workspace may do in a turn of the event loop before the rest of it waits. */
const SHARE_MS = 8
const MAX_WAITING = 1_000

type Work = () => void

/** A workspace has more work than it may leave waiting. */
export class TooMuchWaitingError extends Error {
  override readonly name = 'TooMuchWaitingError'
}

/** Work of one workspace that waits, in order. */
interface Line {
  readonly works: Work[]
  /** Used beyond its share of the turns so far. */
  overdrawnMs: number
}

/**
 * Shares a thread between workspaces. Work runs at once while its workspace has used little of
 * this turn of the event loop. The rest waits, and the workspaces take turns with it: one that sends
 * expensive bodies on many connections delays another by about one body.
 */
export class FairTurns {
  /** Milliseconds used in this turn of the event loop. */
  private readonly used = new Map<string, number>()
  /** The workspace whose turn is next comes first. */
  private readonly lines = new Map<string, Line>()
  private isTurnEnding = false

  /** @param clock milliseconds that only grow */
  constructor(private readonly clock: () => number) {}

  /** Whether `run` may be called now; if not, call `wait`. */
  mayRun(workspaceId: string): boolean {
    return (this.used.get(workspaceId) ?? 0) < SHARE_MS && !this.lines.has(workspaceId)
  }

  run(workspaceId: string, work: Work): void {
    this.endTurnLater()
    const startedAt = this.clock()
    work()
    this.used.set(workspaceId, (this.used.get(workspaceId) ?? 0) + this.clock() - startedAt)
  }

  /** Runs the work in a later turn; false if too much of the workspace waits already. */
  wait(workspaceId: string, work: Work): boolean {
    this.endTurnLater()
    const line = this.lines.get(workspaceId)
    if (line === undefined) {
      const overdrawnMs = (this.used.get(workspaceId) ?? 0) - SHARE_MS
      this.lines.set(workspaceId, { works: [work], overdrawnMs: Math.max(0, overdrawnMs) })
      return true
    }
    if (line.works.length >= MAX_WAITING) return false
    line.works.push(work)
    return true
  }

  /**
   * Runs synchronous work now or in a later turn.
   *
   * @throws TooMuchWaitingError if too much of the workspace waits already, and as the work
   */
  result<T>(workspaceId: string, work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        try {
          resolve(work())
        } catch (error) {
          reject(error)
        }
      }
      if (this.mayRun(workspaceId)) this.run(workspaceId, settle)
      else if (!this.wait(workspaceId, settle)) reject(new TooMuchWaitingError())
    })
  }

  private endTurnLater(): void {
    if (this.isTurnEnding) return
    this.isTurnEnding = true
    setImmediate(() => this.endTurn())
  }

  private endTurn(): void {
    this.isTurnEnding = false
    this.used.clear()
    const until = this.clock() + SHARE_MS
    // Requests that have arrived meanwhile come first after each share.
    for (const [id, line] of this.lines) {
      this.lines.delete(id)
      line.overdrawnMs -= SHARE_MS
      while (line.works.length > 0 && line.overdrawnMs < 0) this.runNext(line)
      if (line.works.length > 0) this.lines.set(id, line)
      if (this.clock() >= until) break
    }
    if (this.lines.size > 0) this.endTurnLater()
  }

  private runNext(line: Line): void {
    const startedAt = this.clock()
    line.works.shift()?.()
    line.overdrawnMs += this.clock() - startedAt
  }
}
