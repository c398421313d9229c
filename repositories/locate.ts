import type { RepositoryHost } from './port.js'

export interface KnownFile {
  readonly path: string
  /** Its content at the commit that a plan was made at; null for a file that is to be created. */
  readonly blob: string | null
}

export interface LocatedFile {
  readonly path: string
  /** `changed` too where a file is to be created and its path is taken. */
  readonly state: 'current' | 'changed' | 'moved' | 'gone'
  readonly movedTo: string | null
  /** The content at the commit that was looked at; null where there is none. */
  readonly blob: string | null
}

/**
 * Where the files of a plan are in a later commit. One that has gone from its path was moved where the host finds its rename between the two commits; where the
 * host cannot compare them, the same content elsewhere tells.
 */
export async function locateFiles(
  host: Pick<RepositoryHost, 'entries' | 'compare' | 'tree'>,
  plan: { readonly from: string; readonly to: string; readonly files: readonly KnownFile[] },
  signal?: AbortSignal,
): Promise<LocatedFile[]> {
  const { from, to, files } = plan
  const entries = await host.entries(
    to,
    files.map((file) => file.path),
    signal,
  )
  const isFile = (path: string) => {
    const kind = entries.get(path)?.kind
    return kind === 'file' || kind === 'executable'
  }
  const missing = files.filter((file) => file.blob !== null && !isFile(file.path))
  const moves = missing.length === 0 ? new Map() : await findMoves(host, from, to, missing, signal)
  return files.map(({ path, blob }) => {
    const entry = entries.get(path)
    if (blob === null) {
      if (entry === undefined) return { path, state: 'current', movedTo: null, blob: null }
      return { path, state: 'changed', movedTo: null, blob: isFile(path) ? entry.id : null }
    }
    if (entry !== undefined && isFile(path))
      return { path, state: entry.id === blob ? 'current' : 'changed', movedTo: null, blob: entry.id }
    const move = moves.get(path)
    if (move === undefined) return { path, state: 'gone', movedTo: null, blob: null }
    return { path, state: 'moved', movedTo: move.path, blob: move.blob }
  })
}

interface Move {
  readonly path: string
  readonly blob: string
}

async function findMoves(
  host: Pick<RepositoryHost, 'compare' | 'tree'>,
  from: string,
  to: string,
  missing: readonly KnownFile[],
  signal?: AbortSignal,
): Promise<Map<string, Move>> {
  const moves = new Map<string, Move>()
  const compared = await host.compare(from, to, signal)
  for (const { path, previousPath, blob } of compared.files)
    if (previousPath !== undefined && blob !== undefined) moves.set(previousPath, { path, blob })
  const lost = missing.filter((file) => !moves.has(file.path))
  if (compared.complete || lost.length === 0) return moves
  const wanted = new Map<string, string[]>(lost.map((file) => [file.blob ?? '', []]))
  // Empty files are all alike.
  for (const entry of await host.tree(to, signal))
    if (entry.size !== 0 && (entry.kind === 'file' || entry.kind === 'executable'))
      wanted.get(entry.id)?.push(entry.path)
  for (const { path, blob } of lost) {
    const place = nearest(path, wanted.get(blob ?? '') ?? [])
    if (place !== undefined && blob !== null) moves.set(path, { path: place, blob })
  }
  return moves
}

/** Of several places, one of the same name, then the one that has most of its path in common, then the first. */
function nearest(path: string, places: readonly string[]): string | undefined {
  const name = (each: string) => each.slice(each.lastIndexOf('/') + 1)
  const common = (each: string) => [...each].findIndex((char, index) => path[index] !== char)
  const rank = (each: string) => (name(each) === name(path) ? 1_000_000 : 0) + common(each)
  return [...places].sort((a, b) => rank(b) - rank(a) || (a < b ? -1 : 1))[0]
}
