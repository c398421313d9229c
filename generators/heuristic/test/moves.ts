import t from 'tap'
import type { Candidate } from '../../port.js'
import { found } from '../../test/support/workspace.js'

const home = (parts: readonly string[]): string =>
  `export const Home = () => (\n  <main>\n    ${parts.map((one) => `<${one} />`).join('\n    ')}\n  </main>\n)\n`
const ROW = ['Hero', 'Features', 'Team', 'Testimonials', 'Call', 'Footer']
const section = (heading: string, className = 'py-8', inner = ''): string =>
  `<section className="${className}"><h2>${heading}</h2>${inner}<p>For all of you and the team</p></section>`
const QUOTES = '<blockquote>It is good</blockquote><blockquote>So it is</blockquote>'
const VOICES = section('They like it', 'py-8', QUOTES)

const ACT = '<a className="btn" href="/x">Start now</a>'
const HERO = `<section><h1>The tool for you</h1>${ACT}</section>`
const CALL = section('Begin today', 'py-8', ACT)

const partsOf = (looks: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(looks).map(([name, look]) => [
      `src/parts/${name}.tsx`,
      `export default function ${name}() {\n  return ${look}\n}\n`,
    ]),
  )

/** The move of what others say on a start page whose parts look as given, `undefined` where there is none. */
async function moved(
  looks: Readonly<Record<string, string>>,
  row: readonly string[] = ROW,
): Promise<Candidate | undefined> {
  const files = {
    ...partsOf({ Hero: HERO, Testimonials: VOICES, Call: CALL, ...looks }),
    'src/home.tsx': home(row),
  }
  return (await found(files)).proposals.find(({ pattern }) => pattern === 'voices-earlier')
}
const nameOf = async (...given: Parameters<typeof moved>): Promise<string | undefined> =>
  (await moved(...given))?.name

t.test('two blocks of one background are not brought together', async (t) => {
  const dark = section('Dark', 'py-8 bg-gray-900')
  t.ok(await moved({ Team: dark, Call: section('Now') }))
  t.notOk(await moved({ Team: dark, Call: dark }), 'what stood between them parted them')
  const card = '<section><div className="px-4"><div className="bg-gray-900 p-8">Now</div></div></section>'
  t.notOk(await moved({ Team: dark, Call: card }), 'a card without space around it')
  const striped = { Hero: section('Title'), Features: section('A', 'bg-gray-50'), Team: section('B') }
  t.notOk(
    await moved({
      ...striped,
      Testimonials: section('They like it', 'bg-gray-50', QUOTES),
      Call: section('N'),
    }),
    'every second one has a background',
  )
})

t.test('what has no space of its own stands after no opening', async (t) => {
  const close = { Testimonials: section('They like it', 'pt-0', QUOTES) }
  const row = ['Hero', 'Features', 'Team', 'Extras', 'Testimonials', 'Footer']
  const plain = { Features: section('What it does'), Team: section('Us'), Extras: section('More') }
  t.equal(await nameOf(plain, row), 'Show what others say right after the opening: “They like it”')
  t.equal(
    await nameOf({ ...plain, ...close }, row),
    'Show what others say after “What it does”: “They like it”',
  )
  t.notOk(
    await moved({ ...plain, ...close, Features: section('A', 'bg-dark') }, row),
    'nor after a background',
  )
  t.notOk(await moved(close, row), 'nor after what nobody knows')
  const shelled = [
    'Hero',
    'Features',
    'Team',
    'Extras',
    'FadeIn><Box padding={false}><Testimonials /></Box></FadeIn',
  ]
  const wrapped = await found({
    'src/home.tsx': home(shelled).replace('</FadeIn />', '</FadeIn>'),
    ...partsOf({ ...plain, Hero: HERO, Testimonials: VOICES }),
  })
  const names = wrapped.proposals.flatMap(({ pattern, name }) => (pattern === 'voices-earlier' ? name : []))
  t.same(names, ['Show what others say after “What it does”: “They like it”'], 'what is around it has none')
})

