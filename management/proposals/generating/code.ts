import { isUtf8 } from 'node:buffer'
import type { IsWanted, RepositoryFile, SiteFiles } from '../../../generators/port.js'
import { isLfsPointer } from '../../../repositories/lfs.js'
import type { LruCache } from '../../../runtime/concurrency/lru-cache.js'
import type { CodeFile } from './messages.js'

/**
 * Limits of a window, which is read at once. Two windows are in memory: one is processed while the next is
 * read.
 */
const WINDOW = { files: 400, bytes: 4 * 1024 * 1024 } as const

/**
 * The code at a commit, as generators read it. Content comes from the main thread and is cached by blob id.
 */
export class Code implements SiteFiles {
  private readonly byPath: ReadonlyMap<string, CodeFile>
  private readonly lookedAt: readonly CodeFile[]

  /**
   * @param isLookedAt whether `files` yields a path; others are read only by name
   * @param read contents in the order of their ids; null: cannot be read
   * @param texts cache that all commits and repositories share
   * @param onRead called with the share of files that were yielded, 0 to 1
   */
  constructor(
    all: readonly CodeFile[],
    isLookedAt: (path: string) => boolean,
    private readonly read_: (blobIds: readonly string[]) => Promise<readonly (Uint8Array | null)[]>,
    private readonly texts: LruCache<string>,
    private readonly onRead: (share: number) => void,
  ) {
    this.byPath = new Map(all.map((file) => [file.path, file]))
    this.lookedAt = all.filter(({ path }) => isLookedAt(path))
  }

  has(path: string): boolean {
    return this.byPath.has(path)
  }

  async *files(isWanted: IsWanted = () => true): AsyncIterable<RepositoryFile> {
    const wanted = this.lookedAt.filter(isWanted)
    const isRead = new Set(wanted)
    let given = 0
    for (const file of this.lookedAt) {
      if (isRead.has(file)) continue
      yield { path: file.path, blobId: file.blobId, text: null }
      given++
    }
    if (given > 0) this.onRead(given / this.lookedAt.length)
    const windows = [...windowsOf(wanted)]
    let next = this.open(windows[0])
    for (let index = 0; index < windows.length; index++) {
      const files = await next
      // Read ahead while these are processed.
      next = this.open(windows[index + 1])
      // A failure is met where it is waited for.
      next.catch(() => {})
      for (const { file, text } of files) {
        if (text !== null) yield { path: file.path, blobId: file.blobId, text }
        given++
        this.onRead(given / this.lookedAt.length)
      }
    }
    this.onRead(1)
  }

  async read(path: string): Promise<string | null> {
    const file = this.byPath.get(path)
    if (file === undefined) return null
    const [opened] = await this.open([file])
    return opened?.text ?? null
  }

  private async open(
    files: readonly CodeFile[] = [],
  ): Promise<{ readonly file: CodeFile; readonly text: string | null }[]> {
    const found = new Map<string, string | null>()
    for (const { blobId } of files) {
      const known = this.texts.get(blobId)
      if (known !== undefined) found.set(blobId, known)
    }
    const wanted = [...new Set(files.map(({ blobId }) => blobId))].filter((id) => !found.has(id))
    const contents = wanted.length === 0 ? [] : await this.read_(wanted)
    for (const [index, id] of wanted.entries()) {
      const text = textOf(contents[index] ?? null)
      if (text !== null) this.texts.set(id, text, text.length)
      found.set(id, text)
    }
    return files.map((file) => ({ file, text: found.get(file.blobId) ?? null }))
  }
}

function* windowsOf(files: readonly CodeFile[]): Iterable<CodeFile[]> {
  let window: CodeFile[] = []
  let bytes = 0
  for (const file of files) {
    if (window.length === WINDOW.files || (window.length > 0 && bytes + file.size > WINDOW.bytes)) {
      yield window
      window = []
      bytes = 0
    }
    window.push(file)
    bytes += file.size
  }
  if (window.length > 0) yield window
}

/** Null for files that no experiment can change: LFS pointers and binaries. */
function textOf(content: Uint8Array | null): string | null {
  if (content === null || isLfsPointer(content) || !isUtf8(content) || content.includes(0)) return null
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('utf8')
}
