import t from 'tap'
import { batch, page, patternsOf, saysOf, wholeBatch } from '../../test/support/workspace.js'

type Files = Record<string, string>

const known = { today: '2026-11-23' }
/** Nobody comes to a page that nothing leads to. */
const linked = (files: Files): Files => ({
  ...files,
  'start/all.html': page(
    Object.keys(files)
      .map((path) => `<a href="/${path}">All of it</a>`)
      .join(''),
  ),
})
const says = async (files: Files, kind: string, more: { today?: string } = known): Promise<string> =>
  saysOf(await wholeBatch(linked(files), more), `said-where-deciding ${kind}`).join()

const told = (text: string): string => page(`<h1>Questions that you ask us</h1><p>${text}</p>`)
const signUp = page(
  '<h1>Create your account</h1><form action="/api/sign-up" method="post"><label>Email <input type="email" name="email" required></label><label>Password <input type="password" name="password" autocomplete="new-password" required></label><button type="submit">Create account</button></form>',
)
const product = page(
  '<h1>The notebook for all of your plans</h1><p>It lies flat, and the paper is thick.</p><form action="/cart" method="post"><input type="hidden" name="id" value="1"><button type="submit">Add to basket</button></form>',
)
const LINES: Record<string, string> = {
  en: 'All of it is here for you and your team.',
  de: 'Hier ist alles für Sie und für die Familie, und das bei uns.',
  fr: 'Tout est ici pour vous et pour la famille, avec nous.',
  es: 'Todo lo que es para ti y para la familia, con los tuyos.',
}
const booking = (lang: string, label: string): string =>
  page(
    `<main><h1>${label}</h1><p>${LINES[lang] ?? ''}</p><form action="/send" method="post"><input name="name" required><input name="email" type="email" required><button type="submit">${label}</button></form></main>`,
    lang,
  )

t.test('what another page states stands whole and word for word where visitors decide', async (t) => {
  const used = '1,140 small agencies use it every week.'
  t.match(await says({ 'sign-up.html': signUp, 'index.html': told(used) }, 'customers'), `>${used}<`)
  const aim = '1,140 small agencies used it to find out what they lose.'
  t.equal(await says({ 'sign-up.html': signUp, 'index.html': told(aim) }, 'customers'), '', 'another aim')
  const card = 'The trial lasts 14 days and we do not ask for a card.'
  t.match(await says({ 'sign-up.html': signUp, 'help.html': told(card) }, 'trial'), card)
  const back = 'Send it back within 30 days and you have your money refunded.'
  t.match(await says({ 'product.html': product, 'delivery.html': told(back) }, 'returns'), back)
  t.match(
    await says(
      { 'product.html': product, 'delivery.html': told('Delivery is free from £45 on.') },
      'delivery',
    ),
    'Delivery is free from £45 on.',
  )
  const noon = 'Orders placed before 1 pm on a working day leave us the same day.'
  t.match(await says({ 'product.html': product, 'delivery.html': told(noon) }, 'same day'), noon)
})

t.test('what can go back, and what delivery costs, waits for a focus', async (t) => {
  for (const [kind, text] of [
    ['returns', 'Send it back within 30 days and you have your money refunded.'],
    ['delivery', 'Delivery is free from £45 on.'],
  ] as const) {
    const files = linked({ 'product.html': product, 'delivery.html': told(text) })
    t.notOk(patternsOf(await batch(files, known)).includes(`said-where-deciding ${kind}`), kind)
  }
})

t.test('in the languages that are spoken here', async (t) => {
  const other = (lang: string, text: string): string =>
    page(`<h1>${LINES[lang] ?? ''}</h1><p>${text}</p>`, lang)
  const cases = [
    ['de', 'Termin buchen', 'Bis 24 Stunden vorher lässt sich der Termin kostenlos absagen.', 'rebooking'],
    ['fr', 'Réserver', "L'annulation est gratuite jusqu'à 48 heures avant l'arrivée.", 'rebooking'],
    ['es', 'Reservar', 'La cita se puede cambiar gratis hasta el día de antes.', 'rebooking'],
    [
      'de',
      'Termin buchen',
      'Heute kommen 412 Familien aus der ganzen Stadt zu uns und empfehlen uns.',
      'customers',
    ],
  ] as const
  for (const [lang, label, text, kind] of cases)
    t.match(
      await says({ 'buchen.html': booking(lang, label), 'mehr.html': other(lang, text) }, kind),
      text,
      text,
    )
})

