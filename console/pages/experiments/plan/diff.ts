/* Parses a unified diff for a unified or a side-by-side view. */

export interface DiffLine {
  readonly kind: 'same' | 'gone' | 'new' | 'gap'
  /** Line number from 1 in each file; null if the line is not in it. */
  readonly before: number | null
  readonly after: number | null
  readonly text: string
}

/** Skips the header, which names the files. */
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
      // No gap at the beginning of a file.
      if (lines.length > 0 || before > 1 || after > 1)
        lines.push({ kind: 'gap', before: null, after: null, text: hunk[3] ?? '' })
    } else if (!begun || line.startsWith('\\')) {
      // The header, or `\ No newline at end of file`.
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

/** Pairs removed lines with the lines that replace them. */
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
