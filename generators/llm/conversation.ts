import type { QuestionStep } from '../port.js'
import type { Budget } from './budget.js'
import type { Ask, Message, ModelAnswer, Question } from './chat.js'
import { LlmError } from './llm-error.js'
import { RETRY_MESSAGE } from './prompt.js'

type Schema = Question['schema']

/** Questions of one step, each of which the model answers with what was said before. */
export class Conversation {
  #messages: readonly Message[] = []

  constructor(
    private readonly chat: Ask,
    private readonly budget: Budget,
    private readonly step: QuestionStep,
  ) {}

  /**
   * Begins anew. The model is asked once more if its first answer does not match the schema.
   * @throws LlmError
   */
  async ask<T>(
    messages: readonly Message[],
    schema: Schema,
    read: (answer: ModelAnswer) => T | null,
  ): Promise<T> {
    this.#messages = messages
    for (let isLast = false; ; isLast = true) {
      const asked = isLast ? [...messages, RETRY_MESSAGE] : messages
      const answer = await this.chat({ step: this.step, messages: asked, schema }, this.budget)
      const value = read(answer)
      if (value !== null) {
        this.#messages = [...messages, { role: 'assistant', content: answer.text }]
        return value
      }
      if (isLast) throw new LlmError('invalid', 'the model answers in another form than it is asked for')
    }
  }

  /** Asks on. @throws LlmError */
  goOn<T>(message: Message, schema: Schema, read: (answer: ModelAnswer) => T | null): Promise<T> {
    return this.ask([...this.#messages, message], schema, read)
  }
}
