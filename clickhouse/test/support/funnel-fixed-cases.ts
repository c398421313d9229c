import type { FunnelQuery, FunnelStep, JsonValue } from '../../../domain/funnel.js'
import type { FunnelCase } from './funnel-cases.js'
import { DAY, event, FROM, request, stepsOf } from './funnel-fixtures.js'
import type { StoredRequest } from './funnel-store.js'

/** Events and a funnel over them, with what its words give by hand. */
export interface FixedCase {
  readonly title: string
  readonly requests: readonly StoredRequest[]
  readonly links?: FunnelCase['links']
  readonly steps: readonly FunnelStep[]
  readonly query?: Partial<FunnelQuery>
  readonly counts: readonly number[]
  /** Seconds of the second step. */
  readonly median?: number
  /** Values and sizes of the groups. */
  readonly groups?: readonly (readonly [JsonValue, number])[]
}

/** Persons who begin separately, each with an event of these properties, by the value of a property. */
function valued(
  title: string,
  property: string,
  properties: readonly Record<string, JsonValue>[],
  groups: NonNullable<FixedCase['groups']>,
): FixedCase {
  return {
    title: `breakdown: ${title}`,
    requests: [
      request(
        0,
        properties.map((one, index) => event('a', index, `p${index}`, { properties: one })),
      ),
    ],
    steps: stepsOf('a', 'b'),
    query: { breakdown: { property, limit: 3 } },
    counts: [properties.length, 0],
    groups,
  }
}

