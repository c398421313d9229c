/** What makes proposals in this process. */
export type GeneratorSettings =
  | { readonly kind: 'heuristic' }
  | {
      /** Any endpoint that speaks as OpenAI's does. */
      readonly kind: 'llm'
      readonly url: string
      readonly model: string
      readonly key: string | undefined
      /** What a batch, or a revision, may cost: what is asked and what is answered. */
      readonly maxTokens: number
      /** How long it may take. */
      readonly maxSeconds: number
    }
