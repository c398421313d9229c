/** Examples of the reference; a test validates each against its schema. */
export const exampleExperiment = {
  id: '0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d5e',
  key: 'shorter-checkout',
  name: 'Shorter checkout',
  mechanism: 'Fewer pages lose fewer people',
  notes: '',
  hypothesis: 'Paying on one page makes more visitors finish their order',
  kind: 'experiment',
  testType: 'dom',
  status: 'approved',
  priority: 'high',
  origin: 'api',
  experimentRunId: null,
  variants: [
    { key: 'three-pages', displayName: 'Three pages', trafficSplit: 50, isControl: true },
    { key: 'one-page', displayName: 'One page', trafficSplit: 50, isControl: false },
  ],
  conversionTargets: [
    { eventName: 'order_paid', name: 'Paid', direction: 'increase', windowHours: 72, filters: [] },
  ],
  sizing: null,
  surfaces: [{ path: 'src/checkout.html', anchor: '#pay' }],
  pullRequest: null,
  cleanupPullRequest: null,
  dismissal: null,
  rejectedStage: null,
  decision: null,
  measurements: null,
  createdAt: '2026-11-21T09:30:00.000Z',
  updatedAt: '2026-11-21T09:30:00.000Z',
  startedAt: null,
  endedAt: null,
}

const started = { startedAt: '2026-11-21T10:00:00.000Z', updatedAt: '2026-11-21T10:00:00.000Z' }
const ended = { ...started, endedAt: '2026-12-05T10:00:00.000Z', updatedAt: '2026-12-05T10:00:00.000Z' }

export const exampleRunning = { ...exampleExperiment, ...started, status: 'running' }
export const examplePaused = { ...exampleRunning, status: 'paused' }
export const exampleEnded = { ...exampleExperiment, ...ended, status: 'ended' }
export const exampleSettling = {
  ...exampleEnded,
  status: 'settling',
  decision: {
    outcome: 'ship',
    variant: 'one-page',
    reason: 'More orders, no more refunds',
    decidedAt: '2026-12-05T12:00:00.000Z',
    settlesAt: '2026-12-06T10:00:00.000Z',
    personId: '0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d60',
  },
  updatedAt: '2026-12-05T12:00:00.000Z',
}
export const exampleShipped = {
  ...exampleSettling,
  status: 'shipped',
  decision: { ...exampleSettling.decision, reason: null, settlesAt: '2026-12-05T12:00:00.000Z' },
}
export const exampleDismissed = {
  ...exampleExperiment,
  origin: 'generated',
  status: 'dismissed',
  dismissal: {
    reasons: ['low_impact'],
    note: 'Few visitors see this page',
    dismissedAt: '2026-11-21T10:00:00.000Z',
    personId: '0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d60',
  },
  updatedAt: '2026-11-21T10:00:00.000Z',
}
export const exampleResults = {
  asOf: '2026-11-28T09:30:00.000Z',
  state: 'ready',
  reason: null,
  verdict: {
    code: 'winner',
    variant: 'one-page',
    text: 'One page is better than the control: lift +40.3%, chance to win 99.0%.',
  },
  exposed: 2_000,
  multipleVariants: 3,
  srm: { pValue: 0.93, ok: true },
  dataQuality: {
    multipleVariants: 3,
    unknownVariants: 0,
    beforeStart: 0,
    zeroWeight: 0,
    clampedShare: 0,
    lagSeconds: 0,
  },
  targets: [
    {
      eventName: 'order_paid',
      direction: 'increase',
      primary: true,
      variants: [
        { key: 'three-pages', exposed: 1_001, converted: 100, rate: 0.0999, vsControl: null },
        {
          key: 'one-page',
          exposed: 999,
          converted: 140,
          rate: 0.1401,
          vsControl: {
            lift: 0.403,
            liftCi: [0.06, 0.75],
            pValue: 0.0057,
            adjustedPValue: 0.0057,
            chanceToWin: 0.9896,
            risk: 0.0006,
            sequentialCi: [-0.1, 0.9],
            sequentialPValue: 0.12,
          },
        },
      ],
    },
  ],
}

export const exampleDetail = {
  ...exampleExperiment,
  results: {
    ...exampleResults,
    state: 'no_data',
    reason: 'no one has been exposed yet',
    verdict: { code: 'not_started', variant: null, text: 'The experiment has not started.' },
    exposed: 0,
    multipleVariants: 0,
    srm: { pValue: 1, ok: true },
    dataQuality: { ...exampleResults.dataQuality, multipleVariants: 0 },
    targets: [],
  },
  readiness: {
    canStart: true,
    checks: [
      { code: 'status', ok: true, message: 'The experiment can be started' },
      { code: 'event_history', ok: true, message: 'The event order_paid was received' },
    ],
  },
  serving: { state: false, lastAskedAt: null },
  plan: {
    commit: null,
    files: [
      {
        path: 'src/pay.html',
        action: 'create',
        summary: 'Adds 1 line',
        diff: '--- /dev/null\n+++ b/src/pay.html\n@@ -0,0 +1 @@\n+<h1>Pay</h1>\n',
        state: null,
        movedTo: null,
      },
    ],
  },
}
export const exampleStatus = {
  id: exampleExperiment.id,
  key: exampleExperiment.key,
  status: 'approved',
  settled: false,
  rejectedStage: null,
  pullRequest: null,
  updatedAt: exampleExperiment.updatedAt,
}
export const exampleRefinement = {
  id: '0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d62',
  status: 'queued',
  instructions: 'Keep the address on the first page',
  error: null,
  createdAt: '2026-11-21T09:40:00.000Z',
  finishedAt: null,
}
