import type { SiteFiles } from '../port.js'
import { tokensOf } from './budget.js'
import type { Excerpt } from './prompt.js'
import { isShowable } from './survey.js'

const MAX_EXCERPT_CHARS = 30_000

/** A file, cut at the end of a line if it is too long. */
export function cutExcerpt(path: string, text: string): Excerpt {
  if (text.length <= MAX_EXCERPT_CHARS) return { path, text }
  const end = text.lastIndexOf('\n', MAX_EXCERPT_CHARS)
  return { path, text: text.slice(0, end > 0 ? end : MAX_EXCERPT_CHARS) }
}

const tokensOfExcerpt = ({ path, text }: Excerpt): number => tokensOf(path) + tokensOf(text) + 20

/** The files of some paths that may be shown, without those that are known, up to `tokens` in total. */
export async function readExcerpts(
  repository: Pick<SiteFiles, 'read'>,
  paths: readonly string[],
  known: readonly string[] = [],
  tokens = 20_000,
): Promise<Excerpt[]> {
  const excerpts: Excerpt[] = []
  let left = tokens
  for (const path of new Set(paths)) {
    if (known.includes(path)) continue
    const text = await repository.read(path)
    if (text === null || !isShowable(path, text)) continue
    const excerpt = cutExcerpt(path, text)
    const cost = tokensOfExcerpt(excerpt)
    if (cost > left) continue
    left -= cost
    excerpts.push(excerpt)
  }
  return excerpts
}
