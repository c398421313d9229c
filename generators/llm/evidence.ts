import { parseFragment } from 'parse5'
import { withoutComments } from '../comments.js'
import { unstatedIn, valueOfFigure } from '../grounding/claims.js'
import { addedTexts, isClassList } from '../page/visible-text.js'
import type { Candidate, ShownFile } from '../port.js'

/** Words as they are written, and as they are compared. */
interface Phrase {
  words: string[]
  keys: string[]
}

/** A fact of a new text, with as many words around it as the file has too. */
interface Match {
  path: string
  says: string
  /** words of the new text that the file has, first and last */
  from: number
  to: number
}

const INLINE = /<\/?(?:b|strong|em|i|span|mark|small|a)\b[^<>]*>/g
const UNSEEN = /\b(?:class(?:Name)?|style|d|viewBox|src|href|id|key)=(?:"[^"]*"|'[^']*'|\{`[^`]*`\})/g
/** Drawings, paths of imports, and attributes with figures alone, as `width="14"`. */
const NO_TEXT =
  /<svg\b[\s\S]{0,20000}?<\/svg>|\b(?:from|import|require\()\s*(["'])[^"'\n]*\1|(?<![\w:-])[\w:-]{1,40}=(["'])[\d\s.,%-]*(?:px|r?em|v[hw]|deg)?\2/g
const ENTITY = /&#?\w+;/g
const STRINGS_AND_TEXTS = /(["'`])((?:\\.|(?!\1)[^\\\n])*)\1|[>}]((?:&#?\w+;|[^<>{}=;])+)(?=[<{])/g

interface Says {
  path: string
  says: string
}

/** Words in a row that two texts share and that one of them has from the other. */
const MIN_SHARED = 5
const MAX_EVIDENCE = 8

/** A number that code or data gives a name: `fee = 15`, `"price": 49`. */
const NAMED_NUMBER = /(?<![\w$.-])["']?([a-z_$][\w$]*)["']? ?[=:] ?\d+(?:\.\d+)?(?=\s*[,;}\]\n])/gi
/** The name that a template shows: `{{ fee }}`, `{plan.price}`, `${total.toFixed(2)}`. */
const SHOWN_NAME = /\{\s*(?:[\w$]+\??\.)*([\w$]+)(?:\.\w+\([^()]*\))?\s*\}/g

/** The texts that visitors may read in a file: strings of code, words between tags, numbers that it shows. */
function phrasesOf(
  { path, text }: { path: string; text: string },
  shownNames: ReadonlySet<string>,
): Phrase[] {
  if (!/\.([cm]?[jt]sx?|vue|svelte|html?|json)$/i.test(path)) return text.split('\n').map(phraseOf)
  const seen = withoutComments(text).replace(UNSEEN, '').replace(NO_TEXT, '').replace(INLINE, '')
  const numbers = [...seen.matchAll(NAMED_NUMBER)].filter(([, name = '']) => shownNames.has(name))
  return [...seen.matchAll(STRINGS_AND_TEXTS)]
    .map(([, , string, words]) => (string ?? words ?? '').replace(ENTITY, decoded))
    .filter((words) => /\p{L}|\d/u.test(words) && !isClassList(words))
    .concat(numbers.map(([number]) => number))
    .map(phraseOf)
}

function decoded(entity: string): string {
  const [node] = parseFragment(entity).childNodes
  return node !== undefined && 'value' in node ? node.value : entity
}

function phraseOf(text: string): Phrase {
  const words = text.split(/\s+/).filter((word) => word !== '')
  const key = (word: string): string => word.toLowerCase().replace(/^[^\p{L}\d$€£]+|[^\p{L}\d%°$€£]+$/gu, '')
  return { words, keys: words.map(key) }
}

/** Numbers are the same if one of them has no unit, or both have the same one: 24h is not 24%. */
function isSameFigure(a: string, b: string): boolean {
  const [one, other] = [a, b].map((key) => [key.match(/\d+(?:[.,:]\d+)*/)?.[0], key.replace(/[\d.,:]/g, '')])
  return (
    valueOfFigure(one?.[0] ?? '') === valueOfFigure(other?.[0] ?? '') &&
    (one?.[1] === other?.[1] || one?.[1] === '' || other?.[1] === '')
  )
}

/** Index of the word by which a phrase says a fact of a text, -1 if it does not say it. */
function placeIn({ words, keys }: Phrase, fact: { key: string; claim: string | null }): number {
  const exact = keys.indexOf(fact.key)
  if (exact >= 0 && fact.claim === null) return exact
  if (fact.claim === null) return keys.findIndex((key) => /\d/.test(key) && isSameFigure(fact.key, key))
  const { claim } = fact
  const isSaid = (text: string): boolean => unstatedIn(claim, text).length === 0
  return isSaid(words.join(' ')) ? Math.max(exact, keys.findIndex(isSaid), 0) : -1
}

/** Words of the file around a fact that it says in other words than the text. */
const AROUND = 3

function matchOf(text: Phrase, at: number, claim: string | null, path: string, phrase: Phrase): Match | null {
  const place = placeIn(phrase, { key: text.keys[at] ?? '', claim })
  if (place < 0) return null
  const isSame = (by: number): boolean =>
    text.keys[at + by] !== undefined && text.keys[at + by] === phrase.keys[place + by]
  let [from, to] = [0, 0]
  while (isSame(from - 1)) from--
  while (isSame(to + 1)) to++
  const isAlone = from === to
  const says = phrase.words.slice(
    Math.max(0, place + (isAlone ? -AROUND : from)),
    place + 1 + (isAlone ? AROUND : to),
  )
  return { path, says: says.join(' ').replace(/[.,;:]+$/, ''), from: at + from, to: at + to }
}

/**
 * The words of other files that say the figures and claims of new texts, or that new texts repeat, for each
 * the longest wording that both share first, each once.
 */
export const evidenceFrom = (files: Candidate['files'], shown: readonly ShownFile[]): Says[] =>
  saidIn(files, shown, (path, changed) => path !== changed)

/** The same of the files that are changed, beside the places that are. */
export const evidenceBeside = (files: Candidate['files'], shown: readonly ShownFile[]): Says[] =>
  files.flatMap((one) => {
    const own = shown.filter(({ path }) => path === one.path)
    const beside = own.map(({ path, text }) => ({
      path,
      text: one.edits.reduce((rest, { find }) => rest.replace(find, ' '), text),
    }))
    return saidIn([one], beside, () => true)
  })

function saidIn(
  files: Candidate['files'],
  shown: readonly ShownFile[],
  counts: (path: string, changed: string) => boolean,
): Says[] {
  const shownNames = new Set(
    shown.flatMap(({ text }) => [...text.matchAll(SHOWN_NAME)].map(([, name = '']) => name)),
  )
  const read = shown.map((file) => ({ path: file.path, phrases: phrasesOf(file, shownNames) }))
  const found = files.flatMap(({ path, edits }) => {
    const ownFirst = [...read].sort((a, b) => Number(b.path === path) - Number(a.path === path))
    const added = edits.flatMap(addedTexts).filter(({ text }) => !isClassList(text))
    return added.flatMap(({ text: said }) => {
      const text = phraseOf(said)
      const claims = unstatedIn(said, '').filter((one) => !/^\d/.test(one))
      const facts = [
        ...text.keys.flatMap((key, at) => (/\d/.test(key) ? [{ at, claim: null }] : [])),
        ...claims.map((claim) => ({ at: phraseOf(said.slice(0, said.indexOf(claim))).words.length, claim })),
      ]
      const best = facts.flatMap(({ at, claim }) => {
        const matches = ownFirst.flatMap((file) =>
          file.phrases.flatMap((phrase) => matchOf(text, at, claim, file.path, phrase) ?? []),
        )
        return matches.sort(byLength).slice(0, 1)
      })
      const shared = text.keys.flatMap((key, at) => {
        if (key.length < 4 || best.some(({ from, to }) => at >= from && at <= to)) return []
        const matches = ownFirst.flatMap((file) =>
          file.phrases.flatMap((phrase) => matchOf(text, at, null, file.path, phrase) ?? []),
        )
        return matches
          .filter(({ from, to }) => to - from + 1 >= MIN_SHARED)
          .sort(byLength)
          .slice(0, 1)
      })
      return [...best, ...shared]
        .filter((one) => counts(one.path, path))
        .map((one) => ({ path: one.path, says: one.says }))
    })
  })
  const longest = [...found].sort((a, b) => b.says.length - a.says.length)
  return longest
    .filter(
      ({ path, says }, index) =>
        !longest.slice(0, index).some((one) => one.path === path && ` ${one.says} `.includes(` ${says} `)),
    )
    .slice(0, MAX_EVIDENCE)
}

const byLength = (a: Match, b: Match): number => b.to - b.from - (a.to - a.from)

/** For a refusal: the places of figures of new texts in the code of a shown file, which states nothing. */
export function figuresInCode(
  { files, evidence = [] }: Pick<Candidate, 'files' | 'evidence'>,
  shown: readonly { path: string; text: string }[],
): string[] {
  const said = evidence.map(({ says }) => says).join('\n')
  return files.flatMap(({ path, edits }) => {
    const own = shown.find((one) => one.path === path)?.text ?? ''
    const texts = edits.flatMap(addedTexts).map(({ text }) => text)
    const unstated = texts
      .flatMap((text) => unstatedIn(text, `${own}\n${said}`))
      .filter((one) => /^\d/.test(one))
    return [...new Set(unstated)].flatMap((figure) => {
      const found = shown.flatMap((file) => {
        const line = file.text.split('\n').find((one) => unstatedIn(figure, one).length === 0)
        return line === undefined ? [] : [{ path: file.path, line }]
      })[0]
      return found === undefined
        ? []
        : [`${found.path} has ${figure} in code, not in a text: “${found.line.trim().slice(0, 80)}”`]
    })
  })
}
