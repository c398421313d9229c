export type AcceptedEncoding = 'br' | 'gzip'

/** The best encoding that a header Accept-Encoding allows; undefined for none. */
export function chosenEncoding(accepted: string | undefined): AcceptedEncoding | undefined {
  const weights = new Map(
    (accepted ?? '').split(',').map((part) => {
      const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
      const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
      return [name, weight === undefined ? 1 : Number(weight)] as const
    }),
  )
  const weightOf = (encoding: string): number => weights.get(encoding) ?? weights.get('*') ?? 0
  const best = (['br', 'gzip'] as const).filter((encoding) => weightOf(encoding) > 0)
  return best.sort((a, b) => weightOf(b) - weightOf(a))[0]
}
