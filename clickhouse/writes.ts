import type { EngineRequest } from './engine.js'

/** Statements whose effect may come after they have been answered, or that take away what was there. */
const REMOVING = /\b(?:ALTER|DELETE|UPDATE|DROP|TRUNCATE|DETACH|ATTACH|RENAME|EXCHANGE|REPLACE)\b/i
const ADDING = /\bALTER TABLE \w+ (?:ADD|MATERIALIZE) PROJECTION\b|\bALTER TABLE \w+ MODIFY SETTING\b/i

/**
 * Counts the writes to a store that this process alone writes to. Its content is the same at two times where no write began before the second that
 * had not ended by the first.
 */
export class Writes {
  private begun = 0
  private ended = 0
  private removing = false

  /** To be told before the first statement of a request reaches the engine; what it gives back is called once none is under way any more. */
  begin(request: EngineRequest): () => void {
    // What writes to a file changes nothing that is stored.
    if (request.lane === 'read' || request.output !== undefined) return () => {}
    this.begun++
    if (request.statements.some((sql) => REMOVING.test(sql) && !ADDING.test(sql))) this.removing = true
    return () => {
      this.ended++
    }
  }

  /** Undefined while something is being written, and for good once something was removed, which the engine may still be about. */
  version(): string | undefined {
    return this.removing || this.begun !== this.ended ? undefined : String(this.begun)
  }
}
