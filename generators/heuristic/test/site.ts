import t from 'tap'
import { ground } from '../../ground.js'
import { found, page, patternsOf, repositoryOf, saysOf, wholeBatch } from '../../test/support/workspace.js'
import { isReadPath } from '../heuristic.js'

const FORM = `<form><input type="email" name="email" /><input type="password" name="p" autoComplete="new-password" /><button type="submit">Create account</button></form>`
const component = (body: string): string => `export const Part = () => (\n  <div>\n    ${body}\n  </div>\n)\n`

t.test('texts by key: another key in the code, and its text in every language', async (t) => {
  const code = `import { useTranslations } from 'next-intl'
export const Part = () => {
  const t = useTranslations('Start')
  return <a className="btn" href="/sign-up">{t('go')}</a>
}
`
  const files = {
    'src/part.tsx': code,
    'src/locales/en.json': '{\n  "Start": {\n    "go": "Get started",\n    "end": "The end of it"\n  }\n}\n',
    'src/locales/fr.json': '{\n  "Start": {\n    "go": "Commencer"\n  }\n}\n',
    'src/locales/pt.json': '{\n  "Start": {\n    "go": "Começar"\n  }\n}\n',
  }
  const result = await wholeBatch(files)
  const [proposal, ...more] = result.proposals
  t.equal(more.length, 0)
  t.same(
    proposal?.files.map(({ path, edits }) => [path, edits.map(({ replace, variant }) => [variant, replace])]),
    [
      ['src/part.tsx', [['b', `<a className="btn" href="/sign-up">{t('go_create_account')}</a>`]]],
      [
        'src/locales/en.json',
        [[undefined, '"go": "Get started",\n    "go_create_account": "Create account"']],
      ],
      [
        'src/locales/fr.json',
        [[undefined, '"go": "Commencer",\n    "go_create_account": "Créer un compte"']],
      ],
      ['src/locales/pt.json', [[undefined, '"go": "Começar",\n    "go_create_account": "Começar"']]],
    ],
    'a language in which it cannot be written keeps the text that was there',
  )
  const taken = files['src/locales/en.json'].replace('"end"', '"go_create_account"')
  t.same((await wholeBatch({ ...files, 'src/locales/en.json': taken })).proposals, [], 'the key is taken')
  const braces = files['src/locales/en.json'].replace('Get started', 'Get {what}')
  t.same((await wholeBatch({ ...files, 'src/locales/en.json': braces })).proposals, [], 'code fills it in')
})

t.test('texts by key in several files: the one that is named, and none where that is not told', async (t) => {
  const code = (name: string): string => `export const Part = () => {
  const { t } = useTranslation(${name})
  return <main><a href="/sign-up">{t('go')}</a></main>
}
`
  const files = {
    'src/locales/en/start.json': '{ "go": "Get started" }\n',
    'src/locales/en/other.json': '{ "go": "Go away" }\n',
    'src/locales/de/start.json': '{ "go": "Loslegen" }\n',
  }
  const of = async (text: string): Promise<string[]> =>
    saysOf(await wholeBatch({ 'src/part.tsx': text, ...files }), 'label-names-destination sign up')
  t.same((await of(code("'start'"))).slice(1), [
    '"go": "Loslegen" → "go": "Loslegen", "go_create_account": "Konto erstellen"',
    '"go": "Get started" → "go": "Get started", "go_create_account": "Create account"',
  ])
  t.equal((await of(code('').replace("t('go')", "t('start:go')"))).length, 3)
  t.same(await of(code('')), [], 'which of the two?')
})

t.test('which files are looked at', async (t) => {
  for (const path of ['src/A.tsx', 'index.html', 'src/locales/en.json', 'i18n/de/start.json', 'app/page.js'])
    t.equal(isReadPath(path), true, path)
  for (const path of [
    'src/a.ts',
    'data/en.json',
    'node_modules/a/a.js',
    'src/A.test.tsx',
    '.env',
    'locales/en.pem',
  ])
    t.equal(isReadPath(path), false, path)
})

