import t from 'tap'
import type { Proposal, RefineRequest, Revised } from '../../../port.js'
import { refineCandidate } from '../../../refine.js'
import { batch, filledBatch, page, requestOf } from '../../../test/support/workspace.js'
import { heuristic } from '../../heuristic.js'

const join = (button: string): string =>
  page(`<h1>Create an account for the site</h1><form id="join"><label>Your email <input type="email" name="email" autocomplete="email"></label>
<input type="password" name="p"><input type="password" name="q"><button>${button}</button></form>`)
const files = { 'site/join.html': join('Submit'), 'site/team.html': join('Send') }

async function proposalOf(): Promise<Proposal> {
  const { proposals } = await batch({ 'site/join.html': files['site/join.html'] })
  const found = proposals.find(({ pattern }) => pattern === 'submit-label sign up')
  if (found === undefined) throw new Error('nothing is proposed')
  return found
}

const refined = async (
  instructions: string,
  proposal: Proposal,
  known: Partial<RefineRequest> = {},
): Promise<Revised> =>
  refineCandidate(
    heuristic(),
    { ...requestOf(files), proposal, instructions, ...known },
    { mayChange: () => true },
  )

/** What the variants say, their shares, or the message where it failed. */
async function told(
  instructions: string,
  known: Partial<RefineRequest> & { proposal?: Proposal } = {},
): Promise<string> {
  const result = await refined(instructions, known.proposal ?? (await proposalOf()), known)
  if (!result.ok) return result.message
  const { alternatives, variants } = result.candidate
  return `${alternatives.join(' | ')} ${variants.map(({ trafficSplit }) => trafficSplit).join('/')}`
}

/** With three alternatives, to have some that can go. */
async function several(): Promise<Proposal> {
  const result = await refined('Two more variants, please.', await proposalOf())
  if (!result.ok) throw new Error(result.message)
  return result.candidate
}

t.test('wording: shorter, longer, in quotes, in another language', async (t) => {
  t.equal(await told('Make it shorter.'), 'Sign up 50/50')
  t.equal(await told('longer'), 'Create an account 50/50')
  t.equal(await told('Please use “Join the team” instead'), 'Join the team 50/50')
  t.equal(await told('say "Join us" and 70/30'), 'Join us 70/30')
  t.equal(await told('replace “Create account” with “Open account”'), 'Open account 50/50')
  t.equal(await told('German instead'), 'Konto erstellen 50/50')
  t.equal(await told('auf Französisch bitte'), 'Créer un compte 50/50')
  t.equal(await told('in Spanish, shorter'), 'Registrarse 50/50')
  const result = await refined('shorter', await proposalOf())
  t.match(result, { ok: true, summary: 'b says “Sign up”.' })
  if (result.ok) {
    t.match(result.candidate.hypothesis, '“Sign up” in place of “Submit”')
    t.equal(result.candidate.variants[1]?.displayName, 'Sign up')
    t.equal(result.candidate.files[0]?.edits[0]?.replace.includes('Sign up'), true)
  }
})

t.test('variants: more, fewer, with words of their own', async (t) => {
  const proposal = await several()
  t.equal(await told('two more variants'), 'Create account | Sign up | Create an account 25/25/25/25')
  t.equal(await told('drop variant c', { proposal }), 'Create account | Create an account 34/33/33')
  t.equal(await told('remove “Sign up”', { proposal }), 'Create account | Create an account 34/33/33')
  t.equal(await told('only one alternative', { proposal }), 'Create account 50/50')
  t.equal(await told('add a variant that says “Join us”'), 'Create account | Join us 34/33/33')
  t.match(await told('drop a variant'), /needs an alternative/)
  t.equal(
    await told('variant c: “Join us”', { proposal }),
    'Create account | Join us | Create an account 25/25/25/25',
  )
})

t.test('every part of an instruction is carried out, or named', async (t) => {
  const both = 'Sign up 70/30'
  for (const instructions of [
    'split 70/30 and shorter',
    'shorter and split 70/30',
    'split 70/30, shorter',
    'split 70 / 30; shorter',
    'split 70/30;shorter',
    '70% to 30% then shorter',
    'shorter, then split 70/30',
    'shorter with a 70/30 split',
    'shorter but 70/30',
  ])
    t.equal(await told(instructions), both, instructions)
  for (const instructions of [
    'split 70/30 and bolder',
    'bolder; split 70/30',
    'shorter then bolder',
    '70/30, bolder',
  ])
    t.match(await told(instructions), /“(then )?bolder” is not understood/, instructions)
})

