import { holdsSecret, isSecretPath } from '../grounding/secrets.js'
import { isPagePath, mayShow, rankOf } from '../page/page-paths.js'
import type { Drops, SiteFiles } from '../port.js'
import { tokensOf } from './budget.js'
import { LlmError } from './llm-error.js'
import type { Excerpt } from './prompt.js'

const LONGEST_EXCERPT = 24_000
const LONGEST_FILE = 400_000

/** A file, cut at the end of a line if it is too long. */
export function excerptOf(path: string, text: string): Excerpt {
  if (text.length <= LONGEST_EXCERPT) return { path, text }
  const end = text.lastIndexOf('\n', LONGEST_EXCERPT)
  return { path, text: text.slice(0, end > 0 ? end : LONGEST_EXCERPT) }
}

/**
 * The files that the model is shown, the likeliest pages first, at most `tokens` of them. A file with a
 * secret is left out whole. Only the best so far are held in memory.
 */
export async function excerptsOf(
  repository: SiteFiles,
  tokens: number,
  drops: Drops,
  signal?: AbortSignal,
): Promise<Excerpt[]> {
  let kept: { rank: number; excerpt: Excerpt; cost: number }[] = []
  let cost = 0
  let fitting = 0
  for await (const { path, text } of repository.files()) {
    signal?.throwIfAborted()
    if (text === null || !isPagePath(path) || !mayShow(path, text)) continue
    if (text.length > LONGEST_FILE) {
      drops.add('file_too_large')
      continue
    }
    if (isSecretPath(path) || holdsSecret(text)) {
      drops.add('secret')
      continue
    }
    const excerpt = excerptOf(path, text)
    const own = tokensOf(excerpt.text) + 20
    fitting += 1
    kept.push({ rank: rankOf(path), excerpt, cost: own })
    cost += own
    if (cost > 2 * tokens) [kept, cost] = best(kept, tokens)
  }
  const chosen = best(kept, tokens)[0].map(({ excerpt }) => excerpt)
  if (chosen.length === 0 && fitting > 0)
    throw new LlmError('budget', `of ${fitting} files none fits into the tokens that a batch may cost`)
  return chosen
}

function best<T extends { rank: number; cost: number; excerpt: Excerpt }>(
  files: readonly T[],
  tokens: number,
): [T[], number] {
  const sorted = [...files].sort((a, b) => b.rank - a.rank || (a.excerpt.path < b.excerpt.path ? -1 : 1))
  const kept: T[] = []
  let cost = 0
  for (const one of sorted) {
    if (cost + one.cost > tokens) continue
    kept.push(one)
    cost += one.cost
  }
  return [kept, cost]
}

/** Groups of files that fit into one question each. */
export function grouped(excerpts: readonly Excerpt[], tokens: number): Excerpt[][] {
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
