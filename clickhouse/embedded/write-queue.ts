import { UUID_PATTERN } from '../../domain/uuid.js'
import type { EngineRequest } from './engine.js'

/** Statements that remove data, or whose effect may come after their answer. */
const REMOVING = /\b(?:ALTER|DELETE|UPDATE|DROP|TRUNCATE|DETACH|ATTACH|RENAME|EXCHANGE|REPLACE)\b/i
const ADDING =
  /\bALTER TABLE \w+ (?:(?:ADD|MATERIALIZE) PROJECTION|MODIFY (?:SETTING|QUERY)|RESET SETTING|DROP PARTITION ID '0')/i
/** Goes on after its answer, until a request names the table as `mutated`. */
const MUTATION = /\bALTER TABLE (\w+) (?:DELETE|UPDATE)\b/i

/** Workspaces are told apart by the last three digits of their ids; equal endings share a slot. */
const SLOT_DIGITS = 3
const UNKNOWN = ''
const EVERYBODY = 16 ** SLOT_DIGITS

/**
 * Counts writes by workspace, for a store that only this process writes to. A workspace's content is the same
 * at two times if no write that may concern it overlaps the span between them.
 */
export class WriteQueue {
  private readonly begun = new Float64Array(EVERYBODY + 1)
  private readonly underWay = new Uint32Array(EVERYBODY + 1)
  /** Tables with mutations under way; `UNKNOWN` for removals whose end no one tells. */
  private readonly removing = new Set<string>()

  /** Call before the first statement of a request runs, and the result after the last one. */
  begin(request: EngineRequest): () => void {
    // A statement that writes to a file changes no stored data.
    if (request.lane === 'read' || request.output !== undefined) return () => {}
    const slots = slotsOf(request.workspaceIds)
    for (const slot of slots) {
      this.begun[slot] = this.begunIn(slot) + 1
      this.underWay[slot] = this.underWayIn(slot) + 1
    }
    if (request.mutated !== undefined) this.removing.delete(request.mutated)
    for (const sql of request.statements)
      if (REMOVING.test(sql) && !ADDING.test(sql)) this.removing.add(MUTATION.exec(sql)?.[1] ?? UNKNOWN)
    return () => {
      for (const slot of slots) this.underWay[slot] = this.underWayIn(slot) - 1
    }
  }

  /**
   * The version of a workspace's content. Undefined while a write that may concern it is running and while a
   * mutation removes rows, and for the rest of the process after any other removal.
   */
  version(workspaceId: string): string | undefined {
    const slot = slotOf(workspaceId)
    if (this.removing.size > 0 || slot === undefined) return undefined
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

/** Every slot, if no workspace is named or one cannot be told apart. */
function slotsOf(workspaceIds: readonly string[] = []): ReadonlySet<number> {
  const slots = workspaceIds.map((workspaceId) => slotOf(workspaceId) ?? EVERYBODY)
  return new Set(slots.length === 0 ? [EVERYBODY] : slots)
}

/** Undefined unless the text is an id in its one canonical form. */
function slotOf(workspaceId: string): number | undefined {
  return UUID_PATTERN.test(workspaceId) ? Number.parseInt(workspaceId.slice(-SLOT_DIGITS), 16) : undefined
}
