import t from 'tap'
import type { Candidate } from '../../port.js'
import { batch, found, page, patternsOf, saysOf, wholeBatch } from '../../test/support/workspace.js'

const one = async (
  files: Readonly<Record<string, string>>,
  pattern: string,
): Promise<Candidate | undefined> =>
  (await found(files)).proposals.find((candidate) => candidate.pattern === pattern)

const FORM =
  '<form><input type="email" name="e" required><input type="password" name="p" autocomplete="new-password" required><button>Create account</button></form>'

t.test('a theme that shows what it can do has no visitors', async (t) => {
  const files = {
    'site/join.html': page(`<h1>Create an account with us</h1>${FORM}`),
    'site/start.html': page('<h1>The tool for you and the team</h1><p>Used by 900 teams</p>'),
  }
  const pattern = 'said-elsewhere-at-sign-up proof'
  t.ok(await one(files, pattern))
  const sheets = ['buttons', 'cards', 'tables', 'form-wizards'].map((name) => [
    `site/${name}.html`,
    page('<h1>All of them</h1>'),
  ])
  const theme = { ...files, ...Object.fromEntries(sheets) }
  t.notOk(await one({ ...theme, 'index.html': page('<h1>All of it is here for you</h1>') }, pattern))
  t.ok(await one(theme, pattern), 'it is all that there is')
  t.notOk(
    await one({ ...theme, 'site/buttons.html': theme['site/join.html'], 'site/join.html': '' }, pattern),
  )
  t.ok(await one({ ...files, ...Object.fromEntries(sheets.slice(1)) }, pattern), 'few of them say nothing')
  const unnamed = { 'site/start.html': files['site/start.html'].replace('900 teams', 'leading teams') }
  t.notOk(await one({ ...files, ...unnamed }, pattern), 'who they are stands in pictures')
})

t.test('of several things in one line the one that holds is said again', async (t) => {
  const name = async (line: string): Promise<string | undefined> =>
    (
      await one(
        {
          'site/join.html': page(`<h1>Create an account with us</h1>${FORM}`),
          'site/start.html': page(`<h1>The tool for you and the team</h1><p>${line}</p>`),
        },
        'said-elsewhere-at-sign-up risk reversal',
      )
    )?.name
  t.match(await name('No credit card required'), '“No credit card required”')
  t.match(await name('Made for teams • No credit card required'), '“No credit card required”')
  t.notOk(await name('Fast, free estimates • No credit card required'), 'it is said of something else')
})

t.test('a promise is not said to those who are invited, or right before they pay', async (t) => {
  const join = (path: string, line: string, code = ''): Promise<Candidate | undefined> =>
    one(
      {
        [path]: `export function Join() {\n  const send = async (event) => { await fetch('/api/join', { method: 'POST', body: new FormData(event.target) }); ${code} }\n  return (\n    <form onSubmit={send}>\n      <h1>Create an account with us</h1>${line}\n      <input type="email" name="email" required />\n      <input type="password" name="password" autoComplete="new-password" required />\n      <button>Create account</button>\n    </form>\n  )\n}\n`,
        'site/start.html': page('<h1>The tool for you and the team</h1><p>No credit card required</p>'),
      },
      'said-elsewhere-at-sign-up risk reversal',
    )
  const path = 'src/pages/join.tsx'
  t.ok(await join(path, ''))
  t.notOk(await join('src/tenant-portal/join.tsx', ''))
  t.notOk(await join('src/pages/accept-invitation.tsx', ''))
  t.notOk(await join(path, '<p>You have been invited by your landlord</p>'))
  t.notOk(await join(path, '', "navigate('/billing')"), 'a card is asked for next')
  t.ok(await join(path, '', "navigate('/welcome')"))
})

