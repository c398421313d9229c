import t from 'tap'
import type { Candidate } from '../../port.js'
import { found, page, patternsOf, saysOf, wholeBatch } from '../../test/support/workspace.js'

const of = async (files: Readonly<Record<string, string>>, pattern: string): Promise<Candidate | undefined> =>
  (await wholeBatch(files)).proposals.find((one) => one.pattern === pattern)
const eventOf = (proposal: Candidate | undefined): string | undefined =>
  proposal?.conversionTargets[0]?.eventName

t.test('a part that nothing names is proposed nothing for', async (t) => {
  const part = `export const Write = () => <form><h2>Write a review for the team and you</h2><textarea name="review" /><button type="submit">Submit</button></form>\n`
  const path = 'src/components/write-box.tsx'
  const shown = async (files: Record<string, string>): Promise<boolean> =>
    patternsOf(await found({ [path]: part, ...files })).includes('send-names-thing')
  t.same(patternsOf(await found({ [path]: part })), ['send-names-thing'], 'its pages are somewhere else')
  const alone = await found({ [path]: part, 'src/pages/a.tsx': 'export const A = () => <p>All of it</p>\n' })
  t.same(alone.proposals, [])
  t.same(alone.dropped, [{ reason: 'never_shown', count: 1 }])
  t.equal(await shown({ 'src/pages/a.tsx': 'export const A = () => <WriteBox />\n' }), true, 'a tag')
  t.equal(await shown({ 'src/pages/a.vue': '<template><write-box /></template>\n' }), true)
  t.equal(await shown({ 'src/router.ts': "const a = () => import('./components/write-box')\n" }), true)
  t.equal(await shown({ 'src/a.js': "const a = import.meta.glob('./components/*.tsx')\n" }), true)
  t.equal(await shown({ 'astro.config.mjs': '' }), true, 'pages of kinds that are not read may name it')
  t.equal(await shown({ 'src/pages/a.tsx': 'export const A = () => <p>WriteBox of all</p>\n' }), false)
  t.same(patternsOf(await found({ 'src/pages/write-box.tsx': part })), ['send-names-thing'], 'a page')
})

t.test('a part that only parts name which nobody names is proposed nothing for', async (t) => {
  const part = `export const Write = () => <form><h2>Write a review for the team and you</h2><textarea name="review" /><button type="submit">Submit</button></form>\n`
  const path = 'src/components/write-box.tsx'
  const shown = async (files: Record<string, string>): Promise<boolean> =>
    patternsOf(
      await found({
        [path]: part,
        'src/pages/start.tsx': 'export default () => <main><p>All of it</p></main>\n',
        ...files,
      }),
    ).includes('send-names-thing')
  const takes = (name: string, from: string): string =>
    `import { ${name} } from '${from}'\nexport const Holder = () => <div><${name} /></div>\n`
  const holder = { 'src/components/holder.tsx': takes('WriteBox', './write-box') }
  const page = { 'src/pages/a.tsx': takes('Holder', '../components/holder') }
  t.equal(await shown(holder), false, 'nobody names the one that names it')
  t.equal(await shown({ ...holder, ...page }), true)
  const around = { ...holder, 'src/components/write-box-head.tsx': takes('Holder', './holder') }
  t.equal(await shown(around), false, 'three of them name each other alone')
  t.equal(
    await shown({ 'src/components/write-box.test.tsx': takes('WriteBox', './write-box') }),
    false,
    'a test',
  )
  const handed = {
    'src/components/index.ts': "export { WriteBox } from './write-box'\nexport { Other } from './other'\n",
  }
  t.equal(await shown(handed), false, 'it is handed on, and nobody takes it')
  t.equal(await shown({ ...handed, 'src/pages/a.tsx': takes('WriteBox', '../components') }), true)
  const renamed = { 'src/components/index.ts': "export { Write as Review } from './write-box'\n" }
  t.equal(
    await shown({ ...renamed, 'src/pages/a.tsx': takes('Review', '../components') }),
    true,
    'by another name',
  )
  const all = { 'src/components/index.ts': "export * from './write-box'\n" }
  t.equal(
    await shown({ ...all, 'src/pages/a.tsx': takes('Write', '../components') }),
    true,
    'with all that it has',
  )
  t.equal(
    await shown({ ...holder, 'node_modules/kit/docusaurus.config.js': '' }),
    false,
    'the kit of somebody else’s pages',
  )
})

t.test('pages on which somebody tries things out are no visitors’', async (t) => {
  const text = page(
    '<h1>Write a review for the team and you</h1><form><textarea name="review"></textarea><button>Submit</button></form>',
  )
  const shown = async (path: string): Promise<boolean> =>
    patternsOf(await found({ [path]: text })).includes('send-names-thing')
  t.equal(await shown('review.html'), true)
  for (const path of [
    'test-review.html',
    'review_test.html',
    '_archive/review.html',
    'site/test-files/review.html',
    '.vercel/output/static/review.html',
  ])
    t.equal(await shown(path), false, path)
  t.equal(await shown('test-drive.html'), true)
})

