import t from 'tap'
import type { Batch } from '../../batch.js'
import type { Request } from '../../port.js'
import { batch, filledBatch, page, patternsOf, saysOf } from '../../test/support/workspace.js'

type Files = Readonly<Record<string, string>>
const of = async (files: Files, known: Partial<Request> = {}): Promise<string[]> =>
  patternsOf(await filledBatch(files, { count: 5, ...known }))
const says = async (files: Files, pattern: string): Promise<string[]> =>
  saysOf(await filledBatch(files, { count: 5, today: '2026-11-25' }), pattern)

const site = (main: string, lang = 'en'): string =>
  page(
    `<header><nav><a href="/">Home</a><a href="/about.html">About</a></nav></header><main>${main}</main><footer><p>© Barleymow</p></footer>`,
    lang,
  )
const hero = (title: string, line: string, button: string, href: string, lang = 'en'): string =>
  site(
    `<section class="hero"><h1>${title}</h1><p>${line}</p><a class="btn" href="${href}">${button}</a></section><section><h2>More of it</h2><p>All of the rest is told here, for whoever reads on.</p></section>`,
    lang,
  )

t.test('a batch that is thin is filled up with what is small, where all of a place is known', async (t) => {
  const form = site(
    '<h1>Write to us about the site</h1><form action="/send"><label>Name <input name="name" required></label><label>E-mail <input type="email" name="email" required></label><label>Phone <input type="tel" name="phone"></label><label>Message <textarea name="message" required></textarea></label><button>Submit</button></form>',
  )
  t.same(await of({ 'contact.html': form }), ['ask-less', 'submit-label contact'])
  t.same((await batch({ 'contact.html': form })).proposals, [], 'neither would be proposed by itself')
  const starred = form.replace('<label>Phone <input', '<label>Phone * <input')
  t.same(await of({ 'contact.html': starred }), ['submit-label contact'], 'it has to be given')
  const ending = { 'contact.html': form, 'index.html': page('<h1>We are closing for good in June</h1>') }
  t.same(await of(ending), [], 'nobody tries anything on a site that ends')
  t.ok((await of(ending, { focus: 'contact' })).length > 0, 'unless somebody asks for it')
  const dialled = form.replace('</footer>', '<a href="tel:+441134960000">0113 496 0000</a></footer>')
  t.same(await of({ 'contact.html': dialled }), ['submit-label contact'], 'who can be called calls back')
  t.same(await of({ 'contact.html': form }, { count: 1 }), ['submit-label contact'])
  const many = Object.fromEntries(
    Array.from({ length: 50 }, (_, at) => [
      `src/pages/a${at}.tsx`,
      `export const A${at} = () => <p>All of it</p>\n`,
    ]),
  )
  const part = `export const Contact = () => (\n  <main>\n    <h1>Write to us about the site</h1>\n    <form onSubmit={send}><label>Your name <input name="name" required /></label><label>Your email <input type="email" name="email" required /></label><label>Message <textarea name="message" required></textarea></label><button type="submit">Submit</button></form>\n  </main>\n)\n`
  t.same(await of({ 'src/pages/contact.tsx': part }), ['submit-label contact'])
  const large = await filledBatch({ ...many, 'src/pages/contact.tsx': part })
  t.same(large.proposals, [], 'in a large program more is around it than is known')
  t.same(large.dropped, [{ reason: 'little_effect', count: 1 }])
  t.same(
    await of({ ...many, 'public/contact.html': form }),
    ['ask-less'],
    'a whole page; a label that is clear enough waits for a focus where there are more pages',
  )
  t.same(
    await of({ ...many, 'public/contact.html': form }, { focus: 'contact' }),
    ['ask-less', 'submit-label contact'],
    'and is found with one',
  )
  const four = Array.from({ length: 4 }, (_, at) => [
    `a${at}/join.html`,
    site(
      `<h1>Create an account for the site, number ${at}</h1><form action="/send"><label>E-mail <input type="email" name="email" required></label><label>Password <input type="password" name="p" autocomplete="new-password" required></label><button>Submit</button></form>`,
    ),
  ])
  const rest = Object.fromEntries(
    ['a', 'b', 'c', 'd'].map((name) => [`rest/${name}.html`, page('<p>All of the rest</p>')]),
  )
  const enough = await filledBatch(
    { ...Object.fromEntries(four), 'contact.html': form, ...rest },
    { count: 5 },
  )
  t.same(
    enough.proposals.map(({ size }) => size),
    [undefined, 'small'],
    'what is large comes first',
  )
  const lost = '<main><h1>404</h1><p>Page not found.</p></main>'
  const files = {
    'contact.html': form.replace('Submit', 'Send your message'),
    'index.html': hero(
      'Bread that is in your office by eight',
      'All of it is baked at night',
      'Click here',
      '/book',
    ),
    '404.html': page(lost),
  }
  const small = await filledBatch(files)
  t.equal(small.proposals.length, 3, 'of so few pages all is known')
  const another = form.replace('Submit', 'Send your message').replace('the site', 'the team')
  const all = { ...files, 'team/contact.html': another, ...rest }
  const { proposals } = await filledBatch(all)
  t.same(
    proposals.map(({ pattern }) => pattern),
    ['ask-less'],
    'of one small thing the best place, and what is clear enough waits',
  )
  const past = proposals.map(({ mechanism, surfaces, alternatives, pattern }, at) => ({
    ...{ key: `a-${at}`, mechanism, surfaces, alternatives, pattern },
    reasons: ['not_relevant'],
  }))
  t.same(await of(all, { inFlight: past }), ['ask-less'], 'the next one when that is under way')
  t.same(await of(all, { dismissals: past }), ['ask-less'], 'or turned down')
})

