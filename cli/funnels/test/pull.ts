import t from 'tap'
import { toDefinition } from '../definition.js'
import { updatedFile } from '../pull.js'

const checkout = {
  name: 'Checkout',
  windowSeconds: 60,
  steps: [{ eventName: 'visit' }, { eventName: 'paid', name: 'Paid' }],
}
const quick = { name: 'Quick', steps: [{ eventName: 'visit' }] }
const stored = (...funnels: Parameters<typeof toDefinition>[0][]) => funnels.map(toDefinition)

t.test('equal funnels are not touched, whatever their form and order', async (t) => {
  const text = `funnels: # all\n    - {name: Quick, steps: [{eventName: visit}], windowSeconds: 604800}\n    - steps:\n       - eventName: visit\n       - eventName: paid\n         name:   Paid\n      name: Checkout\n      windowSeconds: 60\n`
  t.equal(updatedFile('f', text, stored(checkout, quick), false), text)
})

t.test('a changed funnel is edited in its place, and comments around it stay', async (t) => {
  const text = `# ours\nfunnels:\n  # first\n  - name: Checkout\n    windowSeconds: 30 # short\n    description: old\n    steps:\n      - eventName: visit # in\n      - eventName: done # out\n      - eventName: gone\n  - name: Old\n    steps:\n      - eventName: x\n`
  t.equal(
    updatedFile('f', text, stored(checkout, quick), false),
    `# ours\nfunnels:\n  # first\n  - name: Checkout\n    windowSeconds: 60 # short\n    steps:\n      - eventName: visit # in\n      - eventName: paid # out\n        name: Paid\n  - name: Quick\n    windowSeconds: 604800\n    steps:\n      - eventName: visit\n`,
  )
})

t.test('a saved query is written without its defaults, and removed with it', async (t) => {
  const text = `funnels:\n  - name: Quick\n    steps:\n      - eventName: visit\n`
  const query = { breakdown: { property: 'plan' }, interval: 'day', last: '7d' } as const
  const written = `${text}    query:\n      breakdown:\n        limit: 10\n        property: plan\n      interval: day\n      last: 7d\n`
  t.equal(updatedFile('f', text, stored({ ...quick, query }), false), written)
  t.equal(updatedFile('f', written, stored({ ...quick, query }), false), written)
  t.equal(updatedFile('f', written, stored(quick), false), text)
})

t.test('a file without funnels is not overwritten', async (t) => {
  for (const text of ['- a\n', 'just text', 'funnels: 3\n'])
    t.throws(() => updatedFile('f', text, stored(quick), false), { name: 'CommandError' }, text)
})
