import { RepositoryError } from './errors.js'
import type { RepositoryHost, TreeEntry } from './port.js'
import { similarity } from './similarity.js'

export interface KnownFile {
  readonly path: string
  /** The blob when the plan was made; null for a file to create. */
  readonly blob: string | null
}

export interface LocatedFile {
  readonly path: string
  /** Also `changed` if the path of a file to create is taken. */
  readonly state: 'current' | 'changed' | 'moved' | 'gone'
  readonly movedTo: string | null
  /** The blob now; null if there is none. */
  readonly blob: string | null
}

/**
 * Finds the files of a plan in a later commit. A missing file has moved if the host reports a rename. If the
 * host cannot compare the commits, or only partly, a file with the same content counts, or a new one with at
 * least half of it.
 */
export async function locateFiles(
  host: Host,
  plan: { readonly from: string; readonly to: string; readonly files: readonly KnownFile[] },
  signal?: AbortSignal,
): Promise<LocatedFile[]> {
  const { from, to, files } = plan
  const entries = await host.entries(
    to,
    files.map((file) => file.path),
    signal,
  )
  const isThere = (path: string) => {
    const entry = entries.get(path)
    return entry !== undefined && isFile(entry)
  }
  const missing = files.filter((file) => file.blob !== null && !isThere(file.path))
  const moves = missing.length === 0 ? new Map() : await findMoves(host, from, to, missing, signal)
  return files.map(({ path, blob }) => {
    const entry = entries.get(path)
    if (blob === null) {
      if (entry === undefined) return { path, state: 'current', movedTo: null, blob: null }
      return { path, state: 'changed', movedTo: null, blob: isThere(path) ? entry.id : null }
    }
    if (entry !== undefined && isFile(entry))
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

type Host = Pick<RepositoryHost, 'entries' | 'compare' | 'tree' | 'readBlobs'>

async function findMoves(
  host: Host,
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
  const now = (await host.tree(to, signal)).filter(isFile)
  const unlike: KnownFile[] = []
  for (const file of lost) {
    // All empty files have the same blob.
    const same = now.filter(({ id, size }) => id === file.blob && size !== 0)
    const [place] = nearest(file.path, same)
    if (place === undefined) unlike.push(file)
    else moves.set(file.path, { path: place.path, blob: place.id })
  }
  if (unlike.length > 0)
    for (const [path, move] of await findSimilar(host, from, now, unlike, signal)) moves.set(path, move)
  return moves
}

/** Most new files that are compared by content. */
const MAX_ALIKE = 40
const MAX_BYTES = 1024 * 1024
const ALIKE = 0.5

/** Finds nothing if the host no longer has the first commit. */
async function findSimilar(
  host: Host,
  from: string,
  now: readonly TreeEntry[],
  lost: readonly KnownFile[],
  signal?: AbortSignal,
): Promise<Map<string, Move>> {
  const before = await host.tree(from, signal).catch((error: unknown) => {
    if (error instanceof RepositoryError && error.code === 'gone') return undefined
    throw error
  })
  if (before === undefined) return new Map()
  const there = new Map(before.map((entry) => [entry.path, entry]))
  const added = now.filter(({ path, size = 0 }) => !there.has(path) && size > 0 && size <= MAX_BYTES)
  const candidates = new Map(
    lost.map((file) => {
      const size = there.get(file.path)?.size ?? 0
      const alike = added.filter(
        (entry) =>
          endOf(entry.path) === endOf(file.path) &&
          Math.min(size, entry.size ?? 0) >= ALIKE * Math.max(size, entry.size ?? 0),
      )
      return [file, nearest(file.path, alike).slice(0, MAX_ALIKE)]
    }),
  )
  const ids = [...candidates].flatMap(([{ blob }, places]) =>
    places.length === 0 ? [] : [blob ?? '', ...places.map(({ id }) => id)],
  )
  const contents = new Map<string, Uint8Array>()
  if (ids.length > 0)
    for await (const blob of host.readBlobs(ids, { maxBlobBytes: MAX_BYTES, signal }))
      if (blob.state === 'read') contents.set(blob.id, blob.content)
  const moves = new Map<string, Move>()
  for (const [{ path, blob }, places] of candidates) {
    const content = contents.get(blob ?? '')
    let best = ALIKE
    for (const place of places) {
      const other = contents.get(place.id)
      const share = content === undefined || other === undefined ? 0 : similarity(content, other)
      // Prefers the nearest of equally similar ones.
      if (share < best || (share === best && moves.has(path))) continue
      best = share
      moves.set(path, { path: place.path, blob: place.id })
    }
  }
  return moves
}

function isFile({ kind }: TreeEntry): boolean {
  return kind === 'file' || kind === 'executable'
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

function endOf(path: string): string {
  const name = nameOf(path)
  return name.slice(Math.max(0, name.lastIndexOf('.')))
}

/** Same name first, then the longest common path, then by path. */
function nearest(path: string, places: readonly TreeEntry[]): TreeEntry[] {
  const common = (each: string) => [...each].findIndex((char, index) => path[index] !== char)
  const rank = (each: string) => (nameOf(each) === nameOf(path) ? 1_000_000 : 0) + common(each)
  return [...places].sort((a, b) => rank(b.path) - rank(a.path) || (a.path < b.path ? -1 : 1))
}
