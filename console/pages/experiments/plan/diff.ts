/*
 * A unified diff, read into lines that can be drawn one below the other or side by side.
 */

export interface DiffLine {
  readonly kind: 'same' | 'gone' | 'new' | 'gap'
  /** 1-based, in the file before and after; null where it is not in it. */
  readonly before: number | null
  readonly after: number | null
  readonly text: string
}

/** Lines before the first `@@` name the files and are left out. */
export function parseDiff(diff: string): DiffLine[] {
  const lines: DiffLine[] = []
  let before = 0
  let after = 0
  let begun = false
  for (const line of diff.replace(/\n$/, '').split('\n')) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)$/.exec(line)
    if (hunk !== null) {
      before = Number(hunk[1])
      after = Number(hunk[2])
      begun = true
      // At the beginning of a file nothing is left out.
      if (lines.length > 0 || before > 1 || after > 1)
        lines.push({ kind: 'gap', before: null, after: null, text: hunk[3] ?? '' })
    } else if (!begun || line.startsWith('\\')) {
      // The head, or the remark that a file ends without a line break.
    } else if (line.startsWith('-'))
      lines.push({ kind: 'gone', before: before++, after: null, text: line.slice(1) })
    else if (line.startsWith('+'))
      lines.push({ kind: 'new', before: null, after: after++, text: line.slice(1) })
    else lines.push({ kind: 'same', before: before++, after: after++, text: line.slice(1) })
  }
  return lines
}

export interface DiffPair {
  readonly left: DiffLine | null
  readonly right: DiffLine | null
}

/** What was taken out beside what took its place. */
export function sideBySide(lines: readonly DiffLine[]): DiffPair[] {
  const pairs: DiffPair[] = []
  let gone: DiffLine[] = []
  let fresh: DiffLine[] = []
  const flush = (): void => {
    for (let at = 0; at < Math.max(gone.length, fresh.length); at++)
      pairs.push({ left: gone[at] ?? null, right: fresh[at] ?? null })
    gone = []
    fresh = []
  }
  for (const line of lines) {
    if (line.kind === 'gone') {
      if (fresh.length > 0) flush()
      gone.push(line)
    } else if (line.kind === 'new') fresh.push(line)
    else {
      flush()
      pairs.push({ left: line, right: line })
    }
  }
  flush()
  return pairs
}

export function countChanges(lines: readonly DiffLine[]): { readonly gone: number; readonly fresh: number } {
  return {
    gone: lines.filter(({ kind }) => kind === 'gone').length,
    fresh: lines.filter(({ kind }) => kind === 'new').length,
  }
}
