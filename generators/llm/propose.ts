import { repeats } from '../filter.js'
import { locator } from '../locate.js'
import type { Candidate, DropReason, ProposeContext, Refusal, Request, ShownFile } from '../port.js'
import { changedTexts } from '../same-place.js'
import {
  CHOICE,
  candidateOfAnswer,
  IDEAS,
  type IdeasAnswer,
  type ModelEdit,
  type ModelIdea,
  parseChoice,
  parseIdeas,
  parseReviews,
  pathsOf,
  REPAIRS,
  REVIEWS,
  type Review,
  type SiteBrief,
} from './answer.js'
import { type Budget, estimatedTokens } from './budget.js'
import type { Ask, Message } from './chat.js'
import { Conversation } from './conversation.js'
import { evidenceBeside, figuresInCode } from './evidence.js'
import { type Excerpts, excerptAround, readExcerpts, restOf } from './excerpts.js'
import { LlmError } from './llm-error.js'
import {
  chooseMessages,
  moreFilesMessage,
  proposeMessages,
  repairMessages,
  reviewMessages,
} from './prompt.js'
import { stylesAround } from './styles.js'
import { type Survey, surveyOf } from './survey.js'
import type { RefusedIdea } from './writing-rules.js'

/** Tokens of files in the question for ideas, and of those that it is answered with if it asks for more. */
const TOKENS_OF_FILES = 24_000
const TOKENS_OF_MORE_FILES = 8_000
/** A site whose pages fit into this is shown whole, and nothing has to be chosen. */
const TOKENS_OF_SMALL_SITE = 10_000
/** Tokens of all questions for each idea that is wanted, for at least five ideas. */
const INPUT_TOKENS = { each: 12_000, leastIdeas: 5, review: 6_000 }
const MAX_FILES = 15
/** Characters of files without words of their own that are shown of such a site: of one, and of all. */
const MAX_WORDLESS = { each: 4_000, total: 12_000 }
const MAX_MORE_FILES = 8
const MAX_REPAIRS = 2
const MAX_FAULTS = 5
/** Ask for a few more than are kept, because some cannot be written. */
const SPARE = 0.4
/** With fewer that are worth running, harmless ideas fill up. */
const ENOUGH = 3
/** Reasons of the workspace against an idea, and reasons that no other edit would mend. */
const FINAL: readonly DropReason[] = [
  'in_flight',
  'dismissed',
  'lesson_lost',
  'lesson_known',
  'note',
  'outside_focus',
  'dark_pattern',
  'secret',
  'path_not_allowed',
]

const noPage = ({ frameworks }: Survey): Refusal => ({
  reason: 'file_unreadable',
  message: `${frameworks.length === 0 ? '' : `The site is built with ${frameworks.map(({ name }) => name).join(' and ')}. `}Variants need a whole HTML page, or a component in JSX, TSX, Vue or Svelte that visitors see. Templates of Angular, Astro, Eleventy, Jinja, Liquid or PHP can have none, and the output of a build is left out.`,
})

interface Idea {
  idea: ModelIdea
  candidate: Candidate
}

/** One batch: survey, choice of files, ideas, repairs, review. */
export async function* proposeIdeas(
  request: Request,
  context: ProposeContext,
  ask: Ask,
  budget: Budget,
): AsyncGenerator<Candidate> {
  const batch = new ModelBatch(request, context, ask, budget)
  yield* await batch.run()
}

class ModelBatch {
  #brief: SiteBrief | undefined
  #files: ShownFile[] = []
  #inPart: ReadonlySet<string> = new Set()
  #faults: IdeasAnswer['faults'] = []
  readonly #good: Idea[] = []
  readonly #locate = locator((path) => this.request.repository.read(path))

  constructor(
    private readonly request: Request,
    private readonly context: ProposeContext,
    private readonly chat: Ask,
    private readonly budget: Budget,
  ) {}