t.test('what a program writes anew is changed there', async (t) => {
  const form =
    '<h1>Write to us about the site</h1><form action="/send"><label>Name <input name="name" required></label><label>E-mail <input type="email" name="email" required></label><label>Phone <input type="tel" name="phone"></label><label>Message <textarea name="message" required></textarea></label><button>Submit</button></form>'
  const held = (id: string, script = '<script src="app.js"></script>'): Files => ({
    'contact.html': site(`<div id="${id}">${form}</div>${script}`),
  })
  t.ok((await of(held('main'))).length > 0)
  t.ok((await of(held('root', ''))).length > 0)
  t.same(await of(held('root')), [])
  t.same(await of(held('__next')), [])
})

t.test('the smallest of all is proposed where there would be nothing', async (t) => {
  const card = (name: string): string =>
    `<div class="card"><img src="/img/${name}.jpg"><h2>The ${name}</h2><p>$34.00</p><button>Add to cart</button></div>`
  const shop = site(
    `<h1>Plants that are brought to your door</h1><section>${card('fern')}${card('palm')}</section>`,
  )
  t.same(await of({ 'index.html': shop }), ['picture-text'])
  t.match((await says({ 'index.html': shop }, 'picture-text')).join(), 'alt="The fern"')
  const marked = shop.replaceAll('<img ', '<img role="presentation" ')
  t.same(await of({ 'index.html': marked }), [], 'it says that it is an ornament')
  const results = site('<h1>What you have searched for in the shop</h1><div><p>No results found.</p></div>')
  t.same(await of({ 'results.html': results }), ['dead-end empty'])
})

t.test('a greeting gives way to the line that says what there is', async (t) => {
  const heading = 'opening-in-concrete-words'
  const line = 'Barleymow bakes sourdough bread overnight and brings it to offices in Leeds by eight.'
  const greeted = { 'index.html': hero('Welcome to our website', line, 'Click here', '/order') }
  t.same(await says(greeted, heading), [`Welcome to our website → ${line.slice(0, -1)}`, `<p>${line}</p> → `])
  const french = hero(
    'Bienvenue sur notre site !',
    'Chaque semaine, Orgebelle livre chez vous des pains au levain cuits à moins de 50 km.',
    'Cliquez ici',
    '/inscription',
    'fr',
  )
  t.match(await says({ 'index.html': french }, heading), [/→ Chaque semaine, Orgebelle livre/])
  const described = hero(
    'Willkommen auf unserer Seite',
    'Das Besondere für Sie und alle anderen',
    'Mehr',
    '/wir',
    'de',
  )
  const told = described.replace(
    '</head>',
    '<meta name="description" content="Sauerteigbrot aus Leeds für Büros mit acht bis achtzig Leuten."></head>',
  )
  t.match(await says({ 'index.html': told }, heading), [/Sauerteigbrot aus Leeds für Büros/])
  const feelings = hero(
    'Welcome to our website',
    'We are passionate about quality for you',
    'Click here',
    '/order',
  )
  t.same(await says({ 'index.html': feelings }, heading), [], 'that fits any site')
})

