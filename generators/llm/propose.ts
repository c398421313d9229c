import type { Candidate, DropReason, ProposeContext, Refusal, Request } from '../port.js'
import {
  CHOICE,
  candidateOfAnswer,
  IDEAS,
  type ModelIdea,
  parseChoice,
  parseIdeas,
  parseReviews,
  pathsOf,
  REVIEWS,
  type Review,
  type SiteBrief,
} from './answer.js'
import type { Budget } from './budget.js'
import type { Ask } from './chat.js'
import { Conversation } from './conversation.js'
import { readExcerpts } from './excerpts.js'
import { LlmError } from './llm-error.js'
import {
  chooseMessages,
  type Excerpt,
  moreFilesMessage,
  proposeMessages,
  type RefusedIdea,
  repairMessages,
  reviewMessages,
} from './prompt.js'
import { type Survey, surveyOf } from './survey.js'

/** Tokens of files in a question: what fifteen pages of usual size take. */
const TOKENS_OF_FILES = 24_000
/** A site whose pages fit into this is shown whole, and nothing has to be chosen. */
const TOKENS_OF_SMALL_SITE = 10_000
const MAX_FILES = 15
const MAX_MORE_FILES = 8
const MAX_REPAIRS = 2
/** Ask for more than are wanted, because some will not stand. */
const SPARE = 1.5
/** With fewer that are worth running, harmless ideas fill up. */
const ENOUGH = 3
/** What the workspace has against an idea, or what no other edit would mend. */
const FINAL: readonly DropReason[] = [
  'in_flight',
  'dismissed',
  'lesson_lost',
  'lesson_known',
  'note',
  'outside_focus',
  'dark_pattern',
  'secret',
]

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
  #files: Excerpt[] = []
  readonly #good: Idea[] = []

  constructor(
    private readonly request: Request,
    private readonly context: ProposeContext,
    private readonly chat: Ask,
    private readonly budget: Budget,
  ) {}

  async run(): Promise<Candidate[]> {
    const survey = await surveyOf(this.request, this.context.record, this.context.signal)
    if (survey.pages.length === 0) return []
    await this.#chooseFiles(survey)
    let refused = await this.#sort(await this.#propose(survey))
    for (let turn = 0; turn < MAX_REPAIRS && refused.length > 0; turn++) {
      const left = await this.#repair(refused)
      if (left === undefined) break
      refused = left
    }
    for (const { idea, refusal } of refused) this.context.record.drop(idea.name, refusal)
    return this.#review()
  }

  /** Reads the files that the model chooses from the survey, or the likeliest ones. */
  async #chooseFiles({ pages, ...survey }: Survey): Promise<void> {
    const { record } = this.context
    const likeliest = pages.map(({ path }) => ({ path, why: 'one of the likeliest pages' }))
    const room = Math.min(TOKENS_OF_FILES, Math.floor(this.budget.left() * 0.4))
    const size = pages.reduce((sum, { characters }) => sum + characters / 3, 0)
    let wanted = likeliest
    if (size > Math.min(room, TOKENS_OF_SMALL_SITE) || pages.length > MAX_FILES) {
      const messages = chooseMessages(this.request, { pages, ...survey }, MAX_FILES)
      const chosen = await this.#tried('choose', (conversation) =>
        conversation.ask(messages, CHOICE, parseChoice),
      )
      if (chosen !== undefined) {
        const { read, ...brief } = chosen
        this.#brief = brief
        const known = read.filter(({ path }) => survey.paths.has(path)).slice(0, MAX_FILES)
        if (known.length > 0) wanted = known
      }
    }
    this.#files = await readExcerpts(
      this.request.repository,
      wanted.map(({ path }) => path),
      [],
      room,
    )
    const shown = new Set(this.#files.map(({ path }) => path))
    record.files.push(...wanted.filter(({ path }) => shown.has(path)))
    if (this.#files.length === 0)
      throw new LlmError(
        'budget',
        `none of ${wanted.length} files fits into the token budget of a batch: raise SVC_LLM_MAX_TOKENS`,
      )
  }

  async #propose(survey: Survey): Promise<ModelIdea[]> {
    const { record } = this.context
    const wanted = Math.ceil(this.request.count * SPARE)
    const conversation = new Conversation(this.chat, this.budget, 'propose')
    const first = await conversation.ask(
      proposeMessages(this.request, this.#brief, survey, this.#files, wanted),
      IDEAS,
      parseIdeas,
    )
    let answer = first
    if (first.read.length > 0) {
      const known = this.#files.map(({ path }) => path)
      const more = await readExcerpts(this.request.repository, first.read.slice(0, MAX_MORE_FILES), known)
      if (more.length > 0) {
        this.#files.push(...more)
        record.files.push(...more.map(({ path }) => ({ path, why: 'the model asked for it' })))
        answer =
          (await this.#tried('propose', () =>
            conversation.goOn(moreFilesMessage(more), IDEAS, parseIdeas),
          )) ?? first
        if (answer.ideas.length === 0) answer = first
      }
    }
    record.add('malformed', answer.malformed)
    return answer.ideas
  }

  /** Keeps the ideas that stand, and returns the others with the reason. */
  async #sort(ideas: readonly ModelIdea[]): Promise<RefusedIdea[]> {
    const refused: RefusedIdea[] = []
    for (const idea of ideas) {
      this.context.signal?.throwIfAborted()
      const candidate = candidateOfAnswer(idea, this.request.vocabulary, this.#files)
      const refusal = this.#refusalOfPlace(idea) ?? (await this.context.check(candidate))
      if (refusal === null) this.#good.push({ idea, candidate })
      else if (FINAL.includes(refusal.reason)) this.context.record.drop(idea.name, refusal)
      else refused.push({ idea, refusal })
    }
    return refused
  }

  /** An edit of a file that the model was not shown is made up, even if the file exists. */
  #refusalOfPlace(idea: ModelIdea): Refusal | null {
    const path = pathsOf(idea).find((one) => !this.#files.some((file) => file.path === one))
    return path === undefined
      ? null
      : { reason: 'file_missing', message: `${path} is not among the files that are shown` }
  }

  /** Returns the ideas that still do not stand. Undefined if the model gave nothing to use. */
  async #repair(refused: readonly RefusedIdea[]): Promise<RefusedIdea[] | undefined> {
    const paths = new Set(refused.flatMap(({ idea }) => pathsOf(idea)))
    const files = this.#files.filter(({ path }) => paths.has(path))
    const answer = await this.#tried('repair', (conversation) =>
      conversation.ask(repairMessages(refused, files), IDEAS, parseIdeas),
    )
    if (answer === undefined) return undefined
    const names = new Map(refused.map((one) => [one.idea.name, one]))
    const repaired = answer.ideas.filter(({ name }) => names.has(name))
    for (const { name } of repaired) names.delete(name)
    return [...(await this.#sort(repaired)), ...names.values()]
  }

  /** The ideas that a fresh look finds worth running, the best first. All of them if it gives no answer. */
  async #review(): Promise<Candidate[]> {
    const good = this.#good
    if (good.length === 0) return []
    const messages = reviewMessages(
      this.request,
      this.#brief,
      good.map(({ idea }) => idea),
    )
    const reviews = await this.#tried('review', (conversation) =>
      conversation.ask(messages, REVIEWS, parseReviews),
    )
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

  #dropReviewed({ name }: ModelIdea, review: Review | undefined): void {
    const why = review?.why.trim().slice(0, 500) ?? ''
    const message = review === undefined ? 'The review left it out.' : `${review.verdict}: ${why}`
    this.context.record.drop(name, { reason: 'not_worth', message })
  }

  /** Undefined if the model gave nothing to use and the batch can go on without. @throws LlmError */
  async #tried<T>(
    step: 'choose' | 'propose' | 'repair' | 'review',
    use: (conversation: Conversation) => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await use(new Conversation(this.chat, this.budget, step))
    } catch (error) {
      if (!(error instanceof LlmError) || error.code === 'unauthorised') throw error
      this.context.record.add(error.code === 'invalid' ? 'malformed' : 'unanswered')
      return undefined
    }
  }
}

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