t.test('a quotation ends where words may end', async (t) => {
  const open = (news: string): string =>
    page(
      `<div class="hero"><a href="https://other.test/news">${news}</a><h1>The tool for you and the team</h1><p>All that you need for it is here</p><a class="btn" href="/join">Sign up</a></div>`,
    )
  const name = async (news: string): Promise<string | undefined> =>
    (await one({ 'index.html': open(news) }, 'opening-without-news'))?.name
  t.match(await name('We write of our new tool on'), '“We write of our new tool …”')
  t.match(await name('We write of our new tool'), '“We write of our new tool”')
  const long = await name(`We write of it ${'again and again '.repeat(12)}`)
  t.match(long, / again and…” above the title$/, 'what is cut ends with a word')
  t.ok((long?.length ?? 0) <= 120)
})

t.test('one idea for one reason, where most pages show it', async (t) => {
  const part = (label: string): string =>
    `export const Part = () => <div><h2>Votre adresse et votre réseau</h2><button>${label}</button></div>\n`
  const at = (name: string): string =>
    `import { Part } from '../parts/${name}'\nexport default () => <main><Part /></main>\n`
  const files = {
    'src/about.tsx':
      'export const About = () => <p>Ceci est un service gratuit pour tous les habitants</p>\n',
    'src/parts/a.tsx': part('Tester mon adresse'),
    'src/parts/b.tsx': part('Tester cette adresse'),
    'src/pages/one.tsx': at('a'),
    'src/pages/two.tsx': at('b'),
    'src/pages/three.tsx': at('b'),
  }
  const { proposals, dropped } = await wholeBatch(files)
  const free = proposals.filter(({ pattern }) => pattern === 'free-on-act')
  t.same(
    free.map(({ surfaces }) => surfaces[0]?.path),
    ['src/parts/b.tsx'],
  )
  t.match(dropped, [{ reason: 'much_alike', count: 1 }])
})

t.test('a line of little weight looks like those of the page, below a row of any style', async (t) => {
  const far =
    '<section><h2>More</h2><p>All of the rest of it is for you and the family.</p></section>'.repeat(20)
  const says = async (row: string, rest = ''): Promise<string> =>
    saysOf(
      await wholeBatch({
        'index.html': page(
          `<main><section class="hero"><h1>The tool for your team</h1>${row}</section>${far}${rest}<p>No credit card required</p></main>`,
        ),
      }),
      'promise-at-button',
    ).join()
  const buttons = '<a class="btn" href="/j">Get started</a><a class="btn" href="/k">See prices</a>'
  t.match(
    await says(`<div class="actions">${buttons}</div>`),
    '</div> <p style="margin-top: 0.5rem"><small>No credit card',
  )
  t.match(
    await says(`<div>${buttons}</div>`, '<p class="text-sm text-gray-500">Since long ago</p>'),
    '<p class="text-sm text-gray-500">No credit card required</p>',
  )
})

t.test('what is free for all is looked for at its code', async (t) => {
  const open = (rest: string): string =>
    page(
      `<main><section class="hero"><h1>The tool for your team</h1><div><a class="btn" href="/join">Get started</a><a class="btn" href="https://github.com/a/b">See it at GitHub</a></div></section><p>${rest}</p></main>`,
    )
  const tested = async (rest: string): Promise<boolean> =>
    patternsOf(await batch({ 'index.html': open(rest) })).includes('one-way-on')
  t.equal(await tested('All of it is for you'), true)
  t.equal(await tested('All of it is open source'), false)
})

