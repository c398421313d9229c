import type { Sql } from '../postgres/driver/client.js'

/** Between the texts that are searched together; no text and no term holds it after folding. */
const SEPARATOR = '\u001f'
/** Stands for it where a text or a term holds it itself: folding leaves no other capital letter. */
const STAND_IN = 'A'

/** Texts as they are searched: without letter case, one after the other, so that no term is found across two. */
export function foldForSearch(texts: readonly string[]): string {
  return texts.map(fold).join(SEPARATOR)
}

/**
 * A condition that finds a term literally in a column of folded texts. The trigram index knows runs of three letters or digits; asked for less
 * it would read itself from end to end, for all workspaces, so then the workspace's own rows are read instead.
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

/** Upper case in between joins what lower case keeps apart, as ß and ss; lower case first opens the capital ẞ to it. */
function fold(text: string): string {
  const folded = text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ')
  return folded.replaceAll(SEPARATOR, STAND_IN)
}
