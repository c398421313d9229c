import type { Sql } from '../postgres/driver/client.js'

/** Separates texts that are searched together. Folding removes it from texts and terms. */
const SEPARATOR = '\u001f'
/** Replaces a separator inside a text. Folding leaves no other upper-case letter. */
const REPLACEMENT = 'A'

/** Joins texts for a search without letter case, so that no term matches across two of them. */
export function foldForSearch(texts: readonly string[]): string {
  return texts.map(fold).join(SEPARATOR)
}

/**
 * A condition that matches a term literally in a column of folded texts. A term without three letters or
 * digits in a row would scan the whole trigram index, for all workspaces, so it is matched against the
 * workspace's rows instead.
 *
 * @param column its name in the statement
 */
export function searchCondition(sql: Sql, column: string, term: string) {
  const folded = fold(term)
  return /[a-z0-9]{3}/.test(folded)
    ? sql`${sql(column)} like ${likePattern(folded)}`
    : sql`strpos(${sql(column)}, ${folded}) > 0`
}

function likePattern(folded: string): string {
  return `%${folded.replace(/[\\%_]/g, '\\$&')}%`
}

/** Lower, upper and lower case again, so that ß, ẞ and ss are equal. */
function fold(text: string): string {
  const folded = text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ')
  return folded.replaceAll(SEPARATOR, REPLACEMENT)
}