t.test('an event that the code there sends already is named', async (t) => {
  const part = (code: string): string =>
    `import useForm from '../hooks/useForm'\nexport const Part = () => {\n  useForm()\n  ${code}\n  return <div><h2>Votre adresse et votre réseau</h2><button>Tester mon adresse</button></div>\n}\n`
  const about = 'export const About = () => <p>Ceci est un service gratuit pour tous les habitants</p>\n'
  const aim = async (code: string, hook = ''): Promise<string | undefined> =>
    (
      await one(
        { 'src/about.tsx': about, 'src/parts/a.tsx': part(code), 'src/hooks/useForm.ts': hook },
        'free-on-act',
      )
    )?.hypothesis
  t.match(await aim(''), 'increases `cta_clicked`')
  const sound = part('').replace('Tester mon adresse', 'Tester le son')
  t.notOk(
    await one({ 'src/about.tsx': about, 'src/parts/a.tsx': sound }, 'free-on-act'),
    'nobody pays for it',
  )
  const sent = await aim("posthog.capture('address_test:submitted', {})")
  t.match(sent, 'increases `address_test:submitted`')
  t.match(sent, 'send it when the code there sends it to the site’s own analytics.')
  t.match(await aim('', "trackEvent('address_test:submitted')"), '`address_test:submitted`', 'in its hook')
  const both = "posthog.capture('test:started')\nposthog.capture('address_test:submitted')"
  t.match(await aim(both), 'increases `address_test:submitted`', 'the other comes before the press')
  t.match(await aim("posthog.capture('menu_click')"), '`cta_clicked`', 'it speaks of something else')
  t.match(await aim("posthog.capture('test_displayed')"), '`cta_clicked`', 'it is seen, and not done')
})

t.test('no account comes of a link to the page of those who have one', async (t) => {
  const files = (href: string): Record<string, string> => ({
    'about.html': page('<h1>What it is</h1><p>This is a completely free tool for you and the team</p>'),
    'join.html': page(
      `<h1>Create an account with us</h1><form><input id="n" placeholder="Name"><a class="btn" href="${href}">Register Account</a></form>`,
    ),
  })
  t.ok(await one(files('join-now.html'), 'free-on-act'))
  t.notOk(await one(files('login.html'), 'free-on-act'))
  const form = (button: string): Record<string, string> => ({
    'join.html': page(
      `<h1>Create an account with us</h1><form>${['e', 'f', 'g'].map((name) => `<input name="${name}" required>`).join('')}<input name="phone"><input type="password" name="p" autocomplete="new-password">${button}</form>`,
    ),
  })
  t.ok(await one(form('<button>Create account</button>'), 'ask-less'))
  t.notOk(
    await one(form('<a class="btn" href="start.html">Create account</a>'), 'ask-less'),
    'nothing is sent',
  )
})

t.test(
  'a promise is left where it holds for one of several, is said there in other words, or is denied',
  async (t) => {
    const far = '<p>The product is made for people and for teams of all kinds.</p>'.repeat(20)
    const home = (hero: string, promise: string, next = ''): string =>
      page(
        `<main><section class="hero"><h1>The place for your car</h1>${hero}<a class="btn" href="/j">Get started</a></section>${next}<section><h2>More of it</h2>${far}${promise}</section></main>`,
      )
    const has = async (index: string, more: Readonly<Record<string, string>> = {}): Promise<boolean> =>
      (await one({ 'index.html': index, ...more }, 'promise-at-button')) !== undefined
    const promise = '<p>Cancel anytime, no contract</p>'
    t.equal(await has(home('<p>It is dry and it is near.</p>', promise)), true)
    t.equal(
      await has(home('<p>It is dry. Contracts are not needed.</p>', promise)),
      false,
      'the opening does',
    )
    const row = '<section><ul><li>Open all day</li><li>No contracts</li></ul></section>'
    t.equal(await has(home('', promise, row)), false, 'what comes right after it does')
    t.equal(await has(home('', promise, `<section>${far}</section>${row}`)), true, 'further down')
    const card = (name: string, more = ''): string =>
      `<div class="card"><h3>${name}</h3><p>$9 a month</p><ul><li>A roof</li>${more}</ul></div>`
    const line = '<li>Cancel anytime, no contract</li>'
    t.equal(await has(home('', `<div>${card('One')}${card('Two', line)}</div>`)), false, 'one of two')
    t.equal(await has(home('', `<ul>${line}</ul>`)), true)
    const terms = (says: string): Record<string, string> => ({
      'terms.html': page(`<h1>Terms</h1><p>${says}</p>`),
    })
    t.equal(await has(home('', promise), terms('You may leave with 30 days’ notice.')), false)
    t.equal(
      await has(home('', `${promise}<p>The notice period is one month.</p>`)),
      false,
      'on the page itself',
    )
    t.equal(await has(home('', promise), terms('Leave a notice at the door when you go.')), true)
    t.equal(
      await has(home('', '<p>No credit card required</p>'), terms('You may leave with 30 days’ notice.')),
      true,
    )
  },
)