  async run(): Promise<Candidate[]> {
    const survey = await surveyOf(this.request, this.context.record, this.context.signal)
    if (survey.pages.length === 0) {
      this.context.record.drop('No page of this repository can have variants', noPage(survey))
      return []
    }
    const excerpts = await this.#chooseFiles(survey)
    let refused = await this.#sort(await this.#propose(survey, excerpts), survey)
    for (let turn = 0; turn < MAX_REPAIRS && refused.length > 0; turn++) {
      const left = await this.#repair(refused, survey)
      if (left === undefined) break
      refused = left
    }
    for (const { name, refusal } of refused) this.context.record.drop(name, refusal)
    return this.#review(survey)
  }

  /** Reads the files that the model chooses from the survey, or the likeliest ones. */
  async #chooseFiles(survey: Survey): Promise<Excerpts> {
    const { record } = this.context
    const { pages, paths } = survey
    const likeliest = pages.map(({ path }) => ({ path, why: 'one of the likeliest pages' }))
    const room = Math.min(TOKENS_OF_FILES, Math.floor(this.budget.left() * 0.4))
    const size = pages.reduce((sum, { characters }) => sum + characters / 3, 0)
    let wanted = likeliest
    if (size > Math.min(room, TOKENS_OF_SMALL_SITE) || pages.length > MAX_FILES) {
      const messages = chooseMessages(this.request, survey, { files: MAX_FILES, characters: room * 3 })
      const chosen = await this.#tried(this.#begin('choose').ask(messages, CHOICE, parseChoice))
      if (chosen !== undefined) {
        const { read, ...brief } = chosen
        this.#brief = brief
        const known = read.filter(({ path }) => paths.has(path)).slice(0, MAX_FILES)
        if (known.length > 0) wanted = known
      }
    } else
      wanted = [
        ...likeliest,
        ...wordlessOf(survey),
        ...survey.texts
          .filter(({ sample }) => sample !== undefined)
          .map(({ path }) => ({ path, why: 'texts' })),
      ]
    const excerpts = await readExcerpts(
      this.request.repository,
      wanted.map(({ path }) => path),
      [],
      room,
    )
    this.#files = [...excerpts.files]
    this.#inPart = excerpts.inPart
    const shown = new Set(this.#files.map(({ path }) => path))
    record.files.push(...wanted.filter(({ path }) => shown.has(path)))
    if (this.#files.length === 0)
      throw new LlmError(
        'budget',
        `none of ${wanted.length} files fits into the token budget of a batch: raise SVC_LLM_MAX_TOKENS`,
      )
    return excerpts
  }

  async #propose(survey: Survey, excerpts: Excerpts): Promise<IdeasAnswer> {
    const wanted = Math.ceil(this.request.count * (1 + SPARE))
    const conversation = this.#begin('propose')
    const messages = proposeMessages(this.request, this.#brief, survey, excerpts, wanted)
    const first = await conversation.ask(messages, IDEAS, parseIdeas)
    const more = await this.#moreFiles(first.read, messages, first.ideas.length > 0)
    const answer = await this.#withFiles(more, conversation, { first, schema: IDEAS, survey })
    this.#faults = answer.faults.slice(0, MAX_FAULTS)
    for (const { path, what } of this.#faults)
      if (survey.paths.has(path))
        this.context.record.ideas.push({
          name: what.replace(/\.$/, '').slice(0, 200),
          ...{ outcome: 'dropped', reason: 'fault_seen', message: `A fault in ${path}.` },
        })
    return answer
  }

  /** Further files for a conversation, `null` if there are none or, with ideas at hand, no room for them. */
  async #moreFiles(
    paths: readonly string[],
    asked: readonly Message[],
    hasIdeas: boolean,
  ): Promise<Excerpts | null> {
    const room = Math.floor(this.#inputLeft() - estimatedTokens(...asked) - INPUT_TOKENS.review)
    const tokens = Math.min(TOKENS_OF_MORE_FILES, hasIdeas ? room : TOKENS_OF_MORE_FILES)
    if (paths.length === 0 || tokens <= 0) return null
    const wanted = paths.slice(0, MAX_MORE_FILES)
    const share = Math.floor(tokens / wanted.length)
    const rests: ShownFile[] = []
    for (const { path, text } of this.#files) {
      const whole =
        wanted.includes(path) && this.#inPart.has(path) && (await this.request.repository.read(path))
      if (typeof whole === 'string') rests.push(restOf({ path, text: whole }, text, share * 3))
    }
    const known = this.#files.map(({ path }) => path)
    const fresh = await readExcerpts(this.request.repository, wanted, known, tokens - share * rests.length)
    const files = [...rests, ...fresh.files]
    return files.length === 0 ? null : { ...fresh, files }
  }

  /** Shows further files, and returns the answer to the same question with them, or the first one. */
  async #withFiles(
    more: Excerpts | null,
    conversation: Conversation,
    asked: { first: IdeasAnswer; schema: typeof IDEAS | typeof REPAIRS; survey: Survey },
  ): Promise<IdeasAnswer> {
    const { first, schema, survey } = asked
    if (more === null) return first
    const fresh = more.files.filter(({ path }) => !this.#files.some((one) => one.path === path))
    this.#files.push(...fresh)
    this.context.record.files.push(...fresh.map(({ path }) => ({ path, why: 'the model asked for it' })))
    const answer = await this.#tried(conversation.goOn(moreFilesMessage(more, survey), schema, parseIdeas))
    if (answer === undefined) return first
    const faults = answer.faults.length === 0 ? first.faults : answer.faults
    return { ...(answer.ideas.length + answer.malformed.length === 0 ? first : answer), faults }
  }

  #inputLeft(): number {
    const { each, leastIdeas } = INPUT_TOKENS
    const asked = this.context.record.questions.reduce((sum, { inputTokens }) => sum + inputTokens, 0)
    return each * Math.max(leastIdeas, this.request.count) - asked
  }

  /** Keeps the ideas that stand, and returns the others with the reason. */
  async #sort(
    { ideas, malformed }: Pick<IdeasAnswer, 'ideas' | 'malformed'>,
    survey: Survey,
  ): Promise<RefusedIdea[]> {
    const refused: RefusedIdea[] = malformed.map(({ name, given, message }) => {
      return { name, idea: given, edits: editsIn(given), refusal: { reason: 'malformed', message } }
    })
    for (const idea of ideas) {
      this.context.signal?.throwIfAborted()
      const written = candidateOfAnswer(idea, this.request.vocabulary, this.#files)
      const candidate = { ...written, finds: await this.#locate(changedTexts(written.files)) }
      const refusal =
        this.#refusalOfPlace(idea, survey) ??
        this.#refusalOfRepeat(candidate) ??
        (await this.context.check(candidate, survey.site))
      if (refusal === null) this.#good.push({ idea, candidate })
      else if (FINAL.includes(refusal.reason)) this.context.record.drop(idea.name, refusal)
      else {
        const seen = refusal.reason === 'invented' ? figuresInCode(candidate, this.#files) : []
        const message = [refusal.message, ...new Set(seen)].join('; ')
        refused.push({ name: idea.name, idea, edits: editsOf(idea), refusal: { ...refusal, message } })
      }
    }
    return refused
  }

  /** An edit of a file that the model was not shown is made up, even if the file exists. */
  #refusalOfPlace(idea: ModelIdea, { unshown, onServer }: Survey): Refusal | null {
    const paths = pathsOf(idea)
    const unread = paths.find((one) => !this.#files.some(({ path }) => path === one))
    if (unread !== undefined)
      return { reason: 'file_missing', message: `${unread} is not among the files that are shown` }
    const edits = idea.variants.flatMap((one) => one.edits)
    const onlyThere = edits.find(({ path }) => onServer.has(path) && !/\.[jt]sx$|\.js$/.test(path))
    if (onlyThere !== undefined)
      return {
        reason: 'not_grounded',
        message: `${onlyThere.path} runs on the server only, where no visitor is known: change an element or a text of the component that shows it`,
      }
    const hidden = paths.find((one) => unshown.has(one))
    return hidden === undefined
      ? null
      : { reason: 'never_shown', message: `no page shows ${hidden}: change a component that visitors see` }
  }

  #refusalOfRepeat(candidate: Candidate): Refusal | null {
    const other = this.#good.find((one) => repeats(candidate, [one.candidate]))
    return other === undefined
      ? null
      : {
          reason: 'duplicate',
          message: `it changes the same place as the idea “${other.idea.name}”, or makes the same change in another file: choose another place, put both into one idea, or leave it out`,
        }
  }

  /**
   * Returns the ideas that still do not match the code. Ideas that the model leaves out are dropped and not
   * asked for again. Undefined if the model gave nothing to use, or the question has no room.
   */
  async #repair(refused: readonly RefusedIdea[], survey: Survey): Promise<RefusedIdea[] | undefined> {
    const files = await this.#placesOf(
      refused.flatMap(({ edits }) => edits),
      'repair',
    )
    const messages = repairMessages(refused, files, survey)
    if (estimatedTokens(...messages) + INPUT_TOKENS.review > this.#inputLeft()) {
      this.context.record.add('unanswered')
      return undefined
    }
    const conversation = this.#begin('repair')
    const first = await this.#tried(conversation.ask(messages, REPAIRS, parseIdeas))
    if (first === undefined) return undefined
    const more = await this.#moreFiles(first.read, messages, true)
    const answer = await this.#withFiles(more, conversation, { first, schema: REPAIRS, survey })
    const left = new Set(refused)
    const isRepaired = ({ number, name }: { number?: number; name: string }): boolean => {
      const of = refused[number ?? -1] ?? refused.find((one) => one.name === name)
      return of !== undefined && left.delete(of)
    }
    // The review numbers the ideas anew.
    const ideas = answer.ideas.filter(isRepaired).map(({ number: _, ...idea }) => idea)
    const malformed = answer.malformed.filter(isRepaired)
    for (const { name, refusal } of left) this.context.record.drop(name, refusal)
    return this.#sort({ ideas, malformed }, survey)
  }

