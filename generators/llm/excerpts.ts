import { holdsSecret, isSecretPath } from '../grounding/secrets.js'
import { isPagePath, mayShow, rankOf } from '../page/page-paths.js'
import type { Drops, SiteFiles } from '../port.js'
import { tokensOf } from './budget.js'
import { LlmError } from './llm-error.js'
import type { Excerpt } from './prompt.js'

const MAX_EXCERPT_CHARS = 24_000
const MAX_FILE_CHARS = 400_000

/** A file, cut at the end of a line if it is too long. */
export function cutExcerpt(path: string, text: string): Excerpt {
  if (text.length <= MAX_EXCERPT_CHARS) return { path, text }
  const end = text.lastIndexOf('\n', MAX_EXCERPT_CHARS)
  return { path, text: text.slice(0, end > 0 ? end : MAX_EXCERPT_CHARS) }
}

/**
 * Selects the files to show to the model, the likeliest pages first, up to `tokens` in total. Leaves out
 * every file that contains a secret. Keeps only the best candidates in memory.
 */
export async function selectExcerpts(
  repository: SiteFiles,
  tokens: number,
  drops: Drops,
  signal?: AbortSignal,
): Promise<Excerpt[]> {
  let candidates: { rank: number; excerpt: Excerpt; cost: number }[] = []
  let cost = 0
  let fitting = 0
  for await (const { path, text } of repository.files()) {
    signal?.throwIfAborted()
    if (text === null || !isPagePath(path) || !mayShow(path, text)) continue
    if (text.length > MAX_FILE_CHARS) {
      drops.add('file_too_large')
      continue
    }
    if (isSecretPath(path) || holdsSecret(text)) {
      drops.add('secret')
      continue
    }
    const excerpt = cutExcerpt(path, text)
    const excerptCost = tokensOf(excerpt.text) + 20
    fitting += 1
    candidates.push({ rank: rankOf(path), excerpt, cost: excerptCost })
    cost += excerptCost
    if (cost > 2 * tokens) [candidates, cost] = highestRanked(candidates, tokens)
  }
  const chosen = highestRanked(candidates, tokens)[0].map(({ excerpt }) => excerpt)
  if (chosen.length === 0 && fitting > 0)
    throw new LlmError(
      'budget',
      `none of ${fitting} files fits into the token budget of a batch: raise SVC_LLM_MAX_TOKENS`,
    )
  return chosen
}

function highestRanked<T extends { rank: number; cost: number; excerpt: Excerpt }>(
  files: readonly T[],
  tokens: number,
): [T[], number] {
  const sorted = [...files].sort((a, b) => b.rank - a.rank || (a.excerpt.path < b.excerpt.path ? -1 : 1))
  const chosen: T[] = []
  let cost = 0
  for (const one of sorted) {
    if (cost + one.cost > tokens) continue
    chosen.push(one)
    cost += one.cost
  }
  return [chosen, cost]
}

/** Splits files into groups that each fit into one prompt. */
export function groupByTokens(excerpts: readonly Excerpt[], tokens: number): Excerpt[][] {
  const groups: Excerpt[][] = []
  let room = 0
  for (const excerpt of excerpts) {
    const cost = tokensOf(excerpt.text) + 20
    if (cost > room || groups.length === 0) {
      groups.push([])
      room = tokens
    }
    groups.at(-1)?.push(excerpt)
    room -= cost
  }
  return groups
}
