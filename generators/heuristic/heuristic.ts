import type { Candidate, Drops, Generator, IsWanted, Request, SourceFile } from '../port.js'
import { holdsSecret, isSecretPath } from '../secrets.js'
import { isPagePath, mayShow, rankOf } from '../surface-rank.js'
import { analyse, type Draft, type Findings, isNobodys, nothingIn } from './analyse.js'
import { Around, type Known } from './around.js'
import { candidateOf } from './candidate.js'
import type { Node } from './imports.js'
import { localeOf, placeOf } from './locales.js'
import { filesTakenBy, isShownByPlace, reachOf, whoShows } from './reach.js'
import { refineByRules } from './refine/refine.js'
import { strayPages } from './strays.js'
import { neverNamed } from './uses.js'
import { IS_WHOLE, waitsFor } from './waiting.js'

/** What a file came to: what was found in it, that it is not there, or why it was not looked at. */
export type Look = Findings | 'nothing' | 'file_too_large' | 'file_unreadable'

/** What is known of a file's content, kept by the caller between batches so that an unchanged file is neither read nor parsed again. Values are plain data. */
export interface LooksCache {
  get(key: string): Look | undefined
  set(key: string, look: Look): unknown
}

/** Longer files are built, or data; parsing them holds up everything else. */
const LONGEST_FILE = 400_000

/** What a program takes from others, where that was put into its repository: the kit of a page in it is none of its own. */
const OF_OTHERS = /(^|\/)(node_modules|bower_components)\//

/** Whether a generator looks at a file of this path at all; others need not be read, nor given. */
export const isReadPath = (path: string): boolean =>
  !OF_OTHERS.test(path) &&
  (isPagePath(path) || placeOf(path) !== null || namesOthers(path) || handles(path)) &&
  !isSecretPath(path)

/** Sources that show nothing themselves, and name parts that are shown. */
const NAMES_OTHERS =
  /(^|\/)(?!node_modules\/)([\w.-]*(router?|routes?|routing|registry|components?|plugins?|widgets|blocks|sections|pages|views|modals?|dialogs?|lazy|loadable|layouts?|mapping|config|nav\w*|menu|tabs|steps)|index|main|app)\.[cm]?ts$/i
/** Kits whose pages are written in what is not read, so that their parts may be named there. */
const WRITES_ELSEWHERE =
  /(^|\/)(astro|docusaurus|gatsby|nextra|vitepress|storyblok)[\w.-]*\.[cm]?[jt]s$|(^|\/)theme\.config\.[jt]sx$/i
const namesOthers = (path: string): boolean => NAMES_OTHERS.test(path) || WRITES_ELSEWHERE.test(path)
/** Sources that may read what a form sends, or say that it was sent: by where they are, or what they are called. */
const HANDLES =
  /(^|\/)(?!node_modules\/)(?!.*\.(d|test|spec|stories)\.)([\w.-]*(actions?|handlers?|controllers?|services?|schemas?|validat\w*|validation|mail\w*|emails?|models?|accounts?|customers?|users?|profiles?|addresses|address|contacts?|sign-?up|regist\w*|checkout|orders?|cart|leads?|auth|servers?|middleware|proxy|data|catalog\w*|products?|produits?|produkte|productos?|plans?|pricing|tarifs?|preise|precios|packages|offers?)|(api|server|hooks|composables|analytics|tracking)\/.*|route|\+page\.server)\.[cm]?ts$/i
const handles = (path: string): boolean => HANDLES.test(path)
/** Where a host gives a part of a repository only, nothing is known of what the rest names. */
const MAX_KNOWN = 1_400

/** Proposals by rules on what parsers read, without any model and without the network. */
export function heuristic(cache?: LooksCache): Generator {
  const propose: Generator['propose'] = (request, drops, signal) => candidates(request, drops, cache, signal)
  return { propose, refine: (request, signal) => refineByRules(request, propose, signal) }
}

function lookOf(path: string, text: string, locale: string | null, known: Known | null): Look {
  if (!mayShow(path, text)) return nothingIn(path, text.slice(0, LONGEST_FILE))
  const { own, length } = text.length > LONGEST_FILE ? withoutPictures(text) : { own: text, length: 0 }
  if (length > LONGEST_FILE) return 'file_too_large'
  return analyse(path, own, locale, known) ?? 'file_unreadable'
}

