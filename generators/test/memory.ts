import t from 'tap'
import { batchOf } from '../batch.js'
import type { Request } from '../port.js'
import { ruleGenerator } from '../rule-generator.js'
import { changedTexts } from '../same-place.js'
import { html } from './support/sites.js'
import { batch, type Files, requestOf, ruleIdsOf } from './support/workspace.js'

const form = (heading = 'Create an account for the site'): string =>
  html(
    'Join',
    `<h1>${heading}</h1><form id="join" action="https://formspree.io/f/x">
<label>Your name <input name="who"></label><label>Your email <input name="post"></label><input type="password" name="p">
<label>Your phone <input name="call" required></label><button>Go</button></form>`,
  )
const files = { 'site/join.html': form() }
const cart = html('Cart', '<h1>Cart</h1><div><label>Coupon <input name="coupon"></label></div>')
const RULE = 'form-autofill'
const COUPON = 'collapse-coupon'

/** Whether the proposal survives, and the reason that is counted where it does not. */
async function told(known: Partial<Request>, of: Files = files, rule = RULE): Promise<string> {
  const result = await batch(of, known)
  return ruleIdsOf(result).includes(rule)
    ? 'proposed'
    : result.dropped.map(({ reason, count }) => `${reason} ${count}`).join(', ')
}
const first = async () => {
  const { proposals } = await batch(files)
  const proposal = proposals.find(({ ruleId }) => ruleId === RULE)
  if (proposal === undefined) throw new Error('nothing is proposed')
  return proposal
}

t.test('places of running experiments are left alone', async (t) => {
  const { surfaces } = await first()
  t.equal(await told({}), 'proposed')
  const running = { key: 'join', mechanism: 'order', surfaces, alternatives: [] }
  t.equal(await told({ inFlight: [running] }), 'in_flight 1')
  t.equal(
    await told({ inFlight: [{ ...running, surfaces: [{ path: 'site/join.html', anchor: null }] }] }),
    'in_flight 1',
  )
  t.equal(
    await told({ inFlight: [{ ...running, surfaces: [{ path: 'site/other.html', anchor: null }] }] }),
    'proposed',
  )
  const words = { ...running, surfaces: [], alternatives: ['Have a promo code?'] }
  t.equal(
    await told({ inFlight: [words] }, { 'site/cart.html': cart }, COUPON),
    'in_flight 1',
    'the same words',
  )
})

t.test('a dismissed idea does not come back while its code stands', async (t) => {
  const { surfaces, mechanism } = await first()
  const dismissal = { mechanism, surfaces, alternatives: [], reasons: ['low_impact'] }
  t.equal(await told({ dismissals: [dismissal] }), 'dismissed 1')
  t.equal(await told({ dismissals: [{ ...dismissal, mechanism: 'order' }] }), 'proposed', 'another mechanism')
  t.equal(
    await told({ dismissals: [{ ...dismissal, reasons: ['replaced'] }] }),
    'proposed',
    'replaced teaches nothing',
  )
  t.equal(
    await told({ dismissals: [dismissal] }, { 'site/join.html': form('Register with the site') }),
    'proposed',
    'the code has changed',
  )
  const words = { mechanism: null, surfaces: [], reasons: ['other'] }
  const said = (alternative: string): Promise<string> =>
    told({ dismissals: [{ ...words, alternatives: [alternative] }] }, { 'site/cart.html': cart }, COUPON)
  t.equal(await said('have a PROMO code!'), 'dismissed 1')
  t.equal(await said('Have you got your very own code for a friend?'), 'proposed')
})