export const fixedCases: readonly FixedCase[] = [
  {
    title: 'a filter finds the property itself, and nothing that has its text',
    requests: [
      request(
        0,
        [
          { plan: 'pro' },
          { x: 1, plan: 'pro', y: [1] },
          { x: '{', plan: 'pro' },
          { x: { y: 1 }, plan: 'pro' },
          { x: { plan: 'pro' } },
          { x: [{ plan: 'pro' }] },
          { 'x"plan': 'pro' },
          { x: ',"plan":"pro"' },
          { plan: 'pros' },
          { plan: ['pro'] },
        ].flatMap((properties, index) => [
          event('a', index, `p${index}`, { properties }),
          event('b', 100 + index, `p${index}`),
        ]),
      ),
    ],
    steps: [
      { name: 'a', eventName: 'a', filters: [{ property: 'plan', operator: 'eq', value: 'pro' }] },
      { name: 'b', eventName: 'b', filters: [] },
    ],
    counts: [4, 4],
  },
  {
    title: 'the window is inclusive to the millisecond',
    requests: [
      request(0, [
        event('a', 0, 'in'),
        event('b', 60_000, 'in'),
        event('a', 0, 'out'),
        event('b', 60_001, 'out'),
      ]),
    ],
    steps: stepsOf('a', 'b'),
    counts: [2, 1],
    median: 60,
  },
  {
    title: 'step 1 begins in [from, to), later steps may come after to',
    requests: [
      request(0, [event('a', -1, 'early'), event('b', 1, 'early')]),
      request(1, [event('a', 0, 'first'), event('b', 1, 'first')]),
      request(2, [event('a', DAY - 1, 'last'), event('b', DAY + 5, 'last')]),
      request(3, [event('a', DAY, 'late'), event('b', DAY + 5, 'late')]),
    ],
    steps: stepsOf('a', 'b'),
    counts: [2, 2],
  },
  {
    title: 'history is in the order of its times, and received after all others of one time',
    requests: [
      request(0, [event('b', 5), event('c', 5), event('b', 5, 'tied')]),
      request(1, [event('a', 0), event('a', 5, 'tied')], 3_000 * DAY),
    ],
    steps: stepsOf('a', 'b', 'c'),
    counts: [2, 1, 1],
  },
  {
    title: 'one event satisfies one step',
    requests: [request(0, [event('a', 0, 'once'), event('a', 0, 'twice'), event('a', 0, 'twice')])],
    steps: stepsOf('a', 'a'),
    counts: [2, 1],
    median: 0,
  },
  {
    title: 'a later start may win, and the earliest of equal starts gives the times',
    requests: [
      request(0, [
        event('a', 0),
        event('a', 50_000),
        event('a', 70_000),
        event('b', 100_000),
        event('c', 110_000),
      ]),
    ],
    steps: stepsOf('a', 'b', 'c'),
    counts: [1, 1, 1],
    median: 50,
  },
  {
    title: 'equal timestamps follow the receipt',
    requests: [
      request(0, [event('b', 5, 'right')], 20),
      request(1, [event('a', 5, 'right')], 10),
      request(2, [event('b', 5, 'wrong')], 10),
      request(3, [event('a', 5, 'wrong')], 20),
    ],
    steps: stepsOf('a', 'b'),
    counts: [2, 1],
    median: 0,
  },
  {
    // Five of fifteen persons are tied and asked for again; their durations lie all below the median.
    title: 'tied persons at one end of the durations',
    requests: [
      request(
        0,
        [0, 0, 11, 0, 659, 166, 40, 34, 86, 3872, 0, 0, 2, 1, 269].flatMap((seconds, person) => [
          event('a', 0, `person-${person}`),
          event('b', seconds * 1_000, `person-${person}`),
        ]),
      ),
    ],
    steps: stepsOf('a', 'b'),
    query: { windowSeconds: 604_800 },
    counts: [15, 15],
    median: 11,
  },
  {
    title: 'then the index in the request',
    requests: [
      request(0, [
        event('a', 5, 'right'),
        event('b', 5, 'right'),
        event('b', 5, 'wrong'),
        event('a', 5, 'wrong'),
      ]),
    ],
    steps: stepsOf('a', 'b'),
    counts: [2, 1],
  },
  {
    title: 'then the log position, however large',
    requests: [
      request(2 ** 41 + 1, [event('b', 5, 'right'), event('a', 5, 'wrong')]),
      request(2 ** 41, [event('a', 5, 'right'), event('b', 5, 'wrong')]),
      request(7, [event('b', 6, 'partition')], 0, 1_500),
      request(8, [event('a', 6, 'partition')], 0, 3),
    ],
    steps: stepsOf('a', 'b'),
    counts: [3, 2],
  },
  {
    title: 'links join persons; a user and an anonymous of the same text stay two',
    requests: [
      request(0, [
        event('a', 0, undefined, { userId: undefined, anonymousId: 'linked' }),
        event('b', 1, 'u1'),
      ]),
      request(1, [
        event('a', 0, undefined, { userId: undefined, anonymousId: 'same' }),
        event('b', 1, 'same'),
      ]),
      request(2, [event('a', 0, 'own', { anonymousId: 'linked' }), event('b', 1, 'own')]),
    ],
    links: [['linked', 'u1']],
    steps: stepsOf('a', 'b'),
    counts: [3, 2],
  },
  {
    title: 'filters of steps and of the query',
    requests: [
      request(0, [
        event('a', 0, 'both', { properties: { plan: 'pro', site: { id: 7 } } }),
        event('b', 1, 'both', { properties: { 'site.id': 7 } }),
        event('a', 0, 'step', { properties: { plan: 'free', site: { id: 7 } } }),
        event('a', 0, 'query', { properties: { plan: 'pro', site: { id: '7' } } }),
      ]),
    ],
    steps: [
      { name: 'a', eventName: 'a', filters: [{ property: 'plan', operator: 'eq', value: 'pro' }] },
      ...stepsOf('b'),
    ],
    query: { filters: [{ property: 'site.id', operator: 'eq', value: 7 }] },
    counts: [1, 1],
  },
  {
    title: 'strict: no other step in between, other events do not matter',
    requests: [
      request(0, [event('a', 0, 'skips'), event('a', 1, 'skips'), event('c', 2, 'skips')]),
      request(1, [
        event('a', 0, 'again'),
        event('b', 1, 'again'),
        event('b', 2, 'again'),
        event('c', 3, 'again'),
      ]),
      request(2, [
        event('a', 0, 'whole'),
        event('z', 1, 'whole'),
        event('b', 2, 'whole'),
        event('c', 3, 'whole'),
      ]),
      request(3, [event('a', DAY - 1, 'late'), event('a', DAY, 'late'), event('b', DAY + 1, 'late')]),
    ],
    steps: stepsOf('a', 'b', 'c'),
    query: { order: 'strict' },
    counts: [4, 2, 1],
  },
  {
    title: 'strict: a step rests on the step right before it',
    requests: [request(0, [event('a', 0), event('a', 1), event('b', 2)])],
    steps: stepsOf('a', 'b', 'b'),
    query: { order: 'strict' },
    counts: [1, 1, 0],
  },
  {
    title: 'any: distinct steps in any order within the window, from any of their events in range',
    requests: [
      request(0, [event('c', 0, 'all'), event('a', 60_000, 'all'), event('b', 1, 'all')]),
      request(1, [event('c', 0, 'two'), event('c', 1, 'two'), event('b', 60_000, 'two')]),
      request(2, [event('a', 0, 'apart'), event('b', 60_001, 'apart'), event('c', 200_000, 'apart')]),
      request(3, [event('b', DAY, 'late')]),
    ],
    steps: stepsOf('a', 'b', 'c'),
    query: { order: 'any' },
    counts: [3, 2, 1],
  },
  {
    title: 'any: an event serves one step, and steps share their events as well as can be',
    requests: [
      request(0, [
        event('a', 0, 'both', { properties: { p: 1 } }),
        event('a', 1, 'both'),
        event('a', 0, 'one', { properties: { p: 1 } }),
        event('a', 0, 'plain'),
        event('a', 1, 'plain'),
      ]),
    ],
    steps: [
      { name: 'all', eventName: 'a', filters: [] },
      { name: 'some', eventName: 'a', filters: [{ property: 'p', operator: 'eq', value: 1 }] },
    ],
    query: { order: 'any' },
    counts: [3, 1],
  },
  {
    // Ten steps under overlapping filters: p from 0 on, from 1 on, … An event with p = 3 satisfies four of
    // them.
    title: 'any: many steps of one name under different filters',
    requests: [
      request(0, [
        ...[3, 3, 3, 3, 3, 3].map((p, index) => event('a', index, 'four', { properties: { p } })),
        ...[0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((p) => event('a', 9 - p, 'ten', { properties: { p } })),
        ...[0, 0, 9].map((p, index) => event('a', index, 'two', { properties: { p } })),
      ]),
    ],
    steps: Array.from({ length: 10 }, (_, p) => ({
      name: `from ${p}`,
      eventName: 'a',
      filters: [{ property: 'p', operator: 'gte', value: p }],
    })),
    query: { order: 'any', exclusions: [{ eventName: 'x', fromStep: 0, toStep: 9 }] },
    counts: [3, 3, 2, 2, 1, 1, 1, 1, 1, 1],
  },
  {
    title: 'any: step k of an exclusion is the (k+1)-th distinct step done',
    requests: [
      request(0, [event('b', 0, 'ended'), event('x', 1, 'ended'), event('a', 2, 'ended')]),
      request(1, [event('x', 0, 'before'), event('b', 1, 'before'), event('a', 2, 'before')]),
      request(2, [
        event('b', 0, 'after'),
        event('a', 1, 'after'),
        event('x', 2, 'after'),
        event('c', 3, 'after'),
      ]),
    ],
    steps: stepsOf('a', 'b', 'c'),
    query: { order: 'any', exclusions: [{ eventName: 'x', fromStep: 0, toStep: 1 }] },
    counts: [3, 2, 1],
  },
  {
    title: 'an exclusion ends the run between its steps, which keeps its level; another start may do better',
    requests: [
      request(0, [event('a', 0, 'ended'), event('x', 1, 'ended'), event('b', 2, 'ended')]),
      request(1, [
        event('a', 0, 'anew'),
        event('x', 1, 'anew'),
        event('a', 2, 'anew'),
        event('b', 3, 'anew'),
      ]),
      request(2, [
        event('a', 0, 'later'),
        event('b', 1, 'later'),
        event('x', 2, 'later'),
        event('c', 3, 'later'),
      ]),
      request(3, [
        event('x', 0, 'outside'),
        event('a', 1, 'outside'),
        event('b', 2, 'outside'),
        event('c', 3, 'outside'),
        event('x', 4, 'outside'),
      ]),
    ],
    steps: stepsOf('a', 'b', 'c'),
    query: { exclusions: [{ eventName: 'x', fromStep: 0, toStep: 1 }] },
    counts: [4, 3, 2],
    median: 0.001,
  },
  {
    // The attempt proceeds to the first b, which the exclusion ends, and does not wait for the second.
    title: 'the walk takes the earliest continuation',
    requests: [request(0, [event('a', 0), event('b', 1), event('x', 2), event('b', 3), event('c', 4)])],
    steps: stepsOf('a', 'b', 'c'),
    query: { exclusions: [{ eventName: 'x', fromStep: 1, toStep: 2 }] },
    counts: [1, 1, 0],
  },
  {
    // The second start is ended between the first, which has passed, and the third, which has not come so
    // far.
    title: 'the earliest start that comes through, not the earliest within the window',
    requests: [
      request(0, [
        event('a', 0),
        event('b', 1),
        event('c', 2),
        event('a', 3),
        event('b', 4),
        event('a', 5),
        event('x', 6),
        event('b', 7),
        event('c', 8),
        event('d', 60_001),
      ]),
    ],
    steps: stepsOf('a', 'b', 'c', 'd'),
    query: { exclusions: [{ eventName: 'x', fromStep: 1, toStep: 2 }] },
    counts: [1, 1, 1, 1],
    median: 0.002,
  },
  {
    title: 'an exclusion that is a step: it closes its own stretch, and ends any other',
    requests: [
      request(0, [event('a', 0, 'closes'), event('b', 1, 'closes'), event('c', 2, 'closes')]),
      request(1, [event('a', 0, 'again'), event('a', 1, 'again'), event('b', 2, 'again')]),
    ],
    steps: stepsOf('a', 'b', 'c'),
    query: {
      exclusions: [
        { eventName: 'b', fromStep: 0, toStep: 1 },
        { eventName: 'a', fromStep: 0, toStep: 2 },
      ],
    },
    counts: [2, 2, 1],
    median: 0.001,
  },
  {
    title: 'an exclusion of the same millisecond counts by its receipt',
    requests: [
      request(0, [event('a', 5, 'between'), event('x', 5, 'between'), event('b', 5, 'between')]),
      request(1, [
        event('x', 5, 'first'),
        event('a', 5, 'first'),
        event('b', 5, 'first'),
        event('x', 5, 'first'),
      ]),
    ],
    steps: stepsOf('a', 'b'),
    query: { exclusions: [{ eventName: 'x', fromStep: 0, toStep: 1 }] },
    counts: [2, 1],
  },
  {
    title: 'breakdown: the JSON value at the start of the counted run, largest first, then by value',
    requests: [
      request(
        0,
        [
          1,
          -9223372036854776000,
          '1',
          true,
          null,
          undefined,
          1e21,
          { a: 1, b: 2 },
          { b: 2, a: 1 },
          [1],
          'ä',
          '',
          false,
        ].flatMap((value, person) => [
          event('a', 0, `p${person}`, { properties: { v: 'an earlier start' } }),
          event('a', 61_000, `p${person}`, { properties: value === undefined ? {} : { v: value } }),
          event('b', 62_000, `p${person}`, { properties: { v: 'the end' } }),
        ]),
      ),
    ],
    steps: stepsOf('a', 'b'),
    query: { breakdown: { property: 'v', limit: 10 } },
    counts: [13, 13],
    groups: [
      [null, 2],
      [{ a: 1, b: 2 }, 2],
      [false, 1],
      [true, 1],
      [-9223372036854776000, 1],
      [1, 1],
      [1e21, 1],
      ['', 1],
      ['1', 1],
      ['ä', 1],
    ],
  },
  {
    title: 'each group has its trend, equal objects one for both',
    requests: [
      request(1, [
        event('a', 0, 'p1', { properties: { v: { a: 1, b: 2 } } }),
        event('b', 1_000, 'p1'),
        event('a', DAY, 'p2', { properties: { v: { b: 2, a: 1 } } }),
        event('a', DAY, 'p3', { properties: { v: 1 } }),
      ]),
    ],
    steps: stepsOf('a', 'b'),
    query: { breakdown: { property: 'v', limit: 10 }, interval: 'day', to: FROM + 2 * DAY },
    counts: [3, 1],
    groups: [
      [{ a: 1, b: 2 }, 2],
      [1, 1],
    ],
  },
  {
    title: 'breakdown: of two starts in one millisecond the one received first',
    requests: [
      request(1, [event('a', 5, 'u', { properties: { v: 'second' } }), event('b', 6)], 20),
      request(2, [event('a', 5, 'u', { properties: { v: 'first' } })], 10),
    ],
    steps: stepsOf('a', 'b'),
    query: { breakdown: { property: 'v', limit: 5 } },
    counts: [1, 1],
    groups: [['first', 1]],
  },
  valued(
    'a key that stands between two strings',
    ':',
    [{ a: ':' }, { a: ':b' }, { ':': 1 }],
    [
      [null, 2],
      [1, 1],
    ],
  ),
  valued('a key that stands between a string and a key', ',', [{ a: 'x', ':k': 1 }], [[null, 1]]),
  valued('a key that stands between two keys', ':1,', [{ a: 1, ':k': 2 }], [[null, 1]]),
  valued(
    'a key with what ends a key',
    'p":1,"q',
    [{ p: 1, q: 2 }, { 'p":1,"q': 3 }],
    [
      [null, 1],
      [3, 1],
    ],
  ),
  valued(
    'keys and values that look like others, among properties with and without objects',
    'p',
    [
      { q: 'p', p: 'a/b' },
      { q: { p: 1 }, p: 'a/b' },
      { q: [{ p: 1 }], r: '{"p":1}', p: 'a/b' },
      { q: '"p":1', s: 'x,', p: '}' },
      { s: ',p:', p: null },
      { q: { p: 1 }, p: null },
      { 'q.p': 1, pp: 2 },
    ],
    [
      [null, 3],
      ['a/b', 3],
      ['}', 1],
    ],
  ),
  valued(
    'long values, and one that the parser does not take',
    'p',
    [
      { p: `${'x'.repeat(300)}1` },
      { p: `${'x'.repeat(300)}1` },
      { p: `${'x'.repeat(300)}2` },
      { p: 123456789012345680000 },
      { p: 'a', q: 123456789012345680000 },
    ],
    [
      [`${'x'.repeat(300)}1`, 2],
      [123456789012345680000, 1],
      ['a', 1],
    ],
  ),
  valued(
    'beside what the parser does not take',
    'p',
    [{ p: 'a', q: { n: 123456789012345680000 } }, { p: 'b', q: '\ud800' }, { q: [123456789012345680000] }],
    [
      [null, 1],
      ['a', 1],
      ['b', 1],
    ],
  ),
  valued(
    'properties too long to be parsed for each event, with and without the key',
    'p',
    [
      { p: 'a', q: { long: 'x'.repeat(300) } },
      { p: 'a' },
      { q: ['x'.repeat(300)] },
      { r: { p: 'a', q: 'x'.repeat(300) } },
    ],
    [
      [null, 2],
      ['a', 2],
    ],
  ),
  ...[250, 700, 1_500].map((count) =>
    valued(
      `${count} values`,
      'p',
      Array.from({ length: count }, (_, index) => ({ p: 10_000 + (index % (count - 1)) })),
      [
        [10_000, 2],
        [10_001, 1],
        [10_002, 1],
      ],
    ),
  ),
]