t.test('terms keep their conditions, and what leans on other words stays where it is', async (t) => {
  const sold = (text: string): Promise<string> =>
    says({ 'product.html': product, 'delivery.html': told(text) }, 'returns')
  const whole = 'Return it within 60 days. Only what has not been washed can go back.'
  t.match(await sold(whole), whole)
  t.match(
    await sold('Try it for 60 days at home. We pay the return postage and refund you in full.'),
    'Try it for 60 days at home. We pay',
    'with what is said before',
  )
  t.equal(
    await sold(`${'All of this is what you may wish to know of us. '.repeat(5)}Send it back within 30 days.`),
    '',
  )
  t.equal(await sold('This can be sent back within 30 days.'), '', 'what?')
  t.equal(await sold('You must send it back within 14 days, in full.'), '', 'an obligation helps nobody')
  t.equal(await sold('Can I send it back within 30 days?'), '', 'a question')
})

t.test('terms of which the site names two, or that hold for some, are not repeated', async (t) => {
  const back = 'Send it back within 30 days and you have your money refunded.'
  const of = (more: Files): Promise<string> =>
    says({ 'product.html': product, 'delivery.html': told(back), ...more }, 'returns')
  t.match(
    await of({ 'more.html': told('Send it back within 30 days for a full refund, and all is well.') }),
    back,
  )
  t.equal(
    await of({ 'terms.html': told('It can be returned within 14 days for a full refund, and all is well.') }),
    '',
  )
  const some = 'Members of the club send it back within 90 days and have their money refunded.'
  t.equal(await says({ 'product.html': product, 'club-card.html': told(some) }, 'returns'), '')
  t.equal(
    await says({ 'product.html': product, 'profile/returns.html': told(back) }, 'returns'),
    '',
    'on a page of those who have joined',
  )
})

t.test('where something is decided, and not what the button says itself', async (t) => {
  const card = 'The trial lasts 14 days and we do not ask for a card.'
  const files = (page: string): Files => ({ 'sign-up.html': page, 'help.html': told(card) })
  t.match(await says(files(signUp), 'trial'), card)
  t.equal(
    await says(files(signUp.replace('>Create account<', '>Start the trial without card<')), 'trial'),
    '',
  )
  const paid = signUp.replace('<button', '<label>IBAN <input name="iban" required></label><button')
  t.equal(await says(files(paid), 'trial'), '', 'it is paid for')
  const cart = (own: string, label: string): string =>
    `export const Cart = () => <main><h1>All of the things that you have in here</h1><button ${own}>${label}</button></main>\n`
  const delivered = (own: string, label = 'Place order'): Promise<string> =>
    says(
      { 'src/Cart.tsx': cart(own, label), 'delivery.html': told('Delivery is free from £45 on.') },
      'delivery',
    )
  t.match(await delivered('onClick={pay}'), 'Delivery is free')
  t.equal(await delivered(''), '', 'nothing happens where it is pressed')
  t.equal(await delivered('onClick={pay}', 'Pay now'), '', 'what it costs in all is known')
})

t.test('it is said with the marks and names of characters that its source has', async (t) => {
  const told = page(
    '<h1>Questions that you ask us</h1><p>Today&nbsp;<strong>1,140</strong> small agencies use it,&#32;and that&rsquo;s all of them.</p>',
  )
  t.match(
    await says({ 'sign-up.html': signUp, 'index.html': told }, 'customers'),
    '1,140 small agencies use it, and that’s all of them.',
  )
})

t.test('a day counts with its year, and while it is ahead', async (t) => {
  const files = {
    'buchen.html': booking('en', 'Book your place'),
    'course.html': told('Booking for the course closes on 8 January 2027.'),
  }
  t.match(await says(files, 'deadline'), '8 January 2027')
  t.equal(await says(files, 'deadline', { today: '2027-01-08' }), '', 'it is over')
  t.equal(await says(files, 'deadline', {}), '', 'nobody knows what day it is')
  const some = { ...files, 'course.html': told('Booking for the course closes on 8 January.') }
  t.equal(await says(some, 'deadline'), '', 'of which year?')
})