/** A copy: a piece of a text keeps the whole text in memory, and with it that of hundreds of pages. */
const apart = (look: Look): Look =>
  typeof look === 'string' ? look : (JSON.parse(JSON.stringify(look)) as Findings)

/** Pictures that stand in a page as text, blank so that everything else keeps its place, and how long it is without them. */
function withoutPictures(text: string): { own: string; length: number } {
  let length = text.length
  const own = text.replace(/(?<=data:[\w/+.;=-]{4,60};base64,)[A-Za-z\d+/]{500,}=*/g, (picture) => {
    length -= picture.length
    return ' '.repeat(picture.length)
  })
  return { own, length }
}

/** Files that are read once more with what the others say; the likeliest surfaces come first. */
const MAX_READ_AGAIN = 1_500

/** What is not even done without being asked: it is proposed only where the focus asks for it, however many come by. */
const MIN_EFFECT = 1
/** What a team would rather do than test: it is proposed only where there would be nothing. */
const SMALL_EFFECT = 2
/** Of what may lock people out, as far as the code says. */
const LOCKS_OUT = 0.5
/**
 * What is less than this is small: it fills up a batch that is thin without it. Only in pages that stand in one file, or in a site of few files: in large programs
 * what is around a place decides whether such a change reads right, and stands in too many files to be known.
 */
const LARGER_EFFECT = 3
const MAX_OVERSEEN = 40
/** Larger sites have somebody who has seen to the smallest things. */
const MAX_PLAIN = 8
/** A larger effect, on a page that few see. */
const LARGER_SCORE = 2
/** What is hoped for of those who are no customers yet: a part that customers see too says it to both. */
const WINS: ReadonlySet<Draft['goal']> = new Set(['sign up', 'plan', 'purchase'])

/** The same change in several files is one thing to decide about: the file whose path comes first leads. */
function oneEverywhere(drafts: readonly Draft[]): Draft[] {
  const sameAs = ({ pattern, name, path }: Draft, other: Draft): boolean =>
    other.isOneEverywhere === true && other.pattern === pattern && other.name === name && other.path !== path
  return drafts.flatMap((draft): Draft[] => {
    if (draft.isOneEverywhere !== true) return [draft]
    const others = drafts.filter((other) => sameAs(draft, other)).sort((a, b) => (a.path < b.path ? -1 : 1))
    if (others.some(({ path }) => path < draft.path)) return []
    return [
      {
        ...draft,
        additions: [...draft.additions, ...others.map(({ path, edits }) => ({ path, edits }))],
        places: others.map(({ path, anchor }) => ({ path, anchor })),
      },
    ]
  })
}

/** Without what another rule does for the same visitors. */
function oneOfTwoRules(drafts: readonly Draft[]): Draft[] {
  const patterns = new Set(drafts.map(({ pattern }) => pattern))
  return drafts.filter(({ unless }) => unless === undefined || !patterns.has(unless))
}

interface Asking {
  path: string
  blobId: string
  first: Findings
}

const keyOf = (
  { path, blobId }: Pick<SourceFile, 'path' | 'blobId'>,
  locale: string | null,
  known?: Known,
): string => `${blobId} ${path} ${locale ?? ''} ${known?.key ?? ''}`

