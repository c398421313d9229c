import type { FunnelQuery, FunnelStep } from '../../../../domain/funnel.js'
import type { PersonSql } from '../../../port.js'
import type { Parameters } from '../../parameters.js'
import { filterSql, JSON_TEXT } from '../../property-filter.js'
import { rangeConditions } from '../../range-conditions.js'
import { type FunnelEvents, funnelEvents, type NameBitmask, stepBitmasks } from './step-bitmask.js'

/** A funnel's events as whole numbers: milliseconds on its own clock, then the bitmask of satisfied steps. */
export interface EventSelection {
  readonly vocabulary: FunnelEvents
  /** Bits of a bitmask. */
  readonly codeBits: number
  /** Bits of a time on the funnel's clock, which starts a window and a millisecond before `from`. */
  readonly timeBits: number
  /** Whether the event of this number satisfies a step (0-based). */
  satisfies(x: string, step: number): string
  /** The same as a bit test: those under `mask` equal `value`. */
  testOf(step: number): { readonly mask: number; readonly value: number }
  satisfiesSome(x: string): string
  /** Whether its name is one of these, which exclusions have. */
  isNamed(x: string, eventNames: readonly string[]): string
  /** Whether an attempt may begin with it. */
  isStart(x: string): string
  /** The bitmask of every event with which an attempt may begin, if there is only one. */
  readonly startCode: number | undefined
  /** Whether one event can satisfy several steps. */
  readonly overlapping: boolean
  /**
   * SQL of the relevant events, with `time`, `code` and the named columns.
   * @param some only events whose names can begin an attempt, or only the others
   */
  rowsSql(columns: readonly string[], some?: 'starts' | 'others'): string
  /**
   * SQL of possibly relevant events as columns of fixed width: the person and `columns`, then the bitmask,
   * which may be 0. In one layer without filters and joins: planning a layer costs as much as reading
   * 100,000 rows.
   */
  codedSql(person: PersonSql, columns: readonly string[]): string
  /** Whether there are names with which no attempt can begin. */
  readonly hasOthers: boolean
  /** Milliseconds since 1970 of a time on the funnel's clock. */
  epoch(time: string): string
}