t.test('not where it is said already, not seen, or somebody else’s', async (t) => {
  const used = '1,140 small agencies use it every week.'
  const withUsed = signUp.replace('<form', '<p>More than 1,100 agencies use it.</p><form')
  t.equal(await says({ 'sign-up.html': withUsed, 'index.html': told(used) }, 'customers'), '')
  for (const hidden of [
    `<p hidden>${used}</p>`,
    `<blockquote><p>${used}</p></blockquote>`,
    `<!-- <p>${used}</p> -->`,
    '<p>In 2026 small agencies use it every week.</p>',
    '<p>An old boiler wastes 20¢ of every dollar you spend on gas.</p>',
  ])
    t.equal(
      await says(
        { 'sign-up.html': signUp, 'index.html': told('All of this is yours.') + hidden },
        'customers',
      ),
      '',
      hidden,
    )
  t.equal(await says({ 'sign-up.html': signUp, 'imprint.html': told(used) }, 'customers'), '', 'legal pages')
  t.equal(await says({ 'admin/sign-up.html': signUp, 'index.html': told(used) }, 'customers'), '')
  const part = 'export const Proof = () => <p>1,140 small agencies use it every week.</p>\n'
  const form =
    'export const SignUp = () => <main><h1>Create your account with us</h1><form onSubmit={send}><input type="email" name="email" required /><input type="password" name="password" autoComplete="new-password" required /><button type="submit">Create account</button></form>SHOWN</main>\n'
  const files = (shown: string): Files => ({
    'src/pages/Home.tsx':
      "import { Proof } from '../Proof'\nexport const Home = () => <main><h1>It is for you and all of the team</h1><Proof /></main>\n",
    'src/Proof.tsx': part,
    'src/pages/SignUp.tsx': form.replace('SHOWN', shown),
  })
  t.match(await says(files(''), 'customers'), '1,140 small agencies')
  t.equal(await says(files('<Proof />'), 'customers'), '', 'the page shows the part that says it')
})

t.test('in markup that stays whole, where only words may stand', async (t) => {
  const inWords = product.replace('<button', '<p><button').replace('</button>', '</button></p>')
  const back = 'Send it back within 30 days and you have your money refunded.'
  t.match(
    await says({ 'product.html': inWords, 'delivery.html': told(back) }, 'returns'),
    `<br><small>${back}</small>`,
  )
})

t.test('a page whose texts are keys shows the key', async (t) => {
  const uses = "import { useTranslation } from 'react-i18next'\n"
  const about = (call: string): string =>
    `${uses}export const About = () => {\n  const { t } = ${call}\n  return <main><h1>{t('about.title')}</h1><p>{t('about.terms')}</p></main>\n}\n`
  const quote = `${uses}export const Quote = () => {\n  const { t } = useTranslation()\n  return <main><h1>{t('quote.title')}</h1><form onSubmit={send}><input name="name" /><input type="email" name="email" /><textarea name="message" /><button type="submit">{t('quote.send')}</button></form></main>\n}\n`
  const texts = JSON.stringify({
    about: { title: 'All about us and the team', terms: 'A quote is free and without obligation for you.' },
    quote: { title: 'Ask for a quote', send: 'Send your message' },
  })
  const files = (call: string): Files => ({
    'src/locales/en.json': texts,
    'src/locales/de.json': texts.replace('A quote is free', 'Ein Angebot kostet nichts'),
    'src/pages/About.jsx': about(call),
    'src/pages/Quote.jsx': quote,
  })
  t.match(await says(files('useTranslation()'), 'quote'), "{t('about.terms')}")
  t.equal(await says(files("useTranslation('other')"), 'quote'), '', 'keys of another part')
})

t.test('no act of another place is asked for, and nothing that those set who have bought', async (t) => {
  const cancel = 'Cancel at any time with one click, all of you.'
  const of = (text: string, path = 'help.html'): Promise<string> =>
    says({ 'sign-up.html': signUp, [path]: told(text) }, 'cancel')
  t.match(await of(cancel), cancel)
  t.equal(await of('Manage your billing, or cancel it at any time.'), '')
  t.equal(await of(cancel.replace('one click', '30 days notice')), '', 'that draws nobody in')
  t.equal(await of(`Choose what suits you. ${cancel}`), '', 'nothing is chosen there')
  const both = (label: string): Promise<string> =>
    says(
      {
        'src/pages/sign-up.jsx': `export const SignUp = () => (\n  <main><h1>Create an account for you and the team</h1><form onSubmit={send}><input name="name" /><input type="email" name="email" /><input type="password" name="password" autoComplete="new-password" /><button type="submit">${label}</button></form></main>\n)\n`,
        'help.html': told(cancel),
      },
      'cancel',
    )
  t.match(await both("{isBusy ? 'Please wait…' : 'Create account'}"), cancel)
  t.equal(
    await both("{isBusy ? 'Please wait…' : 'Create account and accept this invitation'}"),
    '',
    'who was invited has decided already',
  )
  t.equal(await both("{isIn ? 'Log in' : 'Create account'}"), '', 'who has an account reads it too')
  t.equal(await of(cancel, 'settings/billing.html'), '')
  t.equal(await of(cancel, 'users/BillingSettings.html'), '')
  const order = 'Order before 1 pm and it leaves us the same day.'
  t.match(await says({ 'product.html': product, 'more.html': told(order) }, 'same day'), order)
  const paid = 'Buy it today, and try all of it 14 days free.'
  t.equal(
    await says({ 'sign-up.html': signUp, 'more.html': told(paid) }, 'trial'),
    '',
    'nothing is bought here',
  )
})

