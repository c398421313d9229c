import type { Change } from './types.js'

/** What a pull request would change, as far as it can be told without a repository: whether a file is there, and where an edit falls, cannot. */
export function planOf(changes: readonly Change[]) {
  return {
    commit: null,
    files: changes.map((change) => ({
      path: change.path,
      action: change.action,
      summary: summaryOf(change),
      diff: change.action === 'create' ? creationDiff(change.path, change.content ?? '') : null,
      state: null,
      movedTo: null,
    })),
  }
}

function summaryOf(change: Change): string {
  if (change.action === 'delete') return 'Deletes the file'
  if (change.action === 'create') return `Adds ${count(linesOf(change.content ?? '').length, 'line')}`
  return `Makes ${count(change.edits?.length ?? 0, 'edit')}`
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`
}

/** The unified diff of a new file. */
function creationDiff(path: string, content: string): string {
  const lines = linesOf(content)
  if (lines.length === 0) return ''
  const end = content.endsWith('\n') ? '' : '\\ No newline at end of file\n'
  const range = lines.length === 1 ? '+1' : `+1,${lines.length}`
  return `--- /dev/null\n+++ b/${path}\n@@ -0,0 ${range} @@\n${lines.map((line) => `+${line}\n`).join('')}${end}`
}

function linesOf(content: string): string[] {
  if (content === '') return []
  return (content.endsWith('\n') ? content.slice(0, -1) : content).split('\n')
}
