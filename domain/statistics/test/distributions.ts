import t from 'tap'
import { chiSquareTail, normalTail, studentCritical, studentTwoSided } from '../distributions.js'

/** Exact to 20 digits, by mpmath at 40. */
const NORMAL: readonly (readonly [z: number, p: number])[] = [
  [-8, 0.9999999999999993],
  [0.5, 0.3085375387259869],
  [6, 9.86587645037698e-10],
  [20, 2.7536241186062337e-89],
  [37, 5.725571222524577e-300],
]

t.test('tail probabilities are exact to twelve digits', async (t) => {
  const near = (ours: number, exact: number, title: string) =>
    t.ok(Math.abs(ours - exact) <= 1e-12 * exact, `${title}: ${ours}, exactly ${exact}`)
  for (const [z, p] of NORMAL) near(normalTail(z), p, `normal ${z}`)
  near(studentTwoSided(1.96, 1.3), 0.2528473130818487, 't, few degrees')
  near(studentTwoSided(0, 7), 1, 't at 0')
  near(studentTwoSided(37, 2e9), 1.1453829337302496e-299, 't, many degrees')
  near(studentTwoSided(20, 198), 2.068940257467817e-49, 't, far out')
  near(studentCritical(0.05, 1), 12.706204736174705, 'critical, 1 degree')
  near(studentCritical(0.05, 1.3), 7.5005293255620336, 'critical')
  near(studentCritical(0.05, 2e9), 1.95996398572619, 'critical, many degrees')
  near(chiSquareTail(0, 3), 1, 'chi-square at 0')
  near(chiSquareTail(300, 1), 3.294362383314041e-67, 'chi-square')
  near(chiSquareTail(1_300, 7), 1.6632784025498239e-276, 'chi-square, far out')
  t.equal(studentTwoSided(Number.POSITIVE_INFINITY, 3), 0)
})