t.test('several wordings are as many variants, in this order', async (t) => {
  const wanted = 'Get my labels | Start free 34/33/33'
  for (const instructions of [
    'use "Get my labels" and "Start free" as variants',
    'two variants: "Get my labels", "Start free"',
    'nimm „Get my labels“ und „Start free“ als Varianten',
  ])
    t.equal(await told(instructions), wanted, instructions)
  t.equal(
    await told('use "Get my labels" and "Start free" as variants', { proposal: await several() }),
    wanted,
  )
  t.equal(
    await told('use "Get my labels" and "Start free" as variants and split 50/25/25'),
    'Get my labels | Start free 50/25/25',
  )
  t.equal(await told('replace "Create account" with "Join us" in all variants'), 'Join us 50/50')
  t.match(await told('use "Join" and "join" as variants'), /would say the same/)
  t.match(await told('use "Submit" and "Join" as variants'), /cannot be written/)
  const result = await refined('use "Get my labels" and "Join us" as variants', await several())
  if (!result.ok) throw new Error(result.message)
  t.same(
    result.candidate.variants.map(({ key, displayName }) => `${key} ${displayName}`),
    ['control Control', 'b Get my labels', 'c Join us'],
  )
  t.match(result.candidate.hypothesis, /“Get my labels” in place of “Submit”.*Variant c says “Join us”/)
  t.notMatch(result.candidate.hypothesis, /Sign up”|Create an account/)
})

t.test('variants are dropped by their key', async (t) => {
  const proposal = await several()
  const leaves = {
    'Create account | Create an account 34/33/33': [
      'drop c',
      'drop variant c',
      'without c',
      'ohne c',
      'remove C please',
    ],
    'Sign up | Create an account 34/33/33': ['drop b', 'without variant b', 'entferne b'],
    'Create account 50/50': ['drop c and d', 'drop c, d', 'drop variants c and d', 'without c and without d'],
    'Create account | Sign up 34/33/33': ['drop a variant', 'drop the last variant'],
  }
  for (const [left, all] of Object.entries(leaves))
    for (const instructions of all) t.equal(await told(instructions, { proposal }), left, instructions)
  for (const instructions of ['drop b', 'drop variant b', 'without b'])
    t.match(await told(instructions), /needs an alternative beside the control/, instructions)
  t.match(await told('drop x', { proposal }), /no variant “x”; there are: b, c, d/)
  t.match(await told('drop variant x', { proposal }), /no variant “x”/)
  t.match(await told('drop the control', { proposal }), /control stays/)
  t.match(await told('remove the variant that nobody likes', { proposal }), /not understood/)
  t.match(await told('remove “Nothing”', { proposal }), /not understood/)
  t.match(await told('variant x: “Join us”', { proposal }), /no variant “x”/)
})

t.test('a hypothesis does not speak of what was dropped', async (t) => {
  const hypothesis = async (instructions: string): Promise<string> => {
    const result = await refined(instructions, await several())
    return result.ok ? result.candidate.hypothesis : result.message
  }
  t.match(await hypothesis('70/10/10/10'), /Variant c says “Sign up”. Variant d says/)
  t.notMatch(await hypothesis('drop c'), /Variant c|Sign up”/)
  t.match(await hypothesis('drop c'), /Variant d says “Create an account”/)
  t.notMatch(await hypothesis('only one alternative'), /Variant/)
  t.match(await hypothesis('drop b and c'), /labelling its button “Create an account”/)
  t.notMatch(await hypothesis('drop b and c'), /“Create account”/)
})

t.test('of a heading that changes places with its line, the heading is given the words', async (t) => {
  const home = page('<h1>Welcome</h1>\n<p>Labels for jars and bottles</p>\n<a href="/start">Start</a>')
  const { proposals } = await filledBatch({ 'index.html': home })
  const swap = proposals.find(({ pattern }) => pattern === 'greeting-heading page')
  if (swap === undefined) throw new Error('nothing is proposed')
  const says = async (instructions: string): Promise<string> => {
    const result = await refined(instructions, swap, requestOf({ 'index.html': home }))
    if (!result.ok) return result.message
    const edits = result.candidate.files.flatMap((file) => file.edits)
    return edits.map(({ variant, find, replace }) => `${variant}: ${find} → ${replace}`).join(' | ')
  }
  t.equal(
    await says('say "Labels in a day"'),
    'b: Welcome → Labels in a day | b: <p>Labels for jars and bottles</p> → ',
  )
  const two = await says('use "Get my labels" and "Start here" as variants')
  for (const edit of [
    'b: Welcome → Get my labels',
    'c: Welcome → Start here',
    'c: <p>Labels for jars and bottles</p> → ',
  ])
    t.ok(two.includes(edit), two)
})