t.test('a label that fits anything says what it leads to, also where a part is given it', async (t) => {
  const leads = (label: string, href: string, lang?: string): Promise<string[]> =>
    of({
      'index.html': hero(
        'Bread that is brought to your office by eight',
        'All of it is baked at night',
        label,
        href,
        lang,
      ),
    })
  t.ok((await leads('Click here', '/book')).includes('label-names-destination click'))
  t.ok((await leads('Learn more', '/book')).includes('label-names-destination click'))
  t.notOk((await leads('Learn more', '/about-us')).includes('label-names-destination click'), 'that is right')
  t.notOk((await leads('Order bread', '/book')).includes('label-names-destination click'))
  const given = {
    'src/pages/Home.jsx': `import { Banner } from '../components/Banner'\nexport default () => <main><Banner title="Learn the trade of bread with a baker" text="One to one, in your own kitchen" buttonLabel="Learn more" href="/book" /></main>\n`,
    'src/components/Banner.jsx':
      'export const Banner = ({ title, text, buttonLabel, href }) => <section><h1>{title}</h1><p>{text}</p><a className="btn" href={href}>{buttonLabel}</a></section>\n',
  }
  t.same(await says(given, 'label-names-destination click'), ['Learn more → Book now'])
})

t.test('what is marked as the one that most take is set where nothing is', async (t) => {
  const plan = (name: string, mark = ''): string =>
    `<label><input type="radio" name="plan" value="${name}"> ${name}${mark}</label>`
  const form = (mark: string): string =>
    site(
      `<h1>Pricing</h1><form action="/subscribe" method="post"><fieldset><legend>Choose a plan</legend>${plan('Loaf')}${plan('Table', mark)}</fieldset><button>Continue</button></form>`,
    )
  t.match(await says({ 'pricing.html': form(' <b>Most popular</b>') }, 'stated-choice-preset'), [
    '<input checked type="radio" name="plan" value="Table">',
  ])
  t.same(await says({ 'pricing.html': form('') }, 'stated-choice-preset'), [])
})

t.test('who is lost finds a way on where there is none', async (t) => {
  const files = (lost: string): Files => ({
    'src/App.tsx':
      "import { Lost } from './pages/NotFound'\nimport { Home } from './pages/Home'\nexport const App = () => <><Home /><Lost /></>\n",
    'src/pages/Home.tsx':
      'export const Home = () => <main><h1>Find a baker near you</h1><a href="/search">Book a baker</a></main>\n',
    'src/pages/NotFound.tsx': `export const Lost = () => <main>${lost}</main>\n`,
  })
  const found = await says(files('<h1>404</h1><p>Page not found.</p>'), 'way-on-from-not-found')
  t.match(found, [/<a href="\/">Go to the home page<\/a>/, /<a href="\/search">Book a baker<\/a>/])
  const led = files('<h1>404</h1><p>Page not found.</p><a href="/">To the start</a>')
  t.same(await says(led, 'way-on-from-not-found'), [])
})

