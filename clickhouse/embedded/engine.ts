/**
 * The port between the embedded adapter and its engine. Statements are complete, so the engine may be in
 * another thread.
 */
export interface EmbeddedEngine {
  /** Runs statements one after the other on one connection and returns the last answer. */
  run(request: EngineRequest, signal?: AbortSignal): Promise<Uint8Array>
  /** A version of a workspace's stored content: see `ClickHouse.contentVersion`. */
  contentVersion(workspaceId: string): Promise<string | undefined>
  ping(signal?: AbortSignal): Promise<void>
  close(): Promise<void>
}

export interface EngineRequest {
  /** Links must be visible within a second, so they do not wait behind blocks of events. */
  readonly lane: 'read' | 'write' | 'links'
  readonly statements: readonly string[]
  /** In every long-running statement and nowhere else: an abort finds the statement by it and kills it. */
  readonly queryTag: string
  /** Files that the statements read. The caller removes them, and the engine does if the caller has gone. */
  readonly files: readonly string[]
  /** The workspaces of all rows that are written. If empty or missing, any workspace may be affected. */
  readonly workspaceIds?: readonly string[]
  /** The table whose mutations have finished. */
  readonly mutated?: string | undefined
  /** The file that the statements write. The engine removes it unless a caller gets the answer. */
  readonly output?: string
}

export const EMBEDDED_DATABASE = 'svc'
