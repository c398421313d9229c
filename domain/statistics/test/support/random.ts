/** Random numbers that are the same for a seed. */
export interface Random {
  /** In [0, 1). */
  uniform(): number
  normal(): number
  /** How many of n succeed. */
  binomial(n: number, p: number): number
}

/** xoshiro128**, seeded by splitmix. */
export function randomly(seed: number): Random {
  let mixed = seed >>> 0
  const next = () => {
    mixed = (mixed + 0x9e3779b9) >>> 0
    let z = mixed
    z = Math.imul(z ^ (z >>> 16), 0x85ebca6b)
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35)
    return (z ^ (z >>> 16)) >>> 0
  }
  const state = new Uint32Array([next(), next(), next(), next()])
  const at = (index: number) => state[index] ?? 0
  const turned = (x: number, bits: number) => ((x << bits) | (x >>> (32 - bits))) >>> 0
  const uniform = () => {
    const result = Math.imul(turned(Math.imul(at(1), 5) >>> 0, 7), 9) >>> 0
    const shifted = at(1) << 9
    state[2] = at(2) ^ at(0)
    state[3] = at(3) ^ at(1)
    state[1] = at(1) ^ at(2)
    state[0] = at(0) ^ at(3)
    state[2] = at(2) ^ shifted
    state[3] = turned(at(3), 11)
    return result / 2 ** 32
  }
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform())
  return {
    uniform,
    normal,
    binomial(n, p) {
      let successes = 0
      for (let index = 0; index < n; index++) if (uniform() < p) successes++
      return successes
    },
  }
}
