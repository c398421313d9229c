import type { Rendering } from '../../variants/helper/rendering.js'
import type { Edit, ManifestFile, Written } from '../../variants/port.js'
import type { ErrorDetail } from '../domain-errors.js'
import type { Change, Variant } from '../experiments/index.js'
import { type HelperPlace, helperReference } from './helper-location.js'
import type { Found } from './read-files.js'
import { writeVariantsOnThread } from './variant-writer.js'

/** The changes of an experiment. */
export interface Plan {
  readonly key: string
  /** The first is the control. */
  readonly variants: readonly Variant[]
  readonly changes: readonly Change[]
}

/** A file before and after a change. Null if it does not exist. */
export interface WrittenFile {
  readonly path: string
  readonly action: 'create' | 'modify' | 'delete'
  readonly summary: string
  readonly before: string | null
  readonly after: string | null
}

/** The changed files and their entries in the manifest, or the problems with JSON pointers as paths. */
export async function writeChanges(
  { key, variants: declared, changes }: Plan,
  helper: (HelperPlace & Rendering) | undefined,
  found: Found,
  exposures: string,
): Promise<{
  readonly files: readonly WrittenFile[]
  readonly manifest: Readonly<Record<string, ManifestFile>>
  readonly problems: readonly ErrorDetail[]
}> {
  const problems: ErrorDetail[] = []
  const files: WrittenFile[] = []
  const manifest: Record<string, ManifestFile> = {}
  const variants = declared.map((variant, index) => ({ ...variant, isControl: index === 0 }))
  for (const [index, change] of changes.entries()) {
    const { path, action } = change
    const before = found.files.get(path)?.text ?? null
    const summary = summaryOf(change)
    if (action !== 'modify' || before === null) {
      const after = action === 'create' ? (change.content ?? '') : null
      files.push({ path, action, summary, before, after })
      manifest[path] =
        action === 'create' ? { action, content: after ?? '' } : { action: 'delete', content: before ?? '' }
      continue
    }
    const written = await writeVariantsOnThread({
      path,
      text: before,
      experiment: { key, variants },
      edits: editsOf(change, before),
      ...(helper !== undefined && hasVariants(change)
        ? { helper: helperReference(helper, path, exposures) }
        : {}),
    })
    if (!written.ok) {
      problems.push(...problemsIn(written, index, change))
      continue
    }
    files.push({ path, action, summary, before, after: written.text })
    manifest[path] = { action: 'modify', regions: written.regions }
  }
  return { files, manifest, problems }
}

function problemsIn(
  { problems }: Extract<Written, { readonly ok: false }>,
  index: number,
  { edits }: Change,
): ErrorDetail[] {
  return problems.map(({ edit, message, units = [] }) => ({
    path: edit === null || edits === undefined ? `/changes/${index}` : `/changes/${index}/edits/${edit}`,
    message: units.length === 0 ? message : `${message}. Possible: ${shown(units)}`,
  }))
}

export function hasVariants({ edits }: Change): boolean {
  return edits?.some(({ variant }) => variant !== undefined) ?? false
}

/** New content replaces the whole file. */
function editsOf({ content, edits }: Change, before: string): Edit[] {
  if (content !== undefined) return [{ find: before, replace: content }]
  return (edits ?? []).map(({ find, replace, variant }) => ({
    find,
    replace,
    ...(variant === undefined ? {} : { variant }),
  }))
}

/** The effect of a change on its file, in a few words. */
export function summaryOf({ action, content, edits }: Change): string {
  if (action === 'delete') return 'Deletes the file'
  if (action === 'create') return `Adds ${count(linesOf(content ?? ''), 'line')}`
  return edits === undefined ? 'Replaces the whole file' : `Makes ${count(edits.length, 'edit')}`
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`
}

function linesOf(content: string): number {
  if (content === '') return 0
  return (content.endsWith('\n') ? content.slice(0, -1) : content).split('\n').length
}

const SHOWN_UNITS = 5
const SHOWN_CHARACTERS = 200

function shown(units: readonly string[]): string {
  return units
    .slice(0, SHOWN_UNITS)
    .map((unit) => JSON.stringify([...unit].slice(0, SHOWN_CHARACTERS).join('')))
    .join(', ')
}
