import { holdsSecret, isSecretPath } from '../grounding/secrets.js'
import { newTexts } from '../page/visible-text.js'
import type { Candidate, Drops, Generator, RefineRequest, Request, Revised } from '../port.js'
import { BATCH, candidateOfAnswer, parseBatch, parseRevision, REVISION } from './answer.js'
import { Budget, tokensOf } from './budget.js'
import { type Ask, chatOf, type Endpoint, type Message } from './chat.js'
import { cutExcerpt, groupByTokens, selectExcerpts } from './excerpts.js'
import { LlmError } from './llm-error.js'
import { batchMessages, RETRY_MESSAGE, revisionMessages } from './prompt.js'

export { LlmError } from './llm-error.js'

export interface LlmConfig extends Endpoint {
  /** maximum tokens of one batch or revision, questions and answers together */
  maxTokens: number
  /** maximum seconds of one batch or revision */
  seconds: number
}

/** Tokens of files in a question and of an answer, which small models accept too. */
const TOKENS_OF_FILES = 24_000
const TOKENS_OF_ANSWER = 6_000
/** Ask for more than are wanted, because some will not pass grounding. */
const SPARE = 2

/**
 * Proposals by a language model, which pass the same checks as those of rules. If the budget ends after some
 * questions were answered, their proposals are kept.
 * @param now a clock in milliseconds
 * @throws LlmError if the model gave nothing that can be used
 */
export function languageModel(config: LlmConfig, now: () => number = () => performance.now()): Generator {
  const ask = chatOf(config)
  const budgetOf = (signal?: AbortSignal): Budget =>
    new Budget({ tokens: config.maxTokens, seconds: config.seconds }, now, signal)
  return {
    propose: (request, drops, signal) => propose(ask, request, drops, budgetOf(signal), signal),
    refine: (request, signal) => refine(ask, request, budgetOf(signal)),
  }
}

async function* propose(
  ask: Ask,
  request: Request,
  drops: Drops,
  budget: Budget,
  signal?: AbortSignal,
): AsyncGenerator<Candidate> {
  const excerpts = await selectExcerpts(request.repository, Math.floor(budget.left() * 0.7), drops, signal)
  const wanted = request.count * SPARE
  const names: string[] = []
  let failure: unknown = null
  for (const files of groupByTokens(excerpts, Math.min(TOKENS_OF_FILES, Math.floor(budget.left() / 2)))) {
    if (names.length >= wanted) return
    const messages = batchMessages(request, files, wanted - names.length, names)
    try {
      const answer = await valid(ask, messages, BATCH, parseBatch, budget)
      drops.add('malformed', answer.malformed)
      const shown = new Set(files.map(({ path }) => path))
      for (const written of answer.proposals) {
        const candidate = candidateOfAnswer(written, request.vocabulary)
        // An edit of a file that the model was not shown is made up, even if the file exists.
        if (candidate.files.some(({ path }) => !shown.has(path))) {
          drops.add('file_missing')
          continue
        }
        names.push(candidate.name)
        yield candidate
      }
    } catch (error) {
      if (!(error instanceof LlmError)) throw error
      if (error.code === 'unauthorised' || error.code === 'refused') throw error
      drops.add(error.code === 'invalid' ? 'malformed' : 'unanswered')
      failure = error
      if (error.code !== 'invalid') break
    }
  }
  if (failure !== null && names.length === 0) throw failure
}

/**
 * An answer that matches the schema. The model is asked once more if its first answer does not.
 * @throws LlmError
 */
async function valid<T>(
  ask: Ask,
  messages: readonly Message[],
  schema: { name: string; schema: object },
  read: (said: string) => T | null,
  budget: Budget,
): Promise<T> {
  let asked = messages
  for (let last = false; ; last = true) {
    const answerTokens = Math.min(
      TOKENS_OF_ANSWER,
      Math.max(500, budget.left() - asked.reduce((sum, { content }) => sum + tokensOf(content), 0)),
    )
    const said = await ask({ messages: asked, schema, answerTokens }, budget)
    const answer = read(said)
    if (answer !== null) return answer
    if (last) throw new LlmError('invalid', 'the model answers in another form than it is asked for')
    asked = [...messages, RETRY_MESSAGE]
  }
}

async function refine(ask: Ask, request: RefineRequest, budget: Budget): Promise<Revised> {
  const { proposal, repository, vocabulary } = request
  const paths = [...new Set(proposal.files.map(({ path }) => path))]
  const files = []
  for (const path of paths) {
    const text = await repository.read(path)
    if (text === null) return { ok: false, message: `${path} is not there any more.` }
    if (isSecretPath(path) || holdsSecret(text))
      return { ok: false, message: `${path} holds a secret, which is shown to no model.` }
    files.push(cutExcerpt(path, text))
  }
  const answer = await valid(ask, revisionMessages(request, files), REVISION, parseRevision, budget)
  if (answer.proposal === null)
    return {
      ok: false,
      message: answer.message.trim().slice(0, 500) || 'The model says that it cannot be done.',
    }
  const candidate = candidateOfAnswer(answer.proposal, vocabulary, answer.shares)
  if (candidate.files.some(({ path }) => !paths.includes(path)))
    return { ok: false, message: 'The model wrote into a file that it was not shown.' }
  const [, ...others] = proposal.conversionTargets
  const known = proposal.conversionTargets.find(
    ({ eventName, direction }) =>
      eventName === candidate.conversionTargets[0]?.eventName &&
      direction === candidate.conversionTargets[0].direction,
  )
  return {
    ok: true,
    candidate: {
      ...candidate,
      surfaces: sameFiles(proposal.surfaces, candidate.surfaces) ? proposal.surfaces : candidate.surfaces,
      conversionTargets: [
        ...(known === undefined ? candidate.conversionTargets : [known]),
        ...others.filter(({ eventName }) => eventName !== candidate.conversionTargets[0]?.eventName),
      ],
      priority: proposal.priority,
      alternatives: candidate.variants.flatMap(({ key }) => newTexts(candidate.files, key)),
    },
    summary: answer.message.trim().slice(0, 500),
  }
}

const sameFiles = (a: readonly { path: string }[], b: readonly { path: string }[]): boolean =>
  JSON.stringify([...new Set(a.map(({ path }) => path))].sort()) ===
  JSON.stringify([...new Set(b.map(({ path }) => path))].sort())