t.test('lessons: lost ones are not repeated, won ones go on to the next surface', async (t) => {
  const { surfaces, mechanism, ruleId } = await first()
  const lesson = {
    key: 'login-label',
    mechanism,
    ruleId,
    surfaces: [{ path: 'site/login.html', anchor: 'button' }],
    alternatives: [],
  }
  const here = {
    ...lesson,
    outcome: 'lost' as const,
    surfaces: [{ path: 'site/join.html', anchor: 'another' }],
  }
  t.equal(await told({ lessons: [here] }), 'lesson_lost 1', 'the same rule in the same file')
  t.equal(await told({ lessons: [{ ...here, ruleId: 'another' }] }), 'proposed')
  t.equal(await told({ lessons: [{ ...lesson, outcome: 'lost' }] }), 'proposed', 'another file')
  t.equal(
    await told({ lessons: [{ ...lesson, outcome: 'won', surfaces }] }),
    'lesson_known 1',
    'it stands there',
  )
  const next = await batch(files, { lessons: [{ ...lesson, outcome: 'won' }] })
  const proposal = next.proposals.find((one) => one.ruleId === RULE)
  t.match(proposal?.reasons.join(' '), 'login-label')
  t.match(proposal?.hypothesis, 'login-label')
  t.ok((proposal?.score ?? 0) > (await first()).score)
  const unclear = await batch(files, { lessons: [{ ...lesson, outcome: 'unclear' }] })
  t.notMatch(JSON.stringify(unclear.proposals), 'login-label')
})

t.test('notes keep proposals off', async (t) => {
  const note = (text: string, of = files): Promise<string> => told({ notes: [{ text }] }, of)
  t.equal(await note('never touch sign-up'), 'note 1')
  t.equal(
    await note('Please do not change the registration or the checkout.'),
    'note 1',
    'another word for it',
  )
  t.equal(await note('Bitte nie die Anmeldung ändern'), 'proposed', 'of another thing')
  t.equal(await note('never touch pricing'), 'proposed')
  t.equal(
    await note('never touch pricing', { 'site/pricing/join.html': form() } as never),
    'note 1',
    'by its path',
  )
  t.equal(await note('We love the sign up form'), 'proposed', 'forbids nothing')
  const surfaces = [{ path: 'site/join.html', anchor: null }]
  t.equal(await told({ notes: [{ text: 'do not test this', surfaces }] }), 'note 1')
  t.equal(
    await told({ notes: [{ text: 'do not test this', surfaces: [{ path: 'b.html', anchor: null }] }] }),
    'proposed',
  )
})

t.test('notes forbid in many words', async (t) => {
  for (const text of [
    'Please keep your hands off the sign-up form, legal owns it.',
    'Hands off the sign-up form!',
    'Leave the sign-up form alone.',
    'Please leave the sign up form as it is',
    'Leave sign-up alone because legal owns it',
    'Stay away from the sign-up form',
    'Steer clear of sign-up, please',
    'The sign-up form is off limits.',
    'Sign-up is off-limits until the audit is over',
    'The sign-up form is taboo',
    'No changes to the sign-up form',
    'No more tests on sign-up',
    'Finger weg von der Registrierung',
    'Finger weg vom Registrierung-Formular!',
    'Lasst die Registrierung in Ruhe.',
    'Die Registrierung bitte in Ruhe lassen',
    'Die Registrierung nicht anfassen',
    'Die Registrierung ist tabu',
    'Ne pas toucher au formulaire d’inscription',
    'Ne touchez pas au formulaire d’inscription',
    'Laissez le formulaire d’inscription tranquille',
    'Le formulaire d’inscription est tabou',
    'No tocar el formulario de registro',
    'No toquen el registro',
    'Dejar en paz el formulario de registro',
    'Deja el registro como está',
    'El registro es tabú',
  ])
    t.same(await told({ notes: [{ text }] }), 'note 1', text)
  for (const text of [
    'Leave out the sign-up form’s second field',
    'Leave out sign-up',
    'Hands down the best sign-up form',
    'We love the hands-off sign-up',
    'The sign-up form is no longer off limits',
    'Sign-up is not taboo',
    'Die Registrierung ist nicht mehr tabu',
    'L’inscription n’est plus tabou',
    'El registro no es tabú',
    'Visitors leave at sign-up',
    'We can test the sign-up form',
    'Stay with the sign-up form',
    'Hands off pricing',
    'Leave the footer alone',
    'Lasst uns die Registrierung testen',
    'Laissez-nous tester l’inscription',
    'Deja que pruebe el registro',
    'Keep the sign-up form short',
  ])
    t.same(await told({ notes: [{ text }] }), 'proposed', text)
  const surfaces = [{ path: 'site/join.html', anchor: null }]
  t.equal(await told({ notes: [{ text: 'Hands off', surfaces }] }), 'note 1')
  t.equal(await told({ notes: [{ text: 'Hands down the best', surfaces }] }), 'proposed')
})

