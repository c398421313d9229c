import type { FunnelQuery, FunnelStep } from '../../../../domain/funnel.js'

/** The event names of a funnel, and for each the different sets of filters that make it a step. */
export interface FunnelEvents {
  readonly names: readonly NameBitmask[]
  /** Per step: index of its name in `names`, and of its class there. */
  readonly steps: readonly { readonly name: number; readonly stepClass: number }[]
}

export interface NameBitmask {
  readonly eventName: string
  readonly classes: readonly StepClass[]
  /** Whether an event of this name may end an attempt. */
  readonly excluded: boolean
}

/** Steps that the same events satisfy: one name, the same filters. */
export interface StepClass {
  readonly steps: readonly number[]
  /** Whether every event of the name satisfies them. */
  readonly open: boolean
}

export function funnelEvents(steps: readonly FunnelStep[], query: FunnelQuery): FunnelEvents {
  const excluded = new Set(query.exclusions.map((exclusion) => exclusion.eventName))
  const names: {
    eventName: string
    classes: { filters: string; steps: number[]; open: boolean }[]
    excluded: boolean
  }[] = []
  const nameAt = (eventName: string) => {
    const place = names.findIndex((name) => name.eventName === eventName)
    return place >= 0 ? place : names.push({ eventName, classes: [], excluded: excluded.has(eventName) }) - 1
  }
  const places = steps.map((step, index) => {
    const name = nameAt(step.eventName)
    const classes = names[name]?.classes ?? []
    const filters = JSON.stringify(step.filters)
    let stepClass = classes.findIndex((one) => one.filters === filters)
    if (stepClass < 0) stepClass = classes.push({ filters, steps: [], open: step.filters.length === 0 }) - 1
    classes[stepClass]?.steps.push(index)
    return { name, stepClass }
  })
  for (const eventName of excluded) nameAt(eventName)
  return { names, steps: places }
}

/** How satisfied steps are encoded in the lowest bits of a number; 0 is an irrelevant event. */
export interface StepBitmasks {
  readonly bits: number
  /**
   * The bitmask of a row.
   * @param conditionOf gives the condition of a step's own filters
   * @param of names that the row may have
   */
  sql(
    eventIs: (eventName: string) => string,
    conditionOf: (step: number) => string,
    of: readonly NameBitmask[],
  ): string
  /** An event satisfies a step (0-based) if its bits under `mask` equal `value`. */
  testOf(step: number): { readonly mask: number; readonly value: number }
  satisfiesSome(x: string): string
  /** Whether its name is one of these, which exclusions have. */
  isNamed(x: string, eventNames: readonly string[]): string
  /** The bitmask of every event that satisfies the first step, if there is only one. */
  readonly firstStep: number | undefined
}

export function stepBitmasks(vocabulary: FunnelEvents): StepBitmasks {
  return vocabulary.names.every((name) => name.classes.length <= 1)
    ? numberedCodes(vocabulary)
    : maskedCodes(vocabulary)
}

/** For names with at most one class each: one number per class, then one per name that only excludes. */
function numberedCodes({ names, steps }: FunnelEvents): StepBitmasks {
  const withSteps = names.filter((name) => name.classes.length > 0)
  const excluding = names.filter((name) => name.excluded)
  const classCode = (name: NameBitmask) => withSteps.indexOf(name) + 1
  const plainCode = (name: NameBitmask) => withSteps.length + excluding.indexOf(name) + 1
  const bits = Math.ceil(Math.log2(withSteps.length + excluding.length + 1))
  const code = (x: string) => `bitAnd(${x}, ${2 ** bits - 1})`
  return {
    bits,
    sql(eventIs, conditionOf, of) {
      const isOf = (name: NameBitmask) => of.includes(name)
      const branches = [
        ...withSteps
          .filter(isOf)
          .map((name) => `${conditionOf(name.classes[0]?.steps[0] ?? 0)}, ${classCode(name)}`),
        ...excluding.filter(isOf).map((name) => `${eventIs(name.eventName)}, ${plainCode(name)}`),
      ]
      return `toUInt64(multiIf(${branches.join(', ')}, 0))`
    },
    testOf: (step) => ({ mask: 2 ** bits - 1, value: (steps[step]?.name ?? 0) + 1 }),
    satisfiesSome: (x) => `${code(x)} BETWEEN 1 AND ${withSteps.length}`,
    isNamed: (x, eventNames) =>
      isIn(
        code(x),
        excluding
          .filter((name) => eventNames.includes(name.eventName))
          .flatMap((name) =>
            name.classes.length > 0 ? [classCode(name), plainCode(name)] : [plainCode(name)],
          ),
      ),
    firstStep: 1,
  }
}

/** For names with several classes, of which an event may satisfy some: the name, then a bit per class. */
function maskedCodes({ names, steps }: FunnelEvents): StepBitmasks {
  const maskBits = Math.max(...names.map((name) => name.classes.length))
  const bits = Math.ceil(Math.log2(names.length + 1)) + maskBits
  const all = 2 ** bits - 1
  const mask = 2 ** maskBits - 1
  const numberOf = (place: number) => (place + 1) * 2 ** maskBits
  return {
    bits,
    sql(eventIs, conditionOf, of) {
      const branches = of.map((name) => {
        const satisfied = name.classes
          .map((one, bit) => `bitShiftLeft(toUInt64(${conditionOf(one.steps[0] ?? 0)}), ${bit})`)
          .reduce((a, b) => `bitOr(${a}, ${b})`, 'toUInt64(0)')
        const whole = `bitOr(${satisfied}, toUInt64(${numberOf(names.indexOf(name))}))`
        const code = name.excluded ? whole : `if(${satisfied} = 0, 0, ${whole})`
        return `${eventIs(name.eventName)}, ${code}`
      })
      return `toUInt64(multiIf(${branches.join(', ')}, 0))`
    },
    testOf(step) {
      const { name, stepClass } = steps[step] ?? { name: 0, stepClass: 0 }
      return { mask: all - mask + 2 ** stepClass, value: numberOf(name) + 2 ** stepClass }
    },
    satisfiesSome: (x) => `bitAnd(${x}, ${mask}) != 0`,
    isNamed: (x, eventNames) =>
      isIn(
        `bitShiftRight(bitAnd(${x}, ${all - mask}), ${maskBits})`,
        names.flatMap((name, place) => (eventNames.includes(name.eventName) ? [place + 1] : [])),
      ),
    firstStep: undefined,
  }
}

/** Whether a number below 64 is in a list, in one test. */
function isIn(number: string, numbers: readonly number[]): string {
  const set = numbers.reduce((bits, one) => bits | (1n << BigInt(one)), 0n)
  return set === 0n ? '0' : `bitTest(toUInt64(${set}), ${number})`
}
