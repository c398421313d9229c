import { HELPER_FILE } from '../helper-name.js'
import { mergeLines } from '../three-way.js'

const STEM = HELPER_FILE.replace('.js', '')
const IMPORT = `[ \\t]*import \\{ (?:v|SvcV)ariant(?: as \\w+)? \\} from (['"])[^'"\\n]*${STEM}(?:-component)?(?:\\.js)?\\1;?[ \\t]*\\r?\\n`
/** An import in a component's block that has nothing else. */
const BLOCK = new RegExp(`<script[^>\\n]*>\\r?\\n${IMPORT}</script>\\r?\\n(?:\\r?\\n)?`, 'g')
const LINE_AND_BLANK = new RegExp(`^${IMPORT}(?:[ \\t]*\\r?\\n)?`, 'gm')
const LINE = new RegExp(`^${IMPORT}`, 'gm')

/**
 * Today's text with the references to helper and state that `before` has, or null if they cannot be merged by
 * lines. A cleanup may have taken the blank line after an import with it.
 *
 * @param state the path of the serving state, if known
 */
export function withReferencesOf(before: string, today: string, state: string | undefined): string | null {
  const isSource = (src: string) => src.includes(STEM) || (state !== undefined && src.includes(state))
  const tags =
    /^[ \t]*<script\b[^>]*\bsrc="([^"]*)"[^>]*><\/script>[ \t]*\r?\n|<script\b[^>]*\bsrc="([^"]*)"[^>]*><\/script>/gm
  const untagged = before.replace(tags, (tag, ...[line, inline]: [string?, string?]) =>
    isSource(line ?? inline ?? '') ? '' : tag,
  )
  for (const imports of [BLOCK, LINE_AND_BLANK, LINE]) {
    const without = untagged.replace(imports, '')
    if (without === before) continue
    const merged = mergeLines(before, without, today)
    if (merged !== null && merged !== today) return merged
  }
  return null
}