t.test('what is said further down, or on another page, stands where one decides', async (t) => {
  const buy = (answer: string): string =>
    site(
      `<section class="hero"><h1>Bake your own bread in eight weeks</h1><p>A course with a plan for each week.</p></section><section id="buy"><h2>Get the course</h2><p>$149</p><button>Buy now</button></section><section><h2>What is in it</h2><ul><li>24 lessons</li><li>8 plans</li></ul></section><section><h2>FAQ</h2><h3>What if it is not for me?</h3><p>${answer}</p></section>`,
    )
  const promise = 'We offer a 30-day money-back guarantee.'
  t.match(await says({ 'index.html': buy(`${promise} Just send us an email.`) }, 'promise-at-button'), [
    `${promise}</`,
  ])
  const near = buy('No.').replace('<p>$149</p>', `<p>$149</p><p>${promise}</p>`)
  t.same(await says({ 'index.html': near }, 'promise-at-button'), [], 'it stands there')
  const about = site('<h1>About us</h1><p>Today 2,400 teams use Barleymow to plan their nights.</p>')
  const start = hero(
    'Plan the night of your bakery',
    'Barleymow says what is baked when.',
    'Start free trial',
    '/signup',
  )
  t.match(await says({ 'index.html': start, 'about.html': about }, 'said-where-deciding customers'), [
    'Today 2,400 teams use Barleymow',
  ])
  const tickets = site(
    '<h1>Tickets</h1><div><h2>Early bird</h2><p>€249</p><a class="btn" href="/buy?t=early">Buy early bird ticket</a></div><div><h2>Regular</h2><p>€349</p><a class="btn" href="/buy?t=regular">Buy regular ticket</a></div>',
  )
  const faq = (until: string): string =>
    site(`<h1>FAQ</h1><h2>Until when?</h2><p>Early bird tickets are available until ${until}.</p>`)
  const links = (day: string): Files => ({
    'tickets.html': tickets,
    'faq.html': faq(day),
    'index.html': site(
      '<h1>The day of the bakers</h1><a href="faq.html">Questions</a><a href="tickets.html">Tickets</a>',
    ),
  })
  t.match(await says(links('September 30, 2031'), 'said-where-deciding deadline'), [
    /Buy early bird ticket<\/a>.*until/s,
  ])
  t.same(await says(links('September 30, 2019'), 'said-where-deciding deadline'), [], 'it is over')
})

t.test('voices come earlier in a page that stands in one file, in any script', async (t) => {
  const landing = (voices: string): string =>
    site(
      `<section id="hero"><h1>Brot, das vor acht im Büro ist</h1><p>Über Nacht gebacken und mit dem Rad gebracht.</p><a href="/bestellen" class="button">Jetzt bestellen</a></section><section id="features"><h2>Was es gibt</h2><p>Sauerteig, Roggen und was der Tag sonst noch bringt.</p></section><section id="how"><h2>So geht es</h2><p>Bestellen, schlafen, frühstücken, und das jeden Tag.</p></section><section id="faq"><h2>Fragen</h2><p>Liefert ihr auch am Samstag? Ja, auch am Samstag.</p></section>${voices}`,
      'de',
    )
  const voices =
    '<section id="testimonials"><h2>Das sagen unsere Kunden</h2><blockquote>„Seitdem kommen alle pünktlich.“ – Petra M., Köln</blockquote><blockquote>„So gut war es nie.“ – Jan B., Bonn</blockquote></section>'
  t.ok((await of({ 'index.html': landing(voices) })).includes('voices-earlier'))
  t.notOk((await of({ 'index.html': landing('') })).includes('voices-earlier'))
  const made = voices.replace('</blockquote>', ' Jane Doe, Acme</blockquote>')
  t.notOk((await of({ 'index.html': landing(made) })).includes('voices-earlier'), 'they are examples')
  const japanese = site(
    '<section id="hero"><h1>パンを届けます</h1><p>毎朝、焼きたてを会社へ。</p><a href="/signup">申し込む</a></section><section><h2>特徴</h2><p>送料無料、いつでも解約できます。</p></section><section id="faq"><h2>よくある質問</h2><p>返品はできますか。はい、できます。</p></section><section id="testimonials"><h2>お客様の声</h2><blockquote>「毎朝が楽しみです。」佐藤様</blockquote></section>',
    'ja',
  )
  t.same(await of({ 'index.html': japanese }), ['voices-earlier'], 'no text is written in it')
})