t.test('texts under keys get another key, in the language that the site is written in', async (t) => {
  const de = '{\n  "join": { "title": "Konto für die Seite", "send": "Absenden" }\n}\n'
  const en = '{\n  "join": { "title": "Create an account", "send": "Submit" }\n}\n'
  const form = `import { useTranslation } from 'react-i18next'
export default function Join() {
  const { t } = useTranslation()
  return <form id="join"><h1>{t('join.title')}</h1><input type="email" name="email" /><input type="password" name="p" /><input type="password" name="q" /><button type="submit">{t('join.send')}</button></form>
}
`
  const of = { 'src/pages/Join.tsx': form, 'src/locales/de.json': de, 'src/locales/en.json': en }
  const { proposals } = await filledBatch(of)
  const keyed = proposals.find(({ pattern }) => pattern === 'submit-label sign up')
  if (keyed === undefined) throw new Error(`nothing is proposed: ${proposals.map(({ name }) => name).join()}`)
  const after = async (instructions: string, proposal: Proposal = keyed): Promise<Proposal> => {
    const result = await refined(instructions, proposal, requestOf(of))
    if (!result.ok) throw new Error(result.message)
    return result.candidate
  }
  const written = ({ files }: Proposal): Record<string, string> =>
    Object.fromEntries(files.map(({ path, edits }) => [path, edits.map(({ replace }) => replace).join('\n')]))
  const said = await after('say "Join the club"')
  t.same(written(said), {
    'src/pages/Join.tsx': `<button type="submit">{t('join.send_join_the_club')}</button>`,
    'src/locales/de.json': '"send": "Absenden", "send_join_the_club": "Absenden"',
    'src/locales/en.json': '"send": "Submit", "send_join_the_club": "Join the club"',
  })
  t.match(said.hypothesis, '“Join the club”')
  t.equal(said.variants[1]?.displayName, 'Join the club')
  t.match(said.reasons?.join(' '), /other languages \(de\) see no difference/)
  const two = await after('use "Join us" and "Be one of us" as variants')
  t.match(
    written(two)['src/locales/en.json'],
    '"send_join_us": "Join us", "send_be_one_of_us": "Be one of us"',
  )
  t.match(written(two)['src/pages/Join.tsx'], /send_join_us.*\n.*send_be_one_of_us/)
  const one = await after('drop c', two)
  t.match(written(one), { 'src/locales/en.json': '"send": "Submit", "send_join_us": "Join us"' })
  t.equal(written(one)['src/locales/en.json'], '"send": "Submit", "send_join_us": "Join us"')
  t.match(await refined('say "Submit"', keyed, requestOf(of)), { ok: false, message: /cannot be written/ })
  t.match(await refined('auf Deutsch', keyed, requestOf(of)), { ok: false, message: /stands under a key/ })
})

t.test('hypothesis, notes and targets agree', async (t) => {
  const vocabulary = [
    { eventName: 'trial_started', count: 9 },
    { eventName: 'page_viewed', count: 90 },
  ]
  const first = await proposalOf()
  t.match(first.hypothesis, 'signup_completed')
  const known = await refined('target trial_started', first, { vocabulary })
  t.match(known, { ok: true, candidate: { eventToSend: null } })
  if (!known.ok) return
  t.notMatch(JSON.stringify(known.candidate), 'signup_completed')
  t.match(known.candidate.reasons.join(' '), '`trial_started` was received 9 times.')
  const lost = await refined('target account_opened', known.candidate, { vocabulary })
  t.match(lost, {
    ok: true,
    candidate: { eventToSend: { eventName: 'account_opened', when: 'what it names has happened' } },
  })
  if (!lost.ok) return
  t.notMatch(JSON.stringify(lost.candidate), 'trial_started')
  t.match(lost.candidate.reasons.join(' '), 'Reach is not known: `account_opened` has not been received.')
  t.match(lost.candidate.hypothesis, /increases `account_opened`.*has not received `account_opened` yet/)
  const fewer = await refined('reduce trial_started', known.candidate, { vocabulary })
  t.match(fewer, { ok: true, candidate: { hypothesis: /decreases `trial_started`/ } })
  // Moved: what it is measured by stays.
  const moved = await refined(
    'another page',
    { ...known.candidate, pattern: first.pattern ?? '' },
    { vocabulary },
  )
  t.match(moved, {
    ok: true,
    candidate: {
      surfaces: [{ path: 'site/team.html' }],
      conversionTargets: [{ eventName: 'trial_started' }],
      hypothesis: /increases `trial_started`/,
      eventToSend: null,
    },
  })
  if (moved.ok) t.notMatch(JSON.stringify(moved.candidate), /signup_completed|page_viewed/)
  // What the team has set by hand counts too.
  const patched = {
    ...first,
    conversionTargets: [
      { eventName: 'page_viewed', name: 'Page', direction: 'increase', windowHours: 1, filters: [] },
    ],
  } as const
  const after = await refined('shorter', patched, { vocabulary })
  t.match(after, { ok: true, candidate: { hypothesis: /increases `page_viewed`/, eventToSend: null } })
  if (after.ok) t.notMatch(JSON.stringify(after.candidate), 'signup_completed')
  // The time to send it stays where the event does.
  const shorter = await refined('shorter', first)
  t.match(shorter, { ok: true, candidate: { eventToSend: { when: 'an account has been created' } } })
})