  /** The ideas that a fresh look finds worth running, the best first. All of them if it gives no answer. */
  async #review({ about }: Survey): Promise<Candidate[]> {
    const good = this.#good
    if (good.length === 0) return []
    const ideas: Parameters<typeof reviewMessages>[2][number][] = []
    for (const { idea, candidate } of good) {
      const edits = editsOf(idea)
      const stated = [...(candidate.evidence ?? []), ...evidenceBeside(candidate.files, this.#files)]
      const places = await this.#placesOf(edits, 'review')
      ideas.push({ idea, stated, places, styles: await this.#stylesOf(edits) })
    }
    const messages = reviewMessages(this.request, this.#brief ?? { about }, ideas, this.#faults)
    const reviews = await this.#tried(this.#begin('review').ask(messages, REVIEWS, parseReviews))
    if (reviews === undefined) return good.map(({ candidate }) => candidate)
    const first = new Map<number, Review>()
    for (const review of reviews)
      if (good[review.number] !== undefined && !first.has(review.number)) first.set(review.number, review)
    const judged = [...first.values()]
    const worth = judged.filter(({ verdict }) => verdict === 'worth')
    const harmless = judged
      .filter(({ verdict }) => verdict === 'harmless')
      .slice(0, Math.max(0, ENOUGH - worth.length))
    const kept = [...worth, ...harmless]
    for (const [number, { idea }] of good.entries())
      if (!kept.some((review) => review.number === number)) this.#dropReviewed(idea, first.get(number))
    return kept.flatMap((review, rank) => {
      const found = good[review.number]
      return found === undefined ? [] : [ranked(found.candidate, review, rank, this.request)]
    })
  }

  /** The code around edits, also if an excerpt was cut there. */
  async #placesOf(edits: RefusedIdea['edits'], by: 'repair' | 'review'): Promise<ShownFile[]> {
    const places: ShownFile[] = []
    for (const { path, text } of this.#files) {
      const finds = edits.flatMap((edit) => (edit.path === path ? [edit.find] : []))
      const whole = finds.length === 0 ? null : await this.request.repository.read(path)
      if (finds.length > 0) places.push(excerptAround({ path, text: whole ?? text }, finds, by))
    }
    return places
  }

  /** The rules of style sheets for what edits touch. */
  async #stylesOf(edits: readonly ModelEdit[]): Promise<string[]> {
    const { repository } = this.request
    const styles: string[] = []
    for (const path of new Set(edits.map((edit) => edit.path))) {
      const text = await repository.read(path)
      const own = edits.filter((edit) => edit.path === path)
      if (text !== null) styles.push(...(await stylesAround({ path, text }, own, repository)))
    }
    return [...new Set(styles)]
  }

  #dropReviewed({ name }: ModelIdea, review: Review | undefined): void {
    const why = review?.why.trim().slice(0, 500) ?? ''
    const message = review === undefined ? 'The review left it out.' : `${review.verdict}: ${why}`
    this.context.record.drop(name, { reason: 'not_worth', message })
  }

  #begin(step: 'choose' | 'propose' | 'repair' | 'review'): Conversation {
    return new Conversation(this.chat, this.budget, step)
  }