t.test('a label says where it leads, within the site', async (t) => {
  const of = async (link: string, rest = ''): Promise<string[]> =>
    saysOf(
      await found({ 'a.html': page(`<main><h1>The tool for you and your team</h1>${link}${rest}</main>`) }),
      'label-names-destination click',
    )
  t.same(await of('<a href="/pricing">Learn more</a>'), ['Learn more → See prices'])
  t.same(await of('<a href="/pricing.html">LEARN MORE →</a>'), ['LEARN MORE → → SEE PRICES →'])
  t.same(await of('<a href="https://other.test/pricing">Learn more</a>'), [])
  t.same(await of('<a href="/pricing">Our offers</a>'), [], 'says something already')
  t.same(await of('<a href="/about-prices">Learn more</a>'), [], 'not known')
  t.same(await of('<a href="/pricing">Learn more</a>', '<p>See prices</p>'), [], 'it is said already')
})

t.test('a form asks for less only where it says itself what it needs', async (t) => {
  const field = (name: string, more = ''): string =>
    `<Input label="${name}" name="${name.toLowerCase()}" ${more} />`
  const form = (phone: string): string =>
    component(
      `<h1>Create an account for the team</h1><form>${field('Name', 'required')}${field('Email', 'type="email" required')}${phone}${field('Password', 'type="password" autoComplete="new-password" required')}<SubmitButton>Create account</SubmitButton></form>`,
    )
  const of = async (phone: string): Promise<string[]> =>
    saysOf(await found({ 'src/register.tsx': form(phone) }), 'ask-less')
  t.match((await of(field('Phone'))).join(), /^<Input label="Phone" name="phone" {2}\/> → $/)
  t.same(await of(field('Phone', 'required')), [], 'it is needed')
  t.same(await of(field('Phone', 'defaultValue="1"')), [], 'it changes what is stored')
  t.same(await of(field('Invitation')), [], 'nobody knows what it is for')
  t.same(await of(`{shown && ${field('Phone')}}`), [], 'shown only sometimes')
  t.same(
    saysOf(await found({ 'src/profile/register.tsx': form(field('Phone')) }), 'ask-less'),
    [],
    'who has an account may give what is used later',
  )
})

t.test('what the site says elsewhere is repeated word for word, with the file that says it', async (t) => {
  const files = {
    'src/pages/about.tsx': component('<p>Used by 900 teams</p><p>The product for you and for your team</p>'),
    'src/pages/join.tsx': component(`<h1>Create your account with us</h1>${FORM}`),
  }
  const result = await wholeBatch(files)
  const proposal = result.proposals.find(({ pattern }) => pattern === 'said-elsewhere-at-sign-up proof')
  if (proposal === undefined) throw new Error(patternsOf(result).join(', '))
  t.same(proposal.evidence, [{ path: 'src/pages/about.tsx', says: 'Used by 900 teams' }])
  t.match(proposal.files[0]?.edits[0]?.replace, '<small>Used by 900 teams</small>')
  const judged = async (about: string): Promise<string> => {
    const { read } = repositoryOf({ ...files, 'src/pages/about.tsx': about })
    const grounded = await ground(proposal, { read, mayChange: () => true })
    return grounded.ok ? 'ok' : grounded.reason
  }
  t.equal(await judged(files['src/pages/about.tsx']), 'ok')
  t.equal(await judged(component('<p>Used by 800 teams</p>')), 'invented', 'it is not said any more')
})

t.test('a service that costs nothing says so on its button, and only such a one', async (t) => {
  const of = async (about: string, where = 'src/test.tsx', rest = ''): Promise<string[]> =>
    saysOf(
      await wholeBatch({
        'src/about.tsx': component(`<p>${about}</p>`),
        [where]: component(
          `<h1>Votre adresse et votre réseau</h1><button>Tester mon adresse</button>${rest}`,
        ),
      }),
      'free-on-act',
    )
  t.same(await of('Ceci est un service gratuit pour tous les habitants de la ville'), [
    'Tester mon adresse → Tester mon adresse gratuitement',
  ])
  t.same(await of('La livraison est gratuite pour tous les habitants de la ville'), [], 'something else is')
  t.same(await of('Ceci est un service gratuit pour les habitants', 'src/test.tsx', '<p>puis 9 €</p>'), [])
})

