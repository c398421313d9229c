/**
 * What the embedded adapter asks of the engine: statements whole, so that the engine can be in another thread of the process.
 */
export interface EmbeddedEngine {
  /** Runs statements one after the other on one connection and returns what the last one answered. */
  run(request: EngineRequest, signal?: AbortSignal): Promise<Uint8Array>
  /** A version of what is stored of a workspace: see `ClickHouse.contentVersion`. */
  contentVersion(workspaceId: string): Promise<string | undefined>
  ping(signal?: AbortSignal): Promise<void>
  close(): Promise<void>
}

export interface EngineRequest {
  /** Links are few and have a second to be seen in: they wait behind no block of events. */
  readonly lane: 'read' | 'write' | 'links'
  readonly statements: readonly string[]
  /** Stands in every statement that may run for long, and nowhere else: what is aborted is found by it and killed. */
  readonly mark: string
  /** Files the statements read. The engine removes them when it has done with them, in every case. */
  readonly files: readonly string[]
  /** The workspaces of all rows that the statements write. Left out or empty, they may be anybody's. */
  readonly workspaceIds?: readonly string[]
  /** The file the statements write. The engine removes it where they fail or the asker has gone, else the asker does. */
  readonly output?: string
}

export const EMBEDDED_DATABASE = 'svc'