  /** Undefined if the model gave nothing to use and the batch can go on without. @throws LlmError */
  async #tried<T>(asking: Promise<T>): Promise<T | undefined> {
    try {
      return await asking
    } catch (error) {
      if (!(error instanceof LlmError) || error.code === 'unauthorised') throw error
      this.context.record.add(error.code === 'invalid' ? 'malformed' : 'unanswered')
      return undefined
    }
  }
}

/** The edits in an answer of any form. */
const editsIn = (given: unknown): RefusedIdea['edits'] =>
  typeof given !== 'object' || given === null
    ? []
    : 'path' in given && typeof given.path === 'string'
      ? [{ path: given.path, find: 'find' in given && typeof given.find === 'string' ? given.find : '' }]
      : Object.values(given).flatMap(editsIn)

/** Pages and components that only show others, as a home page that consists of two. */
function wordlessOf({ wordless }: Survey): { path: string; why: string }[] {
  const chosen: { path: string; why: string }[] = []
  let left = MAX_WORDLESS.total
  for (const { path, characters } of wordless) {
    if (characters > Math.min(left, MAX_WORDLESS.each)) continue
    left -= characters
    chosen.push({ path, why: 'a part of the pages' })
  }
  return chosen
}

const editsOf = ({ variants, plain }: ModelIdea): ModelEdit[] => [
  ...variants.flatMap(({ edits }) => edits),
  ...plain,
]

/** Ranked by the review, and by how many persons send the event that decides. */
function ranked(
  candidate: Candidate,
  { verdict, why }: Review,
  rank: number,
  { figures, vocabulary }: Request,
): Candidate {
  const eventName = candidate.conversionTargets[0]?.eventName
  const sent =
    figures?.events.find((one) => one.eventName === eventName)?.persons ??
    vocabulary.find((one) => one.eventName === eventName)?.count ??
    0
  const score = (verdict === 'worth' ? 10 : 1) / (1 + 0.1 * rank) + Math.log10(1 + sent) * 0.1
  return {
    ...candidate,
    score,
    priority: verdict === 'harmless' ? 'low' : rank === 0 ? 'high' : 'medium',
    reasons: [...candidate.reasons, ...(why.trim() === '' ? [] : [`Review: ${why.trim()}`])],
  }
}
