import t from 'tap'
import { type MeasuredExperiment, resultsOf } from '../results.js'

type Arm = readonly [exposed: number, converted: number]

const verdict = (
  arms: readonly Arm[],
  { direction = 'increase', splits = arms.map(() => 100 / arms.length), ...more }: Options = {},
) =>
  resultsOf(
    {
      variants: arms.map(([exposed, converted], index) => ({
        key: `v${index}`,
        exposed,
        targets: [{ converted }],
      })),
      quality: { multipleVariants: 0, unknownVariants: 0, beforeStart: 0, clampedShare: 0 },
    },
    {
      variants: splits.map((trafficSplit, index) => ({
        key: `v${index}`,
        displayName: `Name ${index}`,
        trafficSplit,
      })),
      targets: [{ eventName: 'bought', direction }],
      ...more,
    },
    { asOf: 0, lagSeconds: 0 },
  ).verdict

interface Options extends Partial<Pick<MeasuredExperiment, 'hasStarted'>> {
  readonly direction?: 'increase' | 'decrease'
  readonly splits?: readonly number[]
}

t.test('the first code that fits is the verdict', async (t) => {
  const cases: [string, string | null, readonly Arm[], Options?][] = [
    [
      'not_started',
      null,
      [
        [0, 0],
        [0, 0],
      ],
      { hasStarted: false },
    ],
    [
      'no_data',
      null,
      [
        [0, 0],
        [0, 0],
      ],
    ],
    [
      'broken_split',
      null,
      [
        [1_000, 100],
        [1_300, 300],
      ],
    ],
    [
      'broken_split',
      null,
      [
        [1_000, 100],
        [1_000, 300],
        [1, 0],
      ],
      { splits: [50, 50, 0] },
    ],
    [
      'collecting',
      null,
      [
        [99, 20],
        [99, 60],
      ],
    ],
    [
      'collecting',
      null,
      [
        [1_000, 4],
        [1_000, 300],
      ],
    ],
    [
      'collecting',
      null,
      [
        [1_000, 300],
        [1_000, 4],
        [1_000, 4],
      ],
    ],
    [
      'undecided',
      null,
      [
        [1_000, 5],
        [1_000, 5],
      ],
    ],
    [
      'undecided',
      null,
      [
        [1_000, 100],
        [1_000, 110],
      ],
    ],
    [
      'winner',
      'v1',
      [
        [1_000, 100],
        [1_000, 160],
      ],
    ],
    [
      'loser',
      null,
      [
        [1_000, 100],
        [1_000, 160],
      ],
      { direction: 'decrease' },
    ],
    [
      'winner',
      'v1',
      [
        [1_000, 160],
        [1_000, 100],
      ],
      { direction: 'decrease' },
    ],
    [
      'winner',
      'v2',
      [
        [1_000, 100],
        [1_000, 160],
        [1_000, 190],
      ],
    ],
    [
      'winner',
      'v1',
      [
        [1_000, 160],
        [1_000, 260],
        [1_000, 100],
      ],
    ],
    [
      'undecided',
      null,
      [
        [1_000, 160],
        [1_000, 165],
        [1_000, 100],
      ],
    ],
    [
      'loser',
      null,
      [
        [1_000, 160],
        [1_000, 90],
        [1_000, 100],
      ],
    ],
    [
      'loser',
      null,
      [
        [1_000, 160],
        [1_000, 100],
        [0, 0],
      ],
      { splits: [50, 50, 0] },
    ],
    [
      'winner',
      'v1',
      [
        [1_000, 100],
        [1_000, 160],
        [0, 0],
      ],
      { splits: [50, 50, 0] },
    ],
  ]
  for (const [code, variant, arms, options] of cases)
    t.match(verdict(arms, options), { code, variant }, JSON.stringify([arms, options]))
})

t.test('a verdict is one sentence, which names the variant', async (t) => {
  t.match(
    verdict([
      [1_000, 100],
      [1_000, 160],
    ])?.text,
    /^Name 1 is better than the control: lift \+60\.0%, chance to win .*\.$/,
  )
  t.equal(
    verdict([
      [1_000, 160],
      [1_000, 100],
    ])?.text,
    'Name 1 is worse than the control.',
  )
  t.equal(
    verdict(
      [
        [1_000, 160],
        [99, 50],
      ],
      { splits: [91, 9] },
    )?.text,
    'There is too little data to judge: variant v1 has 99 of 100 persons.',
  )
})