t.test('an opening keeps its own picture, and what stands second is said so', async (t) => {
  const row = ['Hero', 'Preview', 'Features', 'Team', 'Testimonials', 'Footer']
  const picture = '<div className="pb-6"><div><Image src="a.png" alt="The list of it" /></div></div>'
  t.equal(
    await nameOf({ Preview: picture }, row),
    'Show what others say right after the opening and its picture: “They like it”',
  )
  t.equal(
    await nameOf({ Preview: section('What it looks like') }, row),
    'Show what others say right after the opening: “They like it”',
  )
  const slides = ['Hero', 'UsedByCarousel', 'Features', 'Team', 'Testimonials', 'Footer']
  t.equal(
    await nameOf({ UsedByCarousel: section('Used by') }, slides),
    'Show what others say after “Used by”: “They like it”',
  )
})

t.test('one voice is no proof, and the button that is measured is named', async (t) => {
  const one = section('They like it', 'py-8', '<blockquote>It is good</blockquote>')
  const many = await moved({})
  const alone = await moved({ Testimonials: one })
  t.ok((alone?.score ?? 9) < (many?.score ?? 0))
  t.match(many?.hypothesis, 'when any link to /x is pressed, wherever it stands')
  const only = await moved({ Call: section('Begin today') })
  t.ok((only?.score ?? 9) < (many?.score ?? 0), 'who has read it has nothing to press')
  const asked = ['Hero', 'QuoteForm', 'Features', 'Team', 'Testimonials', 'Call', 'Footer']
  const plainly = asked.map((name) => name.replace('QuoteForm', 'Extras'))
  t.ok(await moved({}, plainly))
  t.notOk(await moved({}, asked), 'what is filled in comes first')
  const elsewhere = await moved({ Hero: HERO.replace('/x', 'https://github.com/x') })
  t.ok((elsewhere?.score ?? 9) < (many?.score ?? 0), 'what others have is no aim')
})

t.test('what calls to come along, or leads away, is no voice; an opening may have said it', async (t) => {
  const called = section('Join our community', 'py-8', '<p>It is good</p>')
  t.notOk(await moved({ Testimonials: called }))
  const out = (href: string): string => `<a href="${href}">read</a>`
  const away = section('They like it', 'py-8', out('https://a.example') + out('https://b.example'))
  t.notOk(await moved({ Testimonials: away }))
  t.ok(await moved({ Testimonials: section('They like it', 'py-8', out('/a') + out('/b')) }))
  const listed = section('They like it', 'py-8', `{all.map((one) => ${out('https://a.example')})}`)
  t.ok(await moved({ Testimonials: listed }), 'the source of each')
  const score = async (more: string): Promise<number> =>
    (await moved({ Hero: HERO.replace('</h1>', `</h1>${more}`) }))?.score ?? 0
  t.ok((await score('<p>Trusted by many</p>')) < (await score('<p>Made by many</p>')))
  t.ok((await score('<CustomerLogos />')) < (await score('<Pictures />')))
})

