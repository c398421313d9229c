import t from 'tap'
import type { Proposal, RefineRequest, Revised } from '../../port.js'
import { ruleGenerator } from '../../rule-generator.js'
import { html } from '../../test/support/sites.js'
import { requestOf } from '../../test/support/workspace.js'
import { refineCandidate } from '../refine-candidate.js'

const files = {
  'site/join.html': html(
    'Join',
    `<h1>Create an account for the site</h1><form id="join"><label>Your email <input type="email" name="email"></label>
<label>Your password <input type="password" name="p"></label><button>Submit</button></form>`,
  ),
}

const PROPOSAL: Proposal = {
  name: 'Say “Create my account” instead of “Submit” at sign-up',
  mechanism: 'specificity',
  hypothesis:
    'If the button says “Create my account” instead of “Submit”, then more visitors will create an account (`signup_completed`), because people act more readily if they know what happens next.',
  surfaces: [{ path: 'site/join.html', anchor: 'button "Submit"' }],
  files: [
    { path: 'site/join.html', edits: [{ find: 'Submit', replace: 'Create my account', variant: 'b' }] },
  ],
  variants: [
    { key: 'control', displayName: 'Control', trafficSplit: 50, isControl: true },
    { key: 'b', displayName: 'Create my account', trafficSplit: 50, isControl: false },
  ],
  conversionTargets: [
    {
      eventName: 'signup_completed',
      name: 'Signup completed',
      direction: 'increase',
      windowHours: 168,
      filters: [],
    },
  ],
  priority: 'medium',
  reasons: ['The workspace has not received `signup_completed` yet, so its reach is not known.'],
  eventToSend: { eventName: 'signup_completed', when: 'an account has been created' },
}

const refined = async (
  instructions: string,
  proposal: Proposal,
  known: Partial<RefineRequest> = {},
): Promise<Revised> =>
  refineCandidate(
    ruleGenerator(),
    { ...requestOf(files), proposal, instructions, ...known },
    { mayChange: () => true },
  )

/** Texts and shares of the variants, or the message if the revision failed. */
async function told(
  instructions: string,
  known: Partial<RefineRequest> & { proposal?: Proposal } = {},
): Promise<string> {
  const result = await refined(instructions, known.proposal ?? PROPOSAL, known)
  if (!result.ok) return result.message
  const { alternatives, variants } = result.candidate
  return `${alternatives.join(' | ')} ${variants.map(({ trafficSplit }) => trafficSplit).join('/')}`
}

/** With three alternatives, to have some that can go. */
async function several(): Promise<Proposal> {
  const result = await refined('Two more variants: "Join us", "Open an account"', PROPOSAL)
  if (!result.ok) throw new Error(result.message)
  return result.candidate
}

t.test('wording in quotes', async (t) => {
  t.equal(await told('Please use “Join the team” instead'), 'Join the team 50/50')
  t.equal(await told('say "Join us" and 70/30'), 'Join us 70/30')
  t.equal(await told('replace “Create my account” with “Open account”'), 'Open account 50/50')
  t.equal(await told('variant b: "Join us"'), 'Join us 50/50')
  const result = await refined('Say "Join us"', PROPOSAL)
  t.match(result, { ok: true, summary: 'b says “Join us”.' })
  if (!result.ok) return
  t.match(result.candidate.name, 'Say “Join us” instead of “Submit”')
  t.match(result.candidate.hypothesis, 'the button says “Join us” instead of “Submit”')
  t.equal(result.candidate.variants[1]?.displayName, 'Join us')
  t.equal(result.candidate.files[0]?.edits[0]?.replace, 'Join us')
})

t.test('variants: more, fewer, with words in quotes', async (t) => {
  const proposal = await several()
  t.equal(
    await told('split evenly', { proposal }),
    'Create my account | Join us | Open an account 25/25/25/25',
  )
  t.equal(await told('drop variant c', { proposal }), 'Create my account | Open an account 34/33/33')
  t.equal(await told('remove “Join us”', { proposal }), 'Create my account | Open an account 34/33/33')
  t.equal(await told('only one alternative', { proposal }), 'Create my account 50/50')
  t.equal(await told('add a variant that says “Join us”'), 'Create my account | Join us 34/33/33')
  t.match(await told('drop a variant'), /needs an alternative/)
  t.match(await told('two more variants'), /in quotes/)
  t.match(await told('drop variant z', { proposal }), /no variant “z”; there are: b, c, d/)
  t.match(await told('drop the control', { proposal }), /The control stays/)
})