const ADDRESS = /\b(?:href|to)=\{?["'`](\/[\w/-]+)["'`]/g
const addressesIn = (code: string): string[] => [...code.matchAll(ADDRESS)].map(([, to = '']) => to)

/** Whether a draft holds for the repository as a whole, and on the day of the batch. */
function holdsNow(
  draft: Draft,
  {
    around,
    taken,
    drops,
    today = '9999',
  }: { around: Around; taken: Set<string>; drops: Drops; today: string | undefined },
): boolean {
  if (draft.needsClass !== undefined) {
    // Of several quieter classes the first that the site has is enough.
    const place = `${draft.path} ${draft.anchor}`
    if (!around.classes.has(draft.needsClass) || taken.has(place)) return false
    taken.add(place)
  }
  if (draft.onlyWhere === 'nothing sticks' && around.sticks) return false
  if (draft.leadsTo !== undefined && around.isSeenOnlyAt(draft.path, draft.leadsTo)) return false
  if (draft.onlyWhere === 'anybody comes' && around.isKept(draft.path)) return false
  // A day that is over, or that nobody can compare.
  if (draft.until !== undefined && draft.until <= today) return false
  if (
    draft.edits.some(({ find, replace }) =>
      addressesIn(replace).some((to) => !find.includes(to) && around.isNowhere(to)),
    )
  )
    return false
  const isSecret = draft.edits.some(({ find, replace }) => holdsSecret(find) || holdsSecret(replace))
  if (isSecret) drops.add('secret')
  return !isSecret
}

/** Where there is no page at all, what shows its parts is somewhere else. */
const hasPage = (nodes: readonly Node[]): boolean => nodes.some(({ path }) => isShownByPlace(path))

/** How small a draft is; `large` is proposed by itself, and of `nothing` nobody speaks without being asked: what a focus asks for is found however small. */
function sizeOf(
  { effect, goal, path, pattern }: Draft,
  { score }: Candidate,
  { pageFiles, isInside }: { pageFiles: number; isInside: boolean },
): 'large' | 'small' | 'smallest' | 'nothing' {
  const isSmall = effect < LARGER_EFFECT || score < LARGER_SCORE
  const isOverseen = pageFiles <= MAX_OVERSEEN || IS_WHOLE.test(path)
  const waits = waitsFor(pattern, path, pageFiles)
  if (waits === 'focus' || effect < MIN_EFFECT || (isInside && WINS.has(goal)) || (isSmall && !isOverseen))
    return 'nothing'
  if (!isSmall && waits === null) return 'large'
  if (effect >= SMALL_EFFECT && waits === null) return 'small'
  return pageFiles <= MAX_PLAIN ? 'smallest' : 'nothing'
}

/** What is known to hold only in part is worth less, and says what has to be looked at. */
function asFarAsKnown(draft: Draft, { setsAnew, mailsAnew }: Around): Draft {
  const isKnown =
    draft.onlyWhere === undefined ||
    draft.onlyWhere === 'nothing sticks' ||
    draft.onlyWhere === 'anybody comes' ||
    (draft.onlyWhere === 'passwords are set anew' ? setsAnew : mailsAnew)
  return isKnown
    ? draft
    : {
        ...draft,
        // Who types it blindly and mistypes it is locked out: that waits to be asked for.
        effect:
          draft.onlyWhere === 'passwords are mailed anew' ? LOCKS_OUT : Math.min(draft.effect, SMALL_EFFECT),
        because:
          'what is typed twice is mistyped twice as often (check that a forgotten one can be set anew)',
      }
}

/** Whether nobody sees its place, or reads what it leans on: that is said nowhere. */
const isUnseen = ({ path, evidence = [] }: Draft, isLost: (path: string) => boolean): boolean =>
  isLost(path) || evidence.some((one) => isPagePath(one.path) && isLost(one.path))

async function* candidates(
  request: Request,
  drops: Drops,
  cache?: LooksCache,
  signal?: AbortSignal,
): AsyncGenerator<Candidate> {
  const around = new Around()
  const found: Findings['drafts'] = []
  const take = ({ drafts, ambiguous }: Findings): void => {
    found.push(...drafts)
    for (let left = ambiguous; left > 0; left--) drops.add('ambiguous')
  }
  /** @param text `null`: it is not there any more, or its look is kept */
  const lookAt = async (
    path: string,
    key: string,
    text: string | null,
    locale: string | null,
    known: Known | null,
  ): Promise<Look> => {
    const kept = cache?.get(key)
    if (kept !== undefined) return kept
    const own = text ?? (await request.repository.read(path))
    const look = own === null ? 'nothing' : apart(lookOf(path, own, locale, known))
    cache?.set(key, look)
    if (typeof look !== 'string') await new Promise((resolve) => setImmediate(resolve))
    return look
  }
  const again: Asking[] = []
  const mayOpen: Asking[] = []
  const isWanted: IsWanted = (file) =>
    placeOf(file.path) !== null || cache?.get(keyOf(file, request.locale)) === undefined
  const lookedAt: Node[] = []
  let [areAllKnown, isWrittenElsewhere, looked] = [true, false, 0]
  for await (const file of request.repository.files(isWanted)) {
    signal?.throwIfAborted()
    const { path, blobId, text } = file
    if (WRITES_ELSEWHERE.test(path) && !OF_OTHERS.test(path)) isWrittenElsewhere = true
    if (!isReadPath(path)) continue
    looked += 1
    const locale = text === null ? null : localeOf(path, text)
    if (locale !== null) around.addLocale(locale)
    if (!isPagePath(path) && !namesOthers(path) && !handles(path)) continue
    const own = await lookAt(path, keyOf(file, request.locale), text, request.locale, null)
    if (typeof own === 'string') {
      if (own !== 'nothing') drops.add(own)
      areAllKnown = false
      continue
    }
    around.addHandled(path, own)
    lookedAt.push({ path, imports: own.imports, uses: own.uses })
    if (!isPagePath(path) && !namesOthers(path)) continue
    around.addNamed(path, own)
    if (!isPagePath(path)) continue
    around.add(path, own)
    around.addRoute(path)
    if (own.isOpen || own.asks !== null) again.push({ path, blobId, first: own })
    else if (own.facts.opensWith === null) mayOpen.push({ path, blobId, first: own })
    else take(own)
  }
  await around.readMore((path) => request.repository.read(path))
  const known = around.known()
  for (const asking of mayOpen) {
    const opens = known.site.openings[asking.path] !== undefined
    if (opens) again.push({ ...asking, first: { ...asking.first, asks: 'site' } })
    else take(asking.first)
  }
  const ranked = again.sort((a, b) => rankOf(b.path) - rankOf(a.path) || (a.path < b.path ? -1 : 1))
  for (const [index, asking] of ranked.entries()) {
    signal?.throwIfAborted()
    const { first, path } = asking
    const locale = first.isOpen ? around.mainLanguage() : request.locale
    const useful =
      (first.asks === 'texts' && known.texts.main.length > 0) || (first.asks === 'site' && known.hasSite)
    if ((!useful && (!first.isOpen || locale === null)) || index >= MAX_READ_AGAIN) {
      take(first)
      continue
    }
    const second = await lookAt(path, keyOf(asking, locale, known), null, locale, known)
    take(typeof second === 'string' ? first : second)
  }
  const taken = new Set<string>()
  const reach =
    found.length === 0 || isWrittenElsewhere
      ? null
      : reachOf(around.nodes, (path) => isNobodys(path) || around.isInside(path))
  const isNamedHere = areAllKnown && !isWrittenElsewhere && looked < MAX_KNOWN && hasPage(lookedAt)
  const unnamed = isNamedHere && found.length > 0 ? neverNamed(around.nodes, around.uses) : null
  const strays = strayPages(found.length === 0 ? [] : lookedAt)
  const isLost = (path: string): boolean =>
    [reach?.isOut(path), unnamed?.has(path), strays.has(path)].includes(true) || around.isInside(path)
  const pageFiles = lookedAt.filter(({ path }) => isPagePath(path)).length
  const shown = found.filter((draft) => {
    const isOut = around.isTheme(draft.path) || around.isLeftOver(draft.path) || isUnseen(draft, isLost)
    if (isOut) drops.add('never_shown')
    return !isOut
  })
  const showing = whoShows(around.nodes)
  const takenBy = filesTakenBy(lookedAt)
  const sentNear = (path: string): string[] =>
    [path, ...takenBy(path)].flatMap((one) => around.sentEvents.get(one) ?? [])
  for (const idea of oneEverywhere(oneOfTwoRules(shown))) {
    const draft = asFarAsKnown(idea, around)
    if (!holdsNow(draft, { around, taken, drops, today: request.today })) continue
    const goal = draft.goal === 'sign up' && !around.signsUp ? 'click' : draft.goal
    const { pages, isInside } = showing(draft.path)
    const candidate = candidateOf({ ...draft, goal }, request.vocabulary, {
      pages,
      sent: around.sentEvents.size === 0 ? [] : sentNear(draft.path),
    })
    const size = around.isClosing ? 'nothing' : sizeOf(draft, candidate, { pageFiles, isInside })
    if (size === 'nothing' && request.focus === null) drops.add('little_effect')
    else yield size === 'small' || size === 'smallest' ? { ...candidate, size } : candidate
  }
}