t.test('a page asks again at its end, in its own words', async (t) => {
  const WORDS = '<p>And this is what there is to say of it, for all of you and for the rest of the team.</p>'
  const act = '<a className="btn bg-blue-600 px-4 py-2" href="/join">Start now</a>'
  const part = (inner: string): string =>
    `<section className="py-8"><div className="px-4">${inner}${WORDS}</div></section>`
  const asks = async (first: string, last = ''): Promise<Candidate | undefined> => {
    const parts = [
      `<h1>The tool for you</h1>${first}`,
      '<h2>What it does</h2>',
      '<h2>Who makes it</h2>',
      `<h2>What you ask</h2>${last}`,
    ]
    const page = `export const Home = () => (\n  <main className="mx-auto">\n    ${parts.map(part).join('\n    ')}\n  </main>\n)\n`
    return (await found({ 'src/pages/home.tsx': page })).proposals.find(
      ({ pattern }) => pattern === 'ask-again-at-end',
    )
  }
  const again = await asks(act)
  t.match(again?.files[0]?.edits[0]?.replace, 'Start now</a></div></div>', 'with space, within the width')
  t.notOk(await asks(act, act), 'it asks there')
  t.notOk(await asks('<a className="btn" href="/births">Registering a birth</a>'), 'it asks for nothing')
  const inPage = act.replace('/join', '#end')
  t.ok(await asks(inPage))
  t.notOk(await asks(inPage, '<div id="end">All of it</div>'), 'it leads to where one is')
  t.notOk(await asks(act, '<ContactForm />'), 'one is asked there')
  t.notOk(await asks(act, '<BookingCalendar />'), 'one chooses a day there')
  t.notOk(await asks(act, '<CtaBox />'), 'so calls a part of its own')
  t.notOk(await asks('<Lead submitLabel="Start now" />'), 'a label that a part is given is no button')
  const two = (first: string, second: string): Promise<Candidate | undefined> => {
    const parts = ['What it does', 'Who makes it', 'What you ask', 'Where we are'].map((name) =>
      part(`<h2>${name}</h2>`),
    )
    const opens = `<section className="hero"><h1>The tool for you</h1>${act}${WORDS}</section>`
    const text = `export const Home = () => {\n  ${first} <main className="mx-auto">${opens}${second}<div>\n    ${parts.join('\n    ')}</div></main>\n}\n`
    return found({ 'src/pages/home.tsx': text }).then(({ proposals }) =>
      proposals.find(({ pattern }) => pattern === 'ask-again-at-end'),
    )
  }
  t.ok(await two('return', ''))
  t.notOk(await two('if (!user) return', '</main>\n  return <main className="mx-auto">'), 'others see that')
})

t.test('what a site says of itself is no voice', async (t) => {
  const of = async (name: string): Promise<boolean> => {
    const row = ['Hero', 'Features', 'Team', 'Extras', name, 'Call', 'Footer']
    const files = partsOf({ Hero: HERO, [name]: VOICES, Call: CALL })
    return (await found({ ...files, 'src/home.tsx': home(row) })).proposals.some(
      ({ pattern }) => pattern === 'voices-earlier',
    )
  }
  t.ok(await of('Quotes'))
  t.notOk(await of('Quote'), 'a motto, or what a price is asked by')
})

t.test('what draws a section up stays with it', async (t) => {
  const row = ['Hero', 'Features', 'Team', 'Extras', 'Testimonials', 'Call', 'Footer']
  const files = (between: string): Record<string, string> => ({
    ...partsOf({ Hero: HERO, Testimonials: VOICES, Call: CALL }),
    'src/home.tsx': home(row).replace('<Testimonials />', `${between}<Testimonials />`),
  })
  const of = async (between: string): Promise<boolean> =>
    (await found(files(between))).proposals.some(({ pattern }) => pattern === 'voices-earlier')
  t.ok(await of('<div className="py-2"><p>All of it</p></div>'))
  t.notOk(await of("<div style={{ marginBottom: '-80px' }} />"))
})

t.test('what is filled in on the way comes no later', async (t) => {
  const row = ['Hero', 'Features', 'Team', 'Reserve', 'Testimonials', 'Call', 'Footer']
  const of = async (own: string): Promise<boolean> => {
    const { proposals } = await found({
      ...partsOf({ Hero: HERO, Reserve: own, Testimonials: VOICES, Call: CALL }),
      'src/home.tsx': home(row),
    })
    return proposals.some(({ pattern }) => pattern === 'voices-earlier')
  }
  t.ok(await of('<section><h2>Where we are</h2><p>All of it is here for you</p></section>'))
  t.notOk(await of('<section><h2>Where we are</h2><form><input name="day" /></form></section>'))
})