t.test('focus, count and duplicates are counted', async (t) => {
  t.equal(await told({ focus: 'the sign up form' }), 'proposed')
  t.equal(await told({ focus: 'checkout' }), 'outside_focus 1')
  const twice = await batch({ ...files, 'site/again.html': form() })
  t.same(twice.dropped, [{ reason: 'duplicate', count: 1 }])
  t.equal(twice.generated, 2)
  const one = await batch({ ...files, 'site/cart.html': cart }, { count: 1 })
  t.equal(one.proposals.length, 1)
  t.same(one.dropped, [{ reason: 'beyond_count', count: 1 }])
})

const QUOTE = html(
  'A quote',
  `<h1>Request your quote</h1><form action="https://formspree.io/f/x"><label>Your name <input name="who"></label><label>Your email <input name="post"></label>
<textarea name="what"></textarea><label>Mobile <input name="call" required></label><button>Send</button></form>`,
)

t.test('a focus that names a file is about that file alone', async (t) => {
  const of = { 'site/join.html': form(), 'site/app/quote.html': QUOTE }
  const on = async (focus: string): Promise<string> => {
    const { proposals } = await batch(of, { focus })
    return [...new Set(proposals.map(({ surfaces }) => surfaces[0]?.path ?? ''))].sort().join(' ')
  }
  t.equal(await on('join.html'), 'site/join.html')
  t.equal(await on('the label on app/quote.html'), 'site/app/quote.html')
  t.equal(await on('quote'), 'site/app/quote.html', 'by its name')
  t.equal(await on('uote.html'), '', 'a whole name')
  t.equal(await on('pricing.html'), '')
  t.equal(await on('html'), '', 'the ending is that of all')
  t.equal(await on('app'), '', 'so are folders of any repository')
})

t.test('targets are the workspace’s own events, or it is said what to send', async (t) => {
  const none = await first()
  t.equal(none.eventToSend?.eventName, 'signup_completed')
  const vocabulary = [
    { eventName: 'page_view', count: 9000 },
    { eventName: 'signup_failed', count: 500 },
    { eventName: 'UserRegistered', count: 40 },
  ]
  const { proposals } = await batch(files, { vocabulary })
  const proposal = proposals.find(({ ruleId }) => ruleId === RULE)
  t.equal(proposal?.conversionTargets[0]?.eventName, 'UserRegistered')
  t.equal(proposal?.eventToSend, null)
  t.ok((proposal?.score ?? 0) > none.score, 'reach counts')
})

t.test('paths, secrets, sizes', async (t) => {
  const closed = await batch(files, {}, () => false)
  t.same(closed.dropped, [{ reason: 'path_not_allowed', count: 1 }])
  const long = await batch({ 'a.html': html('Long', ' '.repeat(500_000)) })
  t.same(long.dropped, [{ reason: 'file_too_large', count: 1 }])
  const broken = await batch({ 'src/a.tsx': 'export const = <a></a>' })
  t.same(broken.dropped, [{ reason: 'file_unreadable', count: 1 }])
  t.same((await batch({ 'test/join.html': form(), 'node_modules/a/join.html': form() })).generated, 0)
})