export function selectEvents(
  workspaceId: string,
  steps: readonly FunnelStep[],
  query: FunnelQuery,
  parameters: Parameters,
): EventSelection {
  const vocabulary = funnelEvents(steps, query)
  const codes = stepBitmasks(vocabulary)
  const windowMs = query.windowSeconds * 1_000
  const int = (value: number) => parameters.bind('Int64', value)
  const at = (value: number) => `fromUnixTimestamp64Milli(${int(value)}, 'UTC')`
  const eventIs = (eventName: string) => `event = ${parameters.bind('String', eventName)}`
  const lateStarts = lateStartsMatter(vocabulary, query)
  const conditionOf = (index: number) => {
    const step = steps[index]
    if (step === undefined) throw new RangeError(`there is no step ${index}`)
    return [
      ...(index === 0 && !lateStarts ? [`timestamp < ${at(query.to)}`] : []),
      eventIs(step.eventName),
      ...step.filters.map((filter) => filterSql(filter, parameters)),
    ].join(' AND ')
  }
  const within = rangeConditions(query.from, query.to + windowMs, parameters)
  const from = (names: readonly NameBitmask[]) =>
    [
      `workspace_id = ${parameters.bind('UUID', workspaceId)}`,
      `event IN ${parameters.bind(
        'Array(String)',
        names.map((name) => name.eventName),
      )}`,
      ...within,
    ].join(' AND ')
  // The first step's name comes first, names of exclusions last.
  const startNames =
    query.order === 'any'
      ? vocabulary.names.filter((name) => name.classes.length > 0)
      : vocabulary.names.slice(0, 1)
  const namesOf = (some: 'starts' | 'others' | undefined) =>
    some === undefined
      ? vocabulary.names
      : vocabulary.names.filter((name) => startNames.includes(name) === (some === 'starts'))
  const time = `toUInt64(toUnixTimestamp64Milli(timestamp) - ${int(query.from - windowMs - 1)})`
  const end = BigInt(query.to - query.from + windowMs + 1) << BigInt(codes.bits)
  const satisfies = (x: string, step: number) => {
    const { mask, value } = codes.testOf(step)
    return `bitAnd(${x}, ${mask}) = ${value}`
  }
  const isStart = (x: string) => {
    const satisfied = query.order === 'any' ? codes.satisfiesSome(x) : satisfies(x, 0)
    return lateStarts ? `(${satisfied} AND ${x} < ${end})` : satisfied
  }
  const isFiltered = ({ classes }: NameBitmask) =>
    query.filters.length > 0 || classes.some((stepClass) => !stepClass.open)
  const layersSql = (names: readonly NameBitmask[], columns: readonly string[], filtered: boolean) =>
    layeredSql({
      columns,
      filtered,
      time,
      code: codes.sql(eventIs, conditionOf, names),
      where: from(names),
      passing: query.filters.map((filter) => filterSql(filter, parameters)),
    })
  /** Names without filters apart: properties are wide, and a condition is evaluated on every row. */
  const unionSql = (
    names: readonly NameBitmask[],
    sqlOf: (names: readonly NameBitmask[], filtered: boolean) => string,
  ) =>
    [false, true]
      .map((filtered) => ({ filtered, some: names.filter((name) => isFiltered(name) === filtered) }))
      .filter(({ some }) => some.length > 0)
      .map(({ some, filtered }) => sqlOf(some, filtered))
      .join('\nUNION ALL\n')
  return {
    vocabulary,
    codeBits: codes.bits,
    timeBits: Math.ceil(Math.log2(query.to - query.from + 2 * windowMs + 2)),
    satisfies,
    testOf: codes.testOf,
    satisfiesSome: codes.satisfiesSome,
    isNamed: codes.isNamed,
    isStart,
    startCode: query.order === 'any' ? undefined : codes.firstStep,
    overlapping: vocabulary.names.some((name) => name.classes.flatMap((one) => one.steps).length > 1),
    epoch: (time) => `(toInt64(${time}) + ${int(query.from - windowMs - 1)})`,
    hasOthers: startNames.length < vocabulary.names.length,
    rowsSql: (columns, some) =>
      unionSql(namesOf(some), (names, filtered) => layersSql(names, columns, filtered)),
    codedSql: (person, columns) =>
      unionSql(vocabulary.names, (names, filtered) => {
        const shown = [`${person.key} AS person`, ...columns].join(', ')
        return filtered || person.joins
          ? `SELECT ${shown}, toUInt32(code) AS satisfied FROM (${person.linked(layersSql(names, ['person_key', ...columns], filtered))})`
          : `SELECT ${shown}, toUInt32(${codes.sql(eventIs, conditionOf, names)}) AS satisfied FROM events WHERE ${from(names)}`
      }),
  }
}

/** SQL of the events with a code, in layers, because an expression is planned again wherever it is used. */
function layeredSql(rows: {
  readonly columns: readonly string[]
  /** Whether a condition reads properties. */
  readonly filtered: boolean
  readonly time: string
  readonly code: string
  readonly where: string
  /** Conditions on every event. */
  readonly passing: readonly string[]
}): string {
  const { filtered, passing } = rows
  const kept = [...new Set(rows.columns)]
  const read = [...new Set([...kept, 'event', 'timestamp', ...(filtered ? ['properties'] : [])])]
  return `SELECT ${[...kept, 'time', 'code'].join(', ')} FROM (
SELECT ${kept.join(', ')}, ${rows.time} AS time, ${rows.code} AS code FROM (
SELECT ${read.join(', ')}${filtered ? `, ${JSON_TEXT} AS json` : ''} FROM events WHERE ${rows.where})${
    passing.length === 0 ? '' : ` WHERE ${passing.join(' AND ')}`
  }) WHERE code != 0`
}

/** Whether an event of the first step matters after `to`, as another step or because it is in between. */
function lateStartsMatter({ names, steps }: FunnelEvents, query: FunnelQuery): boolean {
  const first = steps[0]
  const name = names[first?.name ?? 0]
  const sharing = name?.classes[first?.stepClass ?? 0]?.steps.length ?? 0
  return query.order !== 'ordered' || sharing > 1 || name?.excluded === true
}

/** `time` and `code` in one 64-bit number, ordered by time. At most 36 and 26 bits. */
export function packedSql(relevant: EventSelection): string {
  return `bitOr(bitShiftLeft(time, ${relevant.codeBits}), code)`
}