t.test('not what is said otherwise somewhere in words, nor what the place says is open', async (t) => {
  const back = 'Send it back free of charge within 30 days for a full refund.'
  const returned = (terms: string): Promise<string> =>
    says({ 'product.html': product, 'delivery.html': told(back), 'terms.html': told(terms) }, 'returns')
  t.match(await returned('All of it holds for you and the team.'), back)
  t.equal(
    await returned('The cost of a return is paid by the customer, and the refund follows.'),
    '',
    'who pays?',
  )
  t.equal(
    await says({ 'product.html': product, 'd.html': told(back.replace('30', '7')) }, 'returns'),
    '',
    'the law gives more',
  )
  const card = 'The trial lasts 14 days and we do not ask for a card.'
  const tried = (text: string): Promise<string> =>
    says({ 'sign-up.html': signUp, 'help.html': told(card), 'plans.html': told(text) }, 'trial')
  t.match(await tried('All of it is here for you and the team.'), card)
  t.equal(await tried('A credit card is required for all of it.'), '')
  const free = 'Delivery is free for all orders of yours from £45 on.'
  const paid =
    'export const Cart = () => <main><h1>All of the things that you have in here</h1>NOTE<button onClick={pay}>Place order</button></main>\n'
  const delivered = (note: string): Promise<string> =>
    says({ 'src/Cart.tsx': paid.replace('NOTE', note), 'delivery.html': told(free) }, 'delivery')
  t.match(await delivered(''), free)
  t.equal(await delivered('<p>Delivery is calculated at the next step</p>'), '')
  const open = 'All delivery is free for the orders of you all.'
  t.match(await says({ 'product.html': product, 'd.html': told(open) }, 'delivery'), open)
  t.equal(
    await says({ 'product.html': product, 'd.html': told(`${open}</p><p>Small parcels £3.90.`) }, 'delivery'),
    '',
    'a price stands below it',
  )
})

t.test('what one plan has among others is not said of all', async (t) => {
  const plans = (own: string): Files => ({
    'src/pages/Start.tsx': `import { Plans } from '../Plans'\nexport const Start = () => <main><h1>It is for you and all of the team</h1><a href="/sign-up">Start</a><Plans /></main>\n`,
    'src/Plans.tsx': `const plans = [{ name: 'Team', ${own} points: ['Try it for 14 days, no card is needed', 'All of the tools that there are'] }]\nexport const Plans = () => <section>{plans.map((plan) => <ul key={plan.name}>{plan.points.map((one) => <li key={one}>{one}</li>)}</ul>)}</section>\n`,
    'src/pages/sign-up.tsx':
      'export const SignUp = () => <main><h1>Create your account with us</h1><form onSubmit={send}><input type="email" name="email" required /><input type="password" name="password" autoComplete="new-password" required /><button type="submit">Create account</button></form></main>\n',
  })
  t.match(await says(plans(''), 'trial'), 'no card is needed')
  t.equal(await says(plans('price: 12,'), 'trial'), '')
})

t.test('of pages that something leads to, and of the shop that one is in', async (t) => {
  const back = 'Send it back within 30 days and you have your money refunded.'
  const files = { 'product.html': product, 'delivery.html': told(back) }
  t.match(await says(files, 'returns'), back)
  t.equal(saysOf(await wholeBatch(files), 'said-where-deciding returns').join(), '', 'nothing leads there')
  const cart = (to: string): Files => ({
    'src/Cart.tsx': `export const Cart = () => <main><h1>All of the things that you have in here</h1><button onClick={() => go(\`${to}\`)}>Pay now</button></main>\n`,
    'delivery.html': told(back),
  })
  t.match(await says(cart('/checkout'), 'returns'), back)
  t.equal(await says(cart(['/$', '{params.url}/checkout'].join('')), 'returns'), '', 'of a merchant')
  t.equal(
    await says(
      { 'gift-tickets.html': product.replace('notebook', 'ticket'), 'd.html': told(back) },
      'returns',
    ),
    '',
    'nothing is sent',
  )
})