t.test('a reviewer’s own words are taken, and it is said what of them the code does not state', async (t) => {
  const first = await proposalOf()
  const unstated = async (words: string, proposal: Proposal = first): Promise<string> => {
    const result = await refined(`say "${words}"`, proposal)
    if (!result.ok) return result.message
    const told = result.candidate.reasons.filter((one) => one.includes('does not state'))
    t.ok(told.every((one) => result.summary.includes(one)))
    return told.join(' ').replace(/^.*does not state /, '')
  }
  t.equal(await unstated('Join us'), '')
  t.equal(
    await unstated('Places gratuites jusqu’à demain'),
    '“gratuites”, “jusqu’à demain”. Make sure that it holds.',
  )
  t.match(await unstated('Free until Friday'), /“Free”, “until Friday”/)
  t.match(await unstated('Gratis bis morgen'), /“Gratis”, “bis morgen”/)
  t.match(await unstated('Start in 3 minutes, guaranteed'), /“3”, “guaranteed”/)
  t.match(await unstated('Hurry, last chance'), /presses or shames/)
  const free = await refined('say "Join for free"', first)
  if (!free.ok) throw new Error(free.message)
  const split = await refined('70/30', free.candidate)
  t.match(split.ok && split.candidate.reasons.join(' '), 'does not state “free”', 'while the words stand')
  const other = await refined('say "Join us"', free.candidate)
  t.notMatch(other.ok && other.candidate.reasons.join(' '), 'does not state')
})

t.test('splits and targets', async (t) => {
  t.equal(await told('80/20'), 'Create account 80/20')
  t.equal(await told('10% for variant b'), 'Create account 90/10')
  t.match(await told('60/30'), /add up to 100; 60\/30 does not/)
  t.equal(
    await told('split evenly', { proposal: await several() }),
    'Create account | Sign up | Create an account 25/25/25/25',
  )
  const vocabulary = [{ eventName: 'trial_started', count: 9 }]
  const result = await refined('measure trial_started', await proposalOf(), { vocabulary })
  t.match(result, {
    ok: true,
    candidate: {
      conversionTargets: [{ eventName: 'trial_started', direction: 'increase' }],
      eventToSend: null,
    },
  })
  if (result.ok) {
    t.match(result.candidate.hypothesis, '`trial_started`')
    t.notMatch(result.candidate.hypothesis, 'has not received')
  }
  const unknown = await refined('target account_opened', await proposalOf(), { vocabulary })
  t.match(unknown, { ok: true, candidate: { eventToSend: { eventName: 'account_opened' } } })
  if (unknown.ok) t.match(unknown.candidate.hypothesis, 'has not received `account_opened` yet')
  t.match(await told('measure “joy”', { vocabulary }), /received no event `joy`.*`trial_started`/)
})

t.test('another surface, and what keeps off it', async (t) => {
  const result = await refined('another page', await proposalOf())
  t.match(result, { ok: true, candidate: { surfaces: [{ path: 'site/team.html' }] } })
  const note = { notes: [{ text: 'Never touch the team page' }] }
  t.match(await told('another page', note), /note of the team/)
  t.match(await told('on the pricing page instead'), /Nothing of the kind/)
  const inFlight = [
    { key: 'x', mechanism: null, alternatives: [], surfaces: [{ path: 'site/team.html', anchor: null }] },
  ]
  t.match(await told('another page', { inFlight }), /Nothing of the kind/)
})

/** Three pages on which the same rule holds, and one on which it does not. */
const pages = {
  'shop/join.html': files['site/join.html'],
  'shop/signup.html': join('OK'),
  'shop/pricing-list.html': join('Send'),
  'shop/pricing.html': page('<h1>What it costs</h1><p>Nine a month, all in.</p>'),
}