t.test('an opening with two ways on asks for one thing', async (t) => {
  const start = (second: string): Files => ({
    'index.html': site(
      `<section class="hero"><h1>Bread that is in your office before eight</h1><p>Baked at night, and brought by bike.</p><div class="actions"><a class="btn" href="/order">Order now</a>${second}</div></section><section id="how"><h2>How it works</h2><p>You order, sleep, and have breakfast with all of the team.</p></section>`,
    ),
  })
  const has = async (second: string): Promise<boolean> =>
    patternsOf(await batch(start(second))).includes('one-way-on')
  t.equal(await has('<a class="btn" href="#how">How it works</a>'), true)
  t.equal(await has('<a class="btn" href="/about.html">Our story</a>'), true, 'the navigation leads there')
  t.equal(await has('<a class="btn" href="/recipes">Recipes</a>'), false, 'nothing else leads there')
  t.equal(await has('<a class="btn" href="/about.html">List of breads</a>'), false, 'some have come for it')
  t.equal(
    await has('<a class="btn" href="tel:+441132496000">0113 249 6000</a>'),
    false,
    'some have come to call',
  )
  t.equal(await has('<a class="btn" href="#how">Watch it bake</a>'), false, 'it plays')
  t.equal(await has('<a class="btn" href="/login">Log in</a>'), false)
  t.equal(await has('<a class="btn" href="#">How it works</a>'), false, 'it leads nowhere')
  const asked = start('<a class="btn" href="#how">How it works</a></div><form><input name="street">')
  t.notOk(patternsOf(await batch(asked)).includes('one-way-on'), 'something is filled in there')
  const order = (says: string): Promise<Batch> =>
    batch({
      ...start('<a class="btn" href="#how">How it works</a>'),
      'order.html': site(`<h1>Order your bread</h1><p>${says}</p>`),
    })
  t.ok(patternsOf(await order('Call us in the afternoon')).includes('one-way-on'))
  t.equal(
    await has('<a class="btn" href="/about.html">See training times</a>'),
    false,
    'who comes needs these',
  )
  const waiting = start('<a class="btn" href="#how">How it works</a>')
  const early = waiting['index.html']?.replace('/order', '/early-access') ?? ''
  t.notOk(patternsOf(await batch({ 'index.html': early })).includes('one-way-on'), 'one only waits there')
  const later = patternsOf(await order('The form is pending launch'))
  t.notOk(later.includes('one-way-on'), 'nothing can be ordered yet')
  const demo = patternsOf(await order('</p><button onclick="alert(\'Demo mode\')">Buy</button><p>'))
  t.notOk(demo.includes('one-way-on'), 'nobody gets the order')
})

t.test('a workspace that knows events is aimed at with one of them', async (t) => {
  const aims = async (
    files: Files,
    names: readonly string[],
    pattern: string,
  ): Promise<string | undefined> => {
    const vocabulary = names.map((eventName, at) => ({ eventName, count: 1_000 - at }))
    const { proposals } = await filledBatch(files, { vocabulary })
    return proposals.find((one) => one.pattern === pattern)?.conversionTargets[0]?.eventName
  }
  const join = (more: string): Files => ({
    'signup.html': site(
      `<h1>Create an account for the site</h1><form action="/send"><label>E-mail <input type="email" name="email" required></label><label>Password <input type="password" name="p" autocomplete="new-password" required></label><button>Submit</button></form>${more}`,
    ),
  })
  const label = 'submit-label sign up'
  t.equal(await aims(join(''), ['page_viewed', 'inscription_envoyee'], label), 'inscription_envoyee')
  t.equal(await aims(join(''), ['signup_started', 'signup_submitted'], label), 'signup_submitted')
  const sent = "<script>form.onsubmit = () => track('account_made')</script>"
  t.equal(
    await aims(join(sent), ['signed_up', 'account_made'], label),
    'account_made',
    'the code there sends it',
  )
  const leads = {
    'index.html': hero(
      'Bread before eight in the office',
      'All of it is baked at night',
      'Click here',
      '/book',
    ),
  }
  const names = 'label-names-destination click'
  t.equal(
    await aims(leads, ['page_viewed', 'order_placed'], names),
    'order_placed',
    'it is what the site is there for',
  )
  t.equal(await aims(leads, ['page_viewed'], names), 'cta_clicked', 'whoever comes raises that')
})
