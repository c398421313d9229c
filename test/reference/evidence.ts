/*
 * Evidence for the proportions of a variant against the control, written after docs/experiments/results.md,
 * with sums over small steps in place of a library's distributions. Slow, and independent of
 * domain/statistics in every part.
 */

export interface ReferenceArm {
  readonly exposed: number
  readonly converted: number
}

export interface ReferenceEvidence {
  readonly lift: number
  readonly liftCi: readonly [number, number]
  readonly pValue: number
  /** That the variant is above the control. */
  readonly chanceToBeAbove: number
  /** Expected relative loss by the variant where more is better. */
  readonly risk: number
  readonly sequentialCi: readonly [number, number]
}

const ALPHA = 0.05
const TUNING = 5_000
/** Beyond it no density has anything left that a double shows. */
const FAR = 40
const STEPS = 8_000

/** Both arms need persons who converted and persons who did not. */
export function referenceEvidence(control: ReferenceArm, variant: ReferenceArm): ReferenceEvidence {
  const [a, b] = [control, variant].map(({ exposed, converted }) => {
    const rate = converted / exposed
    return { rate, n: exposed, ofMean: (rate * (1 - rate)) / exposed }
  })
  if (a === undefined || b === undefined) throw new RangeError('there are two arms')
  const lift = (b.rate - a.rate) / a.rate
  // The delta method for the quotient of two means.
  const variance = b.ofMean / a.rate ** 2 + (a.ofMean * b.rate ** 2) / a.rate ** 4
  const deviation = Math.sqrt(variance)
  const degrees = (a.ofMean + b.ofMean) ** 2 / (a.ofMean ** 2 / (a.n - 1) + b.ofMean ** 2 / (b.n - 1))
  const student = tailOf((x) => (1 + (x * x) / degrees) ** (-(degrees + 1) / 2))
  const normal = tailOf((x) => Math.exp((-x * x) / 2))
  const z = lift / deviation
  const width = quantile(student, ALPHA / 2) * deviation
  // Half the width of the sequence at n persons, tuned to be narrowest at 5000.
  const n = a.n + b.n
  const rho2 = (-2 * Math.log(ALPHA) + Math.log(1 - 2 * Math.log(ALPHA))) / TUNING
  const sequential =
    Math.sqrt(n * variance) *
    Math.sqrt(((2 * (n * rho2 + 1)) / (n ** 2 * rho2)) * Math.log(Math.sqrt(n * rho2 + 1) / ALPHA))
  const loss =
    sum(-FAR, -z, (x) => (-z - x) * Math.exp((-x * x) / 2)) / sum(-FAR, FAR, (x) => Math.exp((-x * x) / 2))
  return {
    lift,
    liftCi: [lift - width, lift + width],
    pValue: 2 * student(Math.abs(z)),
    chanceToBeAbove: z > 0 ? 1 - normal(z) : normal(-z),
    risk: deviation * loss,
    sequentialCi: [lift - sequential, lift + sequential],
  }
}

/** The p-value that arms of these sizes were split as their weights say; two arms. */
export function referenceSampleRatio(
  exposed: readonly [number, number],
  weights: readonly [number, number],
): number {
  const all = exposed[0] + exposed[1]
  const whole = weights[0] + weights[1]
  const squares = exposed.map((count, index) => {
    const wanted = (all * (weights[index] ?? 0)) / whole
    return (count - wanted) ** 2 / wanted
  })
  // Of one degree of freedom: the square of a normal number.
  return 2 * tailOf((x) => Math.exp((-x * x) / 2))(Math.sqrt(squares.reduce((one, other) => one + other, 0)))
}

/** Upper tail of a density that is symmetric and known up to a factor. */
function tailOf(density: (x: number) => number): (x: number) => number {
  const half = sum(0, FAR, density)
  return (x) => sum(x, FAR, density) / (2 * half)
}

function quantile(tail: (x: number) => number, share: number): number {
  let [low, high] = [0, FAR]
  for (let step = 0; step < 45; step++) {
    const middle = (low + high) / 2
    if (tail(middle) > share) low = middle
    else high = middle
  }
  return low
}

/** Simpson's rule. */
function sum(from: number, to: number, value: (x: number) => number): number {
  const step = (to - from) / STEPS
  let total = value(from) + value(to)
  for (let i = 1; i < STEPS; i++) total += value(from + i * step) * (i % 2 === 0 ? 2 : 4)
  return (total * step) / 3
}