t.test('several wordings are as many variants, in this order', async (t) => {
  const wanted = 'Get my labels | Start here 34/33/33'
  for (const instructions of [
    'use "Get my labels" and "Start here" as variants',
    'two variants: "Get my labels", "Start here"',
    'nimm „Get my labels“ und „Start here“ als Varianten',
  ])
    t.equal(await told(instructions), wanted, instructions)
  t.equal(
    await told('use "Get my labels" and "Start here" as variants', { proposal: await several() }),
    wanted,
  )
  t.match(await told('use "Join" and "join" as variants'), /would say the same/)
  t.match(await told('use "Submit" and "Join" as variants'), /cannot be written/)
})

t.test('splits and targets', async (t) => {
  t.equal(await told('70/30'), 'Create my account 70/30')
  t.equal(await told('give b 20 percent to variant b'), 'Create my account 80/20')
  t.match(await told('50/30/20'), /add up to 100; 50\/30\/20 does not/)
  const vocabulary = [{ eventName: 'trial_started', count: 12 }]
  const result = await refined('measure trial_started', PROPOSAL, { vocabulary })
  if (!result.ok) throw new Error(result.message)
  t.match(result.candidate, {
    conversionTargets: [{ eventName: 'trial_started', direction: 'increase' }],
    eventToSend: null,
  })
  t.match(result.candidate.hypothesis, /then `trial_started` will increase, because/)
  t.notMatch(result.candidate.hypothesis, 'signup_completed')
  t.match(result.candidate.reasons.join(' '), '`trial_started` was received 12 times')
  t.match(await told('measure signup_completed'), /is measured already/)
  t.match(await told('measure "Sale"', { vocabulary }), /has received no event `Sale`/)
  const unknown = await refined('measure form_left', PROPOSAL)
  t.match(unknown, { candidate: { eventToSend: { eventName: 'form_left' } } })
})

t.test('what is not understood is named, with what would be, and nothing is done by halves', async (t) => {
  for (const instructions of [
    'Make it shorter',
    'in German',
    'move it to the pricing page',
    'Paint it like a herring',
  ])
    t.match(
      await told(instructions),
      /is not understood\. Understood are: other words in quotes; .*Nothing was changed/,
    )
  for (const instructions of ['split 70/30 and bolder', 'bolder; split 70/30', '70/30, bolder'])
    t.match(await told(instructions), /“bolder” is not understood/, instructions)
})

t.test('a reviewer’s own words are accepted, and it is said what the code does not state', async (t) => {
  const result = await refined('Say "Join 900 teams"', PROPOSAL)
  if (!result.ok) throw new Error(result.message)
  t.match(
    result.summary,
    '“Join 900 teams” stands there as the instructions word it: site/join.html does not state “900”',
  )
  const again = await refined('Say "Join us"', result.candidate)
  t.notMatch(again, { candidate: { reasons: [/900/] } }, 'until the words go')
  t.match(await told('Say "Hurry, join"'), /presses or shames/)
  t.match(await told('Say "<b>Join</b>"'), /cannot be written there/)
})

t.test('texts under keys are reworded where they stand', async (t) => {
  const of = {
    'src/App.jsx': `import { useTranslation } from 'react-i18next'
export default function App() {
  const { t } = useTranslation()
  return (
    <form>
      <h1>{t('title')}</h1>
      <input type="email" name="email" /><textarea name="message" />
      <button>{t('contact.send')}</button>
    </form>
  )
}
`,
    'src/locales/en.json':
      '{\n  "title": "Write to us about your order",\n  "contact": {\n    "send": "Submit"\n  }\n}\n',
    'src/locales/de.json':
      '{\n  "title": "Schreiben Sie uns zu Ihrer Bestellung",\n  "contact": {\n    "send": "Absenden"\n  }\n}\n',
  }
  const added = (path: string, find: string, words: string) => ({
    path,
    edits: [{ find, replace: `${find},\n    "send_now": "${words}"` }],
  })
  const proposal: Proposal = {
    ...PROPOSAL,
    variants: PROPOSAL.variants.map((one) => ({ ...one, displayName: 'Send my message' })),
    files: [
      {
        path: 'src/App.jsx',
        edits: [{ find: "t('contact.send')", replace: "t('contact.send_now')", variant: 'b' }],
      },
      added('src/locales/en.json', '"send": "Submit"', 'Send my message'),
      added('src/locales/de.json', '"send": "Absenden"', 'Nachricht senden'),
    ],
  }
  const result = await refined('Say "Ask us"', proposal, requestOf(of))
  if (!result.ok) throw new Error(result.message)
  t.match(JSON.stringify(result.candidate.files), 'Ask us')
  t.notMatch(JSON.stringify(result.candidate.files), 'Send my message')
})

t.test('notes and experiments under way keep a revision off only if it moves', async (t) => {
  const inFlight = [{ key: 'x', mechanism: 'order', surfaces: PROPOSAL.surfaces, alternatives: [] }]
  t.equal(await told('Say "Join us"', { inFlight }), 'Join us 50/50')
  t.match(await told('Say "Join us"', { repository: requestOf({}).repository }), /It cannot be written/)
})