const WRITE =
  '<form action="/send" method="post"><input name="name" required><input name="email" type="email" required><textarea name="message"></textarea><button type="submit">BUTTON</button></form>'

t.test('nothing is said at a form that the page which shows it is headed with', async (t) => {
  const has = async (top: string): Promise<boolean> =>
    (await one(
      {
        'src/app/page.tsx':
          'export default function Home() {\n  return <main><h1>Pipes for you and the house</h1><p>Your quote is free and binds you to nothing.</p></main>\n}\n',
        'src/app/contact/page.tsx': `import { WriteForm } from '../../components/WriteForm'\nexport default function Contact() {\n  return <main>${top}<WriteForm /></main>\n}\n`,
        'src/components/WriteForm.tsx': `export function WriteForm() {\n  return <div>${WRITE.replace('BUTTON', 'Send request').replace(/(<input[^>]*)>/g, '$1 />')}</div>\n}\n`,
      },
      'said-where-deciding quote',
    )) !== undefined
  t.equal(await has('<h1>Write to us</h1>'), true)
  t.equal(await has('<h1>Write to us for a quote that is free of charge</h1>'), false)
  t.equal(await has('<PageTop title="Write to us for a free quote" />'), false, 'a part is given it')
  t.equal(await has('<h1>Write to us</h1><p>It is fun.</p>'), true)
})

t.test('a heading that announces what follows states nothing', async (t) => {
  const has = async (says: string): Promise<boolean> =>
    (await one(
      {
        'index.html': page(
          `<h1>The place for you and the family</h1><h2>${says}</h2><a href="join.html">Join</a>`,
        ),
        'join.html': page(`<h1>Create an account with us</h1>${FORM}`),
      },
      'said-where-deciding customers',
    )) !== undefined
  t.equal(await has('Here 280 families trust us and use it daily'.replace('Here ', 'All ')), true)
  t.equal(await has('Why 280+ families choose us for their trips'), false)
  t.equal(await has('How 280 families use it for their trips'), false)
})

t.test('a line speaks to visitors as the page does', async (t) => {
  const has = async (lang: string, line: string, own: string, button: string): Promise<boolean> =>
    (await one(
      {
        'index.html': page(
          `<h1>${lang === 'de' ? 'Der Ort für die Familie und das Haus' : 'Le lieu pour la famille et la maison'}</h1><p>${line}</p><a href="kontakt.html">Kontakt</a>`,
          lang,
        ),
        'kontakt.html': page(`<h1>Kontakt</h1><p>${own}</p>${WRITE.replace('BUTTON', button)}`, lang),
      },
      'said-where-deciding quote',
    )) !== undefined
  const german = (line: string, own: string): Promise<boolean> => has('de', line, own, 'Anfrage senden')
  const polite = 'Ein Angebot ist für Sie kostenlos und unverbindlich.'
  const near = 'Ein Angebot ist für dich kostenlos und unverbindlich.'
  t.equal(await german(polite, 'Wir freuen uns auf Ihre Nachricht.'), true)
  t.equal(await german(near, 'Wir freuen uns auf Ihre Nachricht.'), false)
  t.equal(await german(near, 'Wir freuen uns auf deine Nachricht.'), true)
  t.equal(await german(polite, 'Wir freuen uns auf deine Nachricht.'), false)
  t.equal(await german(near, 'Wir freuen uns auf die Nachricht.'), true, 'it calls nobody anything')
  const french = (line: string, own: string): Promise<boolean> => has('fr', line, own, 'Envoyer la demande')
  t.equal(await french('Votre devis est gratuit et sans engagement.', 'Laissez-nous un mot.'), true)
  t.equal(await french('Ton devis est gratuit et sans engagement.', 'Laissez-nous un mot.'), false)
})
