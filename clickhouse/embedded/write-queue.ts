import { UUID_PATTERN } from '../../domain/uuid.js'
import type { EngineRequest } from './engine.js'

/** Statements whose effect may come after they have been answered, or that take away what was there. */
const REMOVING = /\b(?:ALTER|DELETE|UPDATE|DROP|TRUNCATE|DETACH|ATTACH|RENAME|EXCHANGE|REPLACE)\b/i
const ADDING =
  /\bALTER TABLE \w+ (?:ADD|MATERIALIZE) PROJECTION\b|\bALTER TABLE \w+ MODIFY (?:SETTING|QUERY)\b/i

/** Workspaces are told apart by the last three digits of their ids: those that end alike count as one. */
const SLOT_DIGITS = 3
const EVERYBODY = 16 ** SLOT_DIGITS

/**
 * Counts the writes to a store that this process alone writes to, by whose rows they write. A workspace's content is the same at two times where no write
 * that may concern it began before the second that had not ended by the first.
 */
export class WriteQueue {
  private readonly begun = new Float64Array(EVERYBODY + 1)
  private readonly underWay = new Uint32Array(EVERYBODY + 1)
  private removing = false

  /** To be told before the first statement of a request reaches the engine; what it gives back is called once none is under way any more. */
  begin(request: EngineRequest): () => void {
    // What writes to a file changes nothing that is stored.
    if (request.lane === 'read' || request.output !== undefined) return () => {}
    const slots = slotsOf(request.workspaceIds)
    for (const slot of slots) {
      this.begun[slot] = this.begunIn(slot) + 1
      this.underWay[slot] = this.underWayIn(slot) + 1
    }
    if (request.statements.some((sql) => REMOVING.test(sql) && !ADDING.test(sql))) this.removing = true
    return () => {
      for (const slot of slots) this.underWay[slot] = this.underWayIn(slot) - 1
    }
  }

  /**
   * The version of a workspace's content. Undefined while something of it, or of anybody's, is being written, and for good once something was removed, which
   * the engine may still be about.
   */
  version(workspaceId: string): string | undefined {
    const slot = slotOf(workspaceId)
    if (this.removing || slot === undefined) return undefined
    if (this.underWayIn(EVERYBODY) > 0 || this.underWayIn(slot) > 0) return undefined
    return `${this.begunIn(EVERYBODY)}.${this.begunIn(slot)}`
  }

  private begunIn(slot: number): number {
    return this.begun[slot] ?? 0
  }

  private underWayIn(slot: number): number {
    return this.underWay[slot] ?? 0
  }
}

/** Where nobody is named, or somebody who cannot be told apart, it is everybody. */
function slotsOf(workspaceIds: readonly string[] = []): ReadonlySet<number> {
  const slots = workspaceIds.map((workspaceId) => slotOf(workspaceId) ?? EVERYBODY)
  return new Set(slots.length === 0 ? [EVERYBODY] : slots)
}

/** Undefined where the text is none of the form in which an id can be written in one way only. */
function slotOf(workspaceId: string): number | undefined {
  return UUID_PATTERN.test(workspaceId) ? Number.parseInt(workspaceId.slice(-SLOT_DIGITS), 16) : undefined
}