t.test('lost visitors are offered the way that the site has, and searching ones what there is', async (t) => {
  const lost = component(
    '<h1>Page not found</h1><p>The page is not there for you</p><Link href="/">Back to home</Link>',
  )
  const nav = component('<nav><Link href="/products">All of it for you and your team</Link></nav>')
  const result = await wholeBatch({ 'src/not-found.tsx': lost, 'src/nav.tsx': nav })
  t.match(saysOf(result, 'way-on-from-not-found').join(), '<Link href="/products">Browse products</Link>')
  const offered = result.proposals.find(({ pattern }) => pattern === 'way-on-from-not-found')
  t.match(offered?.hypothesis, 'either way on', 'both variants can show it')
  t.same(patternsOf(await wholeBatch({ 'src/not-found.tsx': lost })), [], 'the site has no such way')

  const results = component('<h2>Articles</h2><h2>Products</h2>')
  const search = component(
    '<p>Find what you are looking for in the shop</p><input name="q" placeholder="Search…" />',
  )
  const says = saysOf(
    await wholeBatch({ 'src/SearchResults.tsx': results, 'src/search.tsx': search }),
    'search-says-what',
  )
  t.match(says.join(), 'placeholder="Search products and articles"')
})

t.test(
  'sections of a page: what others say and the prices come earlier, the main button first',
  async (t) => {
    const home = (...parts: string[]): string => component(parts.map((one) => `<${one} />`).join('\n    '))
    const of = async (...parts: string[]): Promise<string[]> =>
      patternsOf(await wholeBatch({ 'src/home.tsx': home(...parts) }))
    t.same(await of('Hero', 'Features', 'Details', 'Testimonials', 'Footer'), ['voices-earlier'])
    t.same(await of('Hero', 'Testimonials', 'Features', 'Details', 'Footer'), [])
    t.same(await of('Features', 'Details', 'Extras', 'Testimonials'), [], 'no opening to stand after')
    t.same(await of('Hero', 'Features', 'Details', 'Extras', 'Pricing', 'Footer'), ['prices-earlier'])
    t.same(await of('Hero', 'Features', 'Pricing', 'Footer'), [], 'what it is comes before what it costs')
    t.same(
      await of('Header', 'Features', 'Details', 'ClientOnly', 'Footer'),
      [],
      'a name that only sounds like it',
    )
    const hero = (first: string, second: string): string =>
      page(
        `<div class="hero"><h1>For you and the team</h1><a class="btn ${first}" href="/a">Read it</a>\n<a class="btn ${second}" href="/b">Open an account</a></div>`,
      )
    const main = async (first: string, second: string): Promise<boolean> =>
      patternsOf(await found({ 'a.html': hero(first, second) })).includes('main-button-first')
    t.equal(await main('btn-outline-primary', 'btn-primary'), true)
    t.equal(await main('btn-primary', 'btn-outline-primary'), false)
    const asked = hero('btn-outline-primary', 'btn-primary').replace('<div', '<div class="cookie-note"><div')
    t.notOk(patternsOf(await found({ 'a.html': asked })).includes('main-button-first'), 'a consent')
  },
)

t.test('the return key presses what it pressed before', async (t) => {
  const login = (google: string): string =>
    page(
      `<h1>Log in to the site</h1><form><input type="email" name="email"><input type="password" name="p"><div><button>Log in</button>${google}</div></form>`,
    )
  const of = async (google: string): Promise<boolean> =>
    patternsOf(await found({ 'l.html': login(google) })).includes('providers-first')
  t.equal(await of('<button>Continue with Google</button>'), false, 'it would send the form')
  t.equal(await of('<button type="button">Continue with Google</button>'), true)
  const { files = [] } =
    (
      await wholeBatch({ 'l.html': login('<button type="button">Continue with Google</button>') })
    ).proposals.find(({ pattern }) => pattern === 'providers-first') ?? {}
  const replaced = files[0]?.edits[0]?.replace ?? ''
  t.ok(replaced.indexOf('Google') < replaced.indexOf('name="email"'), 'above the fields')
  t.ok(replaced.indexOf('Log in<') > replaced.indexOf('name="p"'), 'what sends stays below them')
})