t.test('screens of programs for phones are no pages', async (t) => {
  const screen = (from: string): string =>
    `import { View } from '${from}'\nexport const Join = () => <View><h2>Write a review for the team and you</h2><form><textarea name="review" /><button type="submit">Submit</button></form></View>\n`
  const shown = async (from: string): Promise<boolean> =>
    patternsOf(await found({ 'src/pages/join.tsx': screen(from) })).includes('send-names-thing')
  t.equal(await shown('../view'), true)
  t.equal(await shown('react-native'), false)
})

t.test('what a site was begun with, and speaks another language, is proposed nothing for', async (t) => {
  const form = page(
    '<h1>Write a review for the team and you</h1><form><textarea name="review"></textarea><button>Submit</button></form>',
  )
  const own =
    '<h1>Unsere Boote und die Mannschaft für euch</h1><p>Das sind die Boote, die wir für euch haben, und das ist die Mannschaft dazu.</p>'
  const shown = async (files: Record<string, string>): Promise<boolean> =>
    patternsOf(await found(files)).includes('send-names-thing')
  const german = (name: string): Record<string, string> => ({ [`${name}.html`]: page(own) })
  t.equal(await shown({ 'review.html': form, ...german('a') }), true, 'as many files speak it')
  t.equal(await shown({ 'review.html': form, ...german('a'), ...german('b') }), false)
  t.equal(await shown({ 'en/review.html': form, ...german('a'), ...german('b') }), true, 'a folder for it')
})

t.test('what a form sends is said by itself, and not by what stands around it', async (t) => {
  const form = (inner: string, before = ''): string =>
    page(
      `<div><h2>Delete the conversation and the review for you</h2>${before}<div><form>${inner}<button type="submit">Send</button></form></div></div>`,
    )
  const says = async (path: string, text: string): Promise<number> =>
    saysOf(await found({ [path]: text }), 'send-names-thing').length
  t.equal(await says('a.html', form('<textarea name="review"></textarea>')), 1)
  t.equal(await says('a.html', form('<textarea name="words"></textarea>')), 0, 'another heading')
  t.equal(await says('conversations/a.html', form('<textarea name="comment"></textarea>')), 0)
  t.equal(
    eventOf(await of({ 'a.html': form('<textarea name="review"></textarea>') }, 'send-names-thing')),
    'form_submitted',
  )
  const many = ['a', 'b', 'c']
    .map((name) => `<label>The ${name} of it<input name="${name}"></label>`)
    .join('')
  const passwords = '<input type="password" id="current"><input type="password" id="new">'
  const profile = async (inner: string): Promise<number> =>
    saysOf(await found({ 'a.html': form(inner) }), 'submit-label profile').length
  t.equal(await profile(passwords), 1)
  t.equal(await profile(many + passwords), 0, 'passwords are a part of something larger')
})

t.test('a comment below an article is no message', async (t) => {
  const form = (area: string): string =>
    page(
      `<h2>Write to us, all of you</h2><form><input type="email" name="email"><textarea name="${area}"></textarea><button>Submit</button></form>`,
    )
  const says = async (area: string): Promise<number> =>
    saysOf(await found({ 'article.html': form(area) }), 'submit-label contact').length
  t.equal(await says('message'), 1)
  t.equal(await says('comment'), 0)
})

t.test('to try again is only said where one can', async (t) => {
  const failed = (rest: string, beside = ''): string =>
    page(`<h1>All of it for you and the team</h1><div><p>Something went wrong</p>${beside}</div>${rest}`)
  const says = async (path: string, text: string): Promise<number> =>
    saysOf(await found({ [path]: text }), 'dead-end error').length
  const form = '<form><input name="a"><button>Go on</button></form>'
  t.equal(await says('a.html', failed(form)), 1)
  t.equal(await says('a.html', failed('')), 0, 'nothing to try again with')
  t.equal(await says('error.html', failed(form)), 0, 'a page of errors')
  t.equal(
    await says('a.html', failed(`${form}<p>The link, an expired token</p>`)),
    0,
    'a link that has run out',
  )
})