const movedTo = async (
  instructions: string,
  of: Readonly<Record<string, string>> = pages,
): Promise<string> => {
  const { proposals } = await batch({ 'shop/join.html': pages['shop/join.html'] })
  const proposal = proposals.find(({ pattern }) => pattern === 'submit-label sign up')
  if (proposal === undefined) throw new Error('nothing is proposed')
  const result = await refined(instructions, proposal, requestOf(of))
  return result.ok ? (result.candidate.surfaces[0]?.path ?? '') : result.message
}

t.test('another surface by the name of its file, whole, with or without its ending', async (t) => {
  for (const instructions of [
    'move it to signup.html',
    'try it on signup.html instead',
    'move it to `shop/signup.html`',
    'move it to "signup.html"',
    'move it to the signup page',
    'put it on the sign-up page',
    'auf der signup Seite',
    'move it to shop/signup',
  ])
    t.equal(await movedTo(instructions), 'shop/signup.html', instructions)
  t.equal(await movedTo('on pricing-list.html'), 'shop/pricing-list.html')
  for (const instructions of [
    'move it to pricing.html',
    'move it to the pricing page',
    'try it on index.html',
  ]) {
    const message = await movedTo(instructions)
    t.match(
      message,
      /Nothing of the kind \(\w+\) was found for “(pricing|pricing.html|index.html)”/,
      instructions,
    )
    t.match(message, /There is: shop\/[\w-]+.html, shop\/[\w-]+.html\./, instructions)
  }
  t.match(await movedTo('move it to html'), /Nothing of the kind/)
  t.match(await movedTo('move it to shop.html'), /Nothing of the kind/)
})

t.test('another surface is the same rule somewhere else', async (t) => {
  const asks = (field: string, submit: string): string =>
    page(`<h1>Create an account for the site</h1><form id="join"><label>Your email <input type="email" name="email" autocomplete="email"></label>
${field}<input type="password" name="p" autocomplete="new-password"><button>${submit}</button></form>`)
  const of = {
    'a.html': asks('', 'Submit'),
    'b.html': asks(
      '<label>Phone (optional) <input type="tel" name="phone" autocomplete="tel"></label>',
      'Create account',
    ),
  }
  const { proposals } = await batch(of)
  const less = proposals.find(({ pattern }) => pattern === 'submit-label sign up')
  if (less === undefined) throw new Error('nothing is proposed')
  for (const pattern of [less.pattern, undefined]) {
    const { pattern: _, ...others } = less
    const result = await refined(
      'put it on another surface',
      pattern === undefined ? others : less,
      requestOf(of),
    )
    t.match(result, { ok: false, message: /Nothing of the kind.*There is no other surface for it/ })
  }
})

t.test('another surface keeps what it is grounded on, however often it is revised', async (t) => {
  const trial = page(
    '<h1>Invoices for small firms</h1><p>Try it free for 14 days, no credit card.</p><a href="/join.html">Start</a>',
  )
  const of = {
    'index.html': trial,
    'join.html': join('Create account'),
    'team/join.html': join('Open account'),
  }
  const { proposals } = await batch(of)
  const based = proposals.find(
    ({ evidence, surfaces }) => evidence !== undefined && surfaces[0]?.path !== 'index.html',
  )
  if (based === undefined) throw new Error(`nothing is proposed ${proposals.map(({ name }) => name).join()}`)
  const { evidence: _, ...stored } = based
  t.match(await refined('60/40', stored, requestOf(of)), { ok: true })
  const result = await refined('another surface', stored, requestOf(of))
  t.match(result, { ok: true, candidate: { pattern: based.pattern } })
})

t.test('what is not understood is said, and nothing is done by halves', async (t) => {
  t.match(await told('make it pop'), /“make it pop” is not understood. Understood are: shorter/)
  t.match(await told('shorter, and with a dragon'), /“with a dragon” is not understood/)
  t.match(await told('say “<b>now</b>”'), /cannot be written/)
  t.match(
    await told('longer', { proposal: await refinedTo('Join us') }),
    /put the words that are wanted in quotes/,
  )
  t.match(await told('Please.'), /not understood/)
})

t.test('what is written is what the code can take', async (t) => {
  const proposal = await proposalOf()
  const gone = await refineCandidate(
    heuristic(),
    { ...requestOf({ 'site/join.html': join('Other') }), proposal, instructions: 'shorter' },
    { mayChange: () => true },
  )
  t.match(gone, { ok: false, message: /^It cannot be written/ })
})

async function refinedTo(words: string): Promise<Proposal> {
  const result = await refined(`“${words}”`, await proposalOf())
  if (!result.ok) throw new Error(result.message)
  return result.candidate
}