t.test('below the plans in the middle, and not below what code calls them', async (t) => {
  const card = 'No credit card required for any plan.'
  const plan = (name: string, price: string): string =>
    `<div><h3>${name}</h3><p>${price} a month</p><a class="btn" href="/join">Choose it</a></div>`
  const plans = page(
    `<main><h1>Prices for you and the team</h1><div class="plans">${plan('One', '$9')}${plan('Two', '$19')}</div></main>`,
  )
  t.match(
    await says({ 'pricing.html': plans, 'help.html': told(card) }, 'trial'),
    `</div> <p style="margin-top: 0.5rem; text-align: center"><small>${card}</small></p>`,
  )
  const modal = (path: string): Promise<string> => says({ [path]: plans, 'help.html': told(card) }, 'trial')
  t.equal(
    await says(
      { 'pricing.html': plans, 'help.html': told('No credit card required for all of you.') },
      'trial',
    ),
    '',
    'some plans may be paid at once',
  )
  t.equal(await modal('pricing/SubscriptionModal.html'), '', 'for those who pay already')
  t.match(await modal('pricing/all.html'), card)
})

t.test(
  'what belongs to one plan, to goods or to a list is not said where something else is decided',
  async (t) => {
    const card = (text: string, price: string): Files => ({
      'sign-up.html': signUp,
      'index.html': page(
        `<h1>Questions that you ask us</h1><section><div><h3>The large one</h3><p>${price}</p><a class="btn" href="/sign-up.html">Choose it</a><p>${text}</p></div></section>`,
      ),
    })
    const many = 'The choice of 8 out of 10 small agencies.'
    t.match(await says(card(many, 'For all of you'), 'customers'), many)
    t.equal(await says(card(many, '£19 a month'), 'customers'), '', 'they chose that plan')
    const used = '1,140 small agencies use it every week.'
    const files = { 'sign-up.html': signUp, 'index.html': told(used) }
    t.match(await says(files, 'customers'), used)
    const footer = page(`<h1>Questions that you ask us</h1><footer><p>${used}</p></footer>`)
    t.equal(await says({ ...files, 'rest.html': footer }, 'customers'), '', 'it stands on every page')
    const trial = (text: string): Promise<string> =>
      says({ 'sign-up.html': signUp, 'help.html': told(text) }, 'trial')
    t.match(await trial('Every purchase comes with 30 days in which it is free.'), 'Every purchase')
    t.equal(await trial('Every grade comes with 30 days in which it is free.'), '', 'which are there?')
    t.equal(await trial('Your 7-day free trial of it has expired.'), '', 'it is over')
    t.equal(await trial('All of it comes with free delivery and 30 days of free returns.'), '', 'no trial')
    const mended = (text: string): Promise<string> =>
      says({ 'product.html': product, 'help.html': told(text) }, 'mended')
    t.match(await mended('We repair it free of charge if a page comes loose.'), 'We repair it')
    t.equal(await mended('Free repairs or replacement'), '', 'an item of a list')
  },
)

t.test('of an offer speaks who opens the site, or leads to where it is taken', async (t) => {
  const trial = 'The trial lasts 14 days and we do not ask for a card.'
  const of = async (path: string, more = ''): Promise<boolean> =>
    patternsOf(
      await batch({
        'sign-up.html': signUp,
        [path]: told(trial).replace('</p>', `</p>${more}`),
        'all.html': page(`<p>For you and all <a href="/${path}">Go there</a></p>`),
      }),
    ).includes('said-where-deciding trial')
  t.ok(await of('index.html'))
  t.ok(await of('landing/more.html'))
  t.notOk(await of('tools/other.html'), 'it may be of that')
  t.ok(await of('tools/other.html', '<a class="btn" href="/sign-up.html">Create an account</a>'))
})

t.test('buttons beside each other state nothing', async (t) => {
  const asks =
    '<main><h1>Schreiben Sie uns</h1><p>Hier ist alles für Sie und für die Familie, und das bei uns.</p><form action="/send" method="post"><input name="name" required><input name="email" type="email" required><textarea name="nachricht" required></textarea><button type="submit">Nachricht senden</button></form></main>'
  const start = (words: string): string =>
    page(`<main><h1>Dächer für Sie und die Nachbarn</h1><div>${words}</div></main>`, 'de')
  const beside = (words: string): Promise<string> =>
    says({ 'kontakt.html': page(asks, 'de'), 'index.html': start(words) }, 'quote')
  t.match(await beside('Ein Angebot ist für Sie kostenlos und unverbindlich.'), 'kostenlos und unverbindlich')
  t.equal(
    await beside(
      '<a href="/kontakt.html">Angebot kostenlos einholen</a> <a href="/alles">Unsere Dächer ansehen</a>',
    ),
    '',
  )
})