t.test('it can be stopped', async (t) => {
  const stop = AbortSignal.abort(new Error('stopped'))
  await t.rejects(batchOf(ruleGenerator(), requestOf(files), { mayChange: () => true, signal: stop }), {
    message: 'stopped',
  })
})

const PLACES = html(
  'Plans',
  `<h1>Plans for teams</h1><p>Monthly plan</p><a class="btn" href="/monthly">Start with this plan</a>
<p>Yearly plan</p><a class="btn" title="By year" href="/yearly">Start with this plan</a><p>Ask us about larger teams any time</p>`,
)
const MONTHLY = '<a class="btn" href="/monthly">Start with this plan</a>'
const YEARLY = '<a class="btn" title="By year" href="/yearly">Start with this plan</a>'

t.test('the same place is the same code, for all that a workspace remembers', async (t) => {
  const path = 'site/plans.html'
  const anchor = 'a "Start with this plan"'
  const edit = (find: string, replace: string, of = path) => ({
    path: of,
    edits: [{ find, replace, variant: 'b' }],
  })
  const idea = (find: string, replace: string, of = path) => ({
    ...{
      mechanism: 'clarity' as const,
      surfaces: [{ path: of, anchor }],
      alternatives: ['Begin this plan now'],
    },
    finds: changedTexts([edit(find, replace, of)]),
  })
  const [real] = (await batch(files)).proposals
  if (real === undefined) throw new Error('nothing is proposed')
  const yearly = (
    known: Partial<Request>,
    of: Readonly<Record<string, string>> = { [path]: PLACES },
    find = YEARLY,
  ) =>
    batchOf(
      {
        async *propose() {
          yield {
            ...real,
            ...idea(find, find),
            finds: undefined as never,
            files: [edit(find, find.replace('Start', 'Begin'), Object.keys(of)[0])],
          }
        },
        refine: () => Promise.reject(new Error('unused')),
      },
      requestOf(of, known),
      { mayChange: () => true },
    ).then(({ proposals, dropped }) => (proposals.length > 0 ? 'proposed' : (dropped[0]?.reason ?? '')))
  const kinds = (one: ReturnType<typeof idea>): [Partial<Request>, string][] => [
    [{ inFlight: [{ key: 'k', ...one }] }, 'in_flight'],
    [{ dismissals: [{ reasons: ['other'], ...one }] }, 'dismissed'],
    [{ lessons: [{ key: 'k', outcome: 'lost', ...one }] }, 'lesson_lost'],
    [{ lessons: [{ key: 'k', outcome: 'won', ...one }] }, 'lesson_known'],
    [{ notes: [{ text: 'Hands off this', ...one }] }, 'note'],
  ]
  for (const [known, reason] of kinds(idea(MONTHLY, 'x')))
    t.equal(await yearly(known), 'proposed', `${reason}: the same words at another place`)
  for (const one of [idea(YEARLY, 'x'), idea('href="/yearly"', 'x'), idea('/yearly', 'x')])
    for (const [known, reason] of kinds(one)) t.equal(await yearly(known), reason, JSON.stringify(one.finds))
  for (const [known, reason] of kinds(idea('title="By year"', 'x')))
    t.equal(await yearly(known, { [path]: PLACES }, '/yearly'), reason, 'another part of the same element')
  const moved = { 'site/offers.html': PLACES.replace('>Start with', '>\n  Start with') }
  for (const [known, reason] of kinds(idea(YEARLY, 'x')))
    t.equal(await yearly(known, moved), reason, 'of a file that has another name, and was formatted')
  const gone = idea('<p>A text that is nowhere any more</p>', 'x')
  for (const [known, reason] of kinds(gone)) t.equal(await yearly(known), reason, 'by its element and words')
  const other = { ...gone, surfaces: [{ path, anchor: 'p "A text"' }], alternatives: ['Quite another text'] }
  for (const [known, reason] of kinds(other))
    t.equal(await yearly(known), 'proposed', `${reason}: another element`)
})