t.test('the event is one that the change can move', async (t) => {
  const opening = (href: string, rest = ''): string =>
    page(
      `<main><h1>The tool for you and your team</h1><div><a class="btn btn-primary" href="${href}">Get started</a><a class="btn" href="https://code.example.org">See the code</a></div>${rest}</main>`,
    )
  const event = async (href: string, rest?: string): Promise<string | undefined> =>
    eventOf(await of({ 'index.html': opening(href, rest) }, 'one-way-on'))
  t.equal(await event('/start', '<a href="/sign-up">Sign up</a>'), 'signup_completed')
  t.equal(await event('/start'), 'cta_clicked', 'nobody can sign up')
  t.equal(await event('/docs/start', '<a href="/sign-up">Sign up</a>'), 'cta_clicked', 'one reads there')
  const plan = (name: string, price: string, label: string): string =>
    `<div class="plan"><h3>${name}</h3><p>${price}</p><a class="btn" href="/x">${label}</a></div>`
  const plans = async (label: string): Promise<string | undefined> => {
    const row = [plan('Small', '$1', label), plan('Middle', '$2', label), plan('Large', '$3', label)]
    const text = page(`<h1>The plans for you and the team</h1><div>${row.join('\n')}</div>`)
    const { proposals } = await found({ 'p.html': text })
    return eventOf(proposals.find(({ pattern }) => pattern === 'plans-dearest-first'))
  }
  t.equal(await plans('Contact us'), 'contact_sent')
  t.equal(await plans('Buy it'), 'plan_selected')
})

t.test('products come first on a start page, past what is known for what it is', async (t) => {
  const home = (...parts: string[]): string =>
    `export default () => (\n  <div>\n    ${parts.map((one) => `<${one} />`).join('\n\n    ')}\n  </div>\n)\n`
  const first = (path: string, ...parts: string[]): Promise<Candidate | undefined> =>
    of({ [path]: home(...parts) }, 'products-first')
  const proposal = await first('app/[locale]/(shop)/page.tsx', 'Hero', 'Collections', 'ProductList')
  t.equal(proposal?.name, 'Show the products before the categories')
  t.notMatch(proposal?.files[0]?.edits[0]?.replace ?? '', /\n[ \t]*\n[ \t]*\n|^[ \t]+$/m, 'no empty lines')
  t.equal(
    await first('src/views/shop/index.jsx', 'Hero', 'Collections', 'ProductList'),
    undefined,
    'a page below',
  )
  t.equal(await first('app/page.tsx', 'Collections', 'ProductList'), undefined, 'the page opens with it')
  for (const before of ['AppliedFilters', 'Slideshow', 'SortBar', 'Breadcrumbs', 'Whatever'])
    t.equal(await first('app/page.tsx', 'Hero', before, 'ProductList'), undefined, before)
})

t.test(
  'sections are called as visitors see them and not as the code does, and none is made of stand-in words',
  async (t) => {
    const home = (voices: string): string =>
      `export const Home = () => (\n  <div>\n    <div>\n      <Hero />\n      <FeaturesGrid />\n      <AIReady />\n      ${voices}\n      <Footer />\n    </div>\n  </div>\n)\n`
    const proposal = await of({ 'src/home.tsx': home('<LargeTestimonial />') }, 'voices-earlier')
    t.equal(proposal?.name, 'Show what others say right after the opening')
    t.match(proposal?.hypothesis, 'right after the opening, and not only after 2 other sections, increases')
    const part = (words: string): string => `export const Part = () => <section><h2>${words}</h2></section>\n`
    const named = await of(
      {
        'src/home.tsx': home('<LargeTestimonial />'),
        'src/parts/FeaturesGrid.tsx': part('All it can do'),
        'src/parts/LargeTestimonial.tsx': part('They like it'),
      },
      'voices-earlier',
    )
    t.equal(named?.name, 'Show what others say right after the opening: “They like it”')
    t.match(named?.hypothesis, 'after 2 other sections (“All it can do”, …), increases')
    t.notMatch(proposal?.files[0]?.edits.map(({ replace }) => replace).join('\n'), /^[ \t]+$/m)
    const standIn = home(
      '<section id="testimonials"><h2>What they say</h2><p>Lorem ipsum dolor sit amet</p></section>',
    )
    t.equal(await of({ 'src/home.tsx': standIn }, 'voices-earlier'), undefined)
  },
)

t.test('what some languages do not get is said, and ranks lower', async (t) => {
  const code = `export const Part = () => {\n  const t = useTranslations('Start')\n  return <a className="btn" href="/sign-up">{t('go')}</a>\n}\n`
  const texts = (words: string): string => `{\n  "Start": {\n    "go": "${words}"\n  }\n}\n`
  const files = { 'src/part.tsx': code, 'src/locales/en.json': texts('Get started') }
  const pattern = 'label-names-destination sign up'
  const all = await of({ ...files, 'src/locales/de.json': texts('Loslegen') }, pattern)
  const some = await of({ ...files, 'src/locales/pt.json': texts('Começar') }, pattern)
  t.notMatch(all?.reasons.join(), 'other languages')
  t.match(some?.reasons.join(), 'Visitors of the other languages (pt) see no difference')
  t.ok((some?.score ?? 0) < (all?.score ?? 0))
})
