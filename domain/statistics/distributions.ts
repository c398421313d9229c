import betainc from '@stdlib/math-base-special-betainc'
import betaincinv from '@stdlib/math-base-special-betaincinv'
import erfc from '@stdlib/math-base-special-erfc'
import erfcinv from '@stdlib/math-base-special-erfcinv'
import gammainc from '@stdlib/math-base-special-gammainc'

/*
 * Tail probabilities, each computed as the tail and never as one minus the rest, so that 1e-300 is as
 * accurate as 0.3: relative error at most 2e-13 in the range used here (the library is a port of Boost's).
 */

/** P(Z > z) of a standard normal Z. */
export function normalTail(z: number): number {
  return erfc(z / Math.SQRT2) / 2
}

/** The z with P(Z < z) = `probability`. */
export function normalQuantile(probability: number): number {
  return -Math.SQRT2 * erfcinv(2 * probability)
}

/** The density of a standard normal at z. */
export function normalDensity(z: number): number {
  return Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)
}

/** P(|T| > |t|) of Student's t with `degrees` of freedom, any number above 0. */
export function studentTwoSided(t: number, degrees: number): number {
  const square = t * t
  if (square === Number.POSITIVE_INFINITY) return 0
  // The argument that is not near 1 keeps its digits.
  return square < degrees
    ? betainc(square / (degrees + square), 0.5, degrees / 2, true, true)
    : betainc(degrees / (degrees + square), degrees / 2, 0.5, true, false)
}

/** The t above 0 with P(|T| > t) = `probability`: the critical value of a two-sided test. */
export function studentCritical(probability: number, degrees: number): number {
  const y = betaincinv(probability, 0.5, degrees / 2, true)
  return Math.sqrt((degrees * y) / (1 - y))
}

/** P(X > x) of chi-square with `degrees` of freedom. */
export function chiSquareTail(x: number, degrees: number): number {
  return x <= 0 ? 1 : gammainc(x / 2, degrees / 2, true, true)
}
