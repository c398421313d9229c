import { Counter, Histogram, type Registry } from 'prom-client'
import type { AskedQuestion, IdeaRecord } from '../../generators/port.js'

/** Metrics of the language model. Names and labels are stable. */
export class ModelMetrics {
  private readonly questions: Counter<'step' | 'outcome'>
  private readonly tokens: Counter<'direction'>
  private readonly seconds: Histogram<'step'>
  private readonly refusals: Counter<'reason'>

  constructor(registry: Registry) {
    const registers = [registry]
    this.questions = new Counter({
      name: 'svc_model_questions_total',
      help: 'Questions to the language model by step and outcome: answered, cut or failed',
      labelNames: ['step', 'outcome'],
      registers,
    })
    this.tokens = new Counter({
      name: 'svc_model_tokens_total',
      help: 'Tokens of questions (input) and answers (output); estimates if the endpoint reports none',
      labelNames: ['direction'],
      registers,
    })
    this.seconds = new Histogram({
      name: 'svc_model_question_seconds',
      help: 'Time from a question to the end of its answer',
      labelNames: ['step'],
      buckets: [1, 2.5, 5, 10, 30, 60, 150, 300, 900],
      registers,
    })
    this.refusals = new Counter({
      name: 'svc_model_refusals_total',
      help: 'Ideas of the language model that were not stored, by reason',
      labelNames: ['reason'],
      registers,
    })
  }

  observeQuestion({ step, outcome, inputTokens, outputTokens, seconds }: AskedQuestion): void {
    this.questions.inc({ step, outcome })
    this.tokens.inc({ direction: 'input' }, inputTokens)
    this.tokens.inc({ direction: 'output' }, outputTokens)
    this.seconds.observe({ step }, seconds)
  }

  observeIdeas(ideas: readonly IdeaRecord[]): void {
    for (const { reason } of ideas) if (reason !== null) this.refusals.inc({ reason })
  }
}
