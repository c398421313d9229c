import t from 'tap'
import { batch, found, saysOf } from '../../test/support/workspace.js'

const shown = async (
  files: Readonly<Record<string, string>>,
  pattern: string,
): Promise<{ replaced: string[]; goal: string | undefined }> => {
  const all = await batch(files)
  const own = all.proposals.find((one) => one.pattern === pattern)
  return { replaced: saysOf(all, pattern), goal: own?.conversionTargets[0]?.eventName }
}

t.test('a bar keeps the way to act in sight on phones, beside the menu', async (t) => {
  const home =
    'import { Bar } from "../components/Bar"\nexport default () => <main><Bar /><h1>Boats for you and the team</h1><p>All that we have is here.</p></main>\n'
  const joins = 'export default () => <main><h1>Ask us for a quote</h1></main>\n'
  const burger =
    '<button className="p-2 lg:hidden" aria-label="Open menu" onClick={() => open(true)}><MenuIcon /></button>'
  const act =
    '<Link href="/quote-contact" className="hidden lg:inline-flex rounded bg-teal-700 px-6 py-3 text-white">Get a quote</Link>'
  const bar = (inner: string, own = 'sticky top-0'): string =>
    `export const Bar = () => (\n  <header className="${own} flex justify-between">\n    <Link href="/">Acme</Link>\n    <nav className="hidden lg:flex">\n      <Link href="/boats">Boats</Link>\n      <Link href="/about">About</Link>\n    </nav>\n    ${inner}\n  </header>\n)\n`
  const pattern = 'act-in-bar-on-phones'
  const of = async (inner: string, own?: string, path = 'src/components/Header.tsx'): Promise<string[]> =>
    (
      await shown(
        {
          [path]: bar(inner, own),
          'src/app/page.tsx': home.replace('components/Bar', path.replace(/^src\/|\.tsx$/g, '')),
          'src/app/quote-contact/page.tsx': joins,
        },
        pattern,
      )
    ).replaced
  t.same(
    await of(`${act}\n    ${burger}`),
    [`${act} → ${act.replace('hidden lg:inline-flex', 'inline-flex').replace('px-6', 'px-3 lg:px-6')}`],
    'hidden by itself: it is shown, and narrower on phones',
  )
  const alone = `<div className="hidden lg:block">${act.replace('hidden lg:inline-flex ', '')}</div>`
  t.same(
    await of(`${alone}\n    ${burger}`),
    [`${alone} → ${alone.replace('hidden lg:block', 'block').replace('px-6', 'px-3 lg:px-6')}`],
    'what is around it alone is shown, the way narrower on phones',
  )
  const roomy = alone.replace('lg:block', 'lg:block ml-12').replace('text-white', 'text-white text-lg')
  t.match(
    (await of(`${roomy}\n    ${burger}`))[0]?.split(' → ')[1],
    /^<div className="block ml-3 lg:ml-12">.*px-3 lg:px-6 py-3 text-white text-base lg:text-lg"/,
    'room beside it and large letters are for wide screens',
  )
  const stars = '<StarIcon />'.repeat(6)
  t.same(
    await of(`${act.replace('Get a quote', `${stars}Get a quote now`)}\n    ${burger}`),
    [],
    'signs take room too',
  )
  const beside = `<div className="hidden lg:flex"><Link href="/login">Log in</Link>${act.replace('hidden lg:inline-flex ', '')}</div>`
  const [copied = ''] = await of(`${beside}\n    ${burger}`)
  t.match(
    copied,
    '<div className="ml-auto mr-3 shrink-0 lg:hidden">',
    'with others beside it: once more beside the menu',
  )
  t.match(copied, 'px-3 py-2 text-white whitespace-nowrap')
  t.match(copied, `</div>\n    ${burger}`)
  t.same(await of(`${act}\n    ${burger}`, 'relative'), [], 'the bar scrolls away')
  const sound = await of(`${act}\n    ${burger}`, 'fixed top-0')
  t.equal(sound.length, 1, 'fixed')
  const layout = (own: string): string =>
    `import { Bar } from "../components/Header"\nexport default ({ children }) => <body><div className="${own}"><Bar /><Header />{children}</div></body>\n`
  const within = async (
    own: string,
    bars = 'sticky top-0',
    more: Readonly<Record<string, string>> = {},
  ): Promise<number> =>
    (
      await shown(
        {
          'src/components/Header.tsx': bar(`${act}\n    ${burger}`, bars),
          'src/app/layout.tsx': layout(own),
          'src/app/page.tsx': home.replace('components/Bar', 'components/Header'),
          'src/app/quote-contact/page.tsx': joins,
          ...more,
        },
        pattern,
      )
    ).replaced.length
  t.match(
    (await of(`${alone}\n    ${burger}`, 'sticky top-0 grid'))[0],
    / → <div className="block justify-self-end lg:justify-self-auto">/,
    'in a grid it stands beside the menu',
  )
  t.same(await of(`${act}\n    ${burger}`, 'fixed top-0 -translate-y-full'), [], 'it slides out of sight')
  t.equal(await within('min-h-screen'), 1)
  t.equal(await within('min-h-screen overflow-x-hidden'), 0, 'what cuts it off carries it away')
  t.equal(await within('min-h-screen overflow-x-hidden', 'fixed top-0'), 1, 'but not what is fixed')
  const pill = (own: string): Record<string, string> => ({
    'src/components/Pill.tsx': `export const Pill = () => <a href="tel:123" className="${own} fixed bottom-4 right-4">Call</a>\n`,
  })
  t.equal(await within('min-h-screen', 'sticky top-0', pill('')), 0, 'one can call all the while')
  t.equal(await within('min-h-screen', 'sticky top-0', pill('hidden md:block')), 1, 'not on phones')
  const form = (own: string): Record<string, string> => ({
    'src/app/quote-contact/page.tsx': `export default () => <main><h1>Ask us for a quote</h1><form ${own}><label>E-mail <input type="email" id="email" /></label><button type="submit">Send</button></form></main>\n`,
  })
  t.equal(await within('min-h-screen', 'sticky top-0', form('onSubmit={send}')), 1)
  t.equal(await within('min-h-screen', 'sticky top-0', form('')), 0, 'nobody takes what is filled in there')
  const logo = (inner: string): Record<string, string> => ({
    'src/components/Header.tsx': bar(`${act}\n    ${burger}`).replace('>Acme<', '><Logo /><'),
    'src/components/Logo.tsx': `export const Logo = () => <div className="flex"><img src="/logo.svg" alt="" className="h-11 w-11" />${inner}</div>\n`,
  })
  t.equal(await within('min-h-screen', 'sticky top-0', logo('<span>Acme</span>')), 1)
  t.equal(
    await within('min-h-screen', 'sticky top-0', logo('<span>The Acme Boats of Harbour</span>')),
    0,
    'the name stands in another file',
  )
  t.equal(await within('min-h-screen', 'sticky top-0', logo('<span>{t("name")}</span>')), 0, 'code gives it')
  t.equal((await of(`${act}\n    <Cart />\n    ${burger}`)).length, 1)
  t.same(
    await of(`${act}\n    <LanguageSwitcher />\n    <ThemeToggle />\n    ${burger}`),
    [],
    'parts of the site take the room',
  )
  const opens = (own: string): string =>
    `<button type="button" ${own} className="hidden lg:inline-flex rounded bg-teal-700 px-4 py-3 text-white">Get a quote</button>\n    ${burger}`
  t.equal((await of(opens('onClick={() => setAsking(true)}'))).length, 1, 'code answers it')
  t.same(await of(opens('')), [], 'nothing answers it')
  t.same(await of(opens('aria-expanded={more} onClick={() => setMore(!more)}')), [], 'it opens a menu')
  const told = act.replace('Get a quote', '{t("nav.quote")}').replace('quote-contact', 'free-quote')
  t.equal((await of(`${told}\n    ${burger}`)).length, 1, 'code gives its words')
  t.same(await of(`${told.replace('free-quote', 'boats')}\n    ${burger}`), [], 'it may lead anywhere')
  t.same(await of(act), [], 'there is no menu')
  t.same(await of(`${act}\n    <a href="tel:123">Call</a>\n    ${burger}`), [], 'one can call already')
  t.same(
    await of(
      `${act}\n    <div className="flex lg:hidden"><a href="https://photos.test/acme"><PhotoIcon /></a><a href="tel:123"><PhoneIcon /></a>${burger}</div>`,
    ),
    [],
    'beside what opens the menu too',
  )
  t.same(
    await of(`${act}\n    <Link href="/buy" className="btn btn-primary">Buy</Link>\n    ${burger}`),
    [],
    'another act is in sight',
  )
  t.match(
    (await of(`{user && ${act}}\n    ${burger}`))[0],
    /→ .*className="inline-flex/,
    'where code decides who sees it, that holds on phones too',
  )
  const plain = act.replace('hidden lg:inline-flex ', '')
  const asked = (inner: string): string => `<div className="hidden lg:flex">${inner}</div>\n    ${burger}`
  const signs = '<Link href="/login">Log in</Link>'
  t.match(
    (await of(asked(`{!user && <>${signs}${plain}</>}`)))[0],
    /\{!user && \(<div className="ml-auto mr-3 shrink-0 lg:hidden">/,
    'a copy is there where it is',
  )
  t.match(
    (await of(asked(`{user ? <Menu /> : <>${signs}${plain}</>}`)))[0],
    /\{!user && \(<div/,
    'also where something else is there otherwise',
  )
  t.same(await of(asked(`{user?.id === 1 && <>${signs}${plain}</>}`)), [], 'it is not told in a word')
  t.same(await of(asked(`{list.map(() => <>${signs}${plain}</>)}`)), [], 'there are many')
  t.same(
    await of(`${act.replace('Get a quote', 'Log in')}\n    ${burger}`),
    [],
    'for those who have an account',
  )
  t.same(
    await of(`${act.replace('Get a quote', 'Get a quote for all of your boats')}\n    ${burger}`),
    [],
    'too long a label',
  )
  t.same(await of(`${act}\n    ${burger}`, undefined, 'src/components/admin/Header.tsx'), [], 'for staff')
  const wide = bar(`${act}\n    ${burger}`).replace('>Acme<', '>The Acme Boat Company of Harbour<')
  t.same(
    (
      await shown(
        {
          'src/components/Header.tsx': wide,
          'src/app/page.tsx': home.replace('components/Bar', 'components/Header'),
        },
        pattern,
      )
    ).replaced,
    [],
    'no room is left',
  )
})

t.test('a long start page keeps its way to act at the lower edge on phones', async (t) => {
  const pattern = 'act-below-on-phones'
  const part = (name: string): string =>
    `<section className="py-16"><h2>${name}</h2><p>All that there is to know of ${name} for you and for the team, in a few words, and a bit more of it.</p></section>`
  const parts = ['Boats', 'Sails', 'Crew', 'Harbour', 'Weather'].map(part).join('\n      ')
  const act =
    '<Link href="/book" className="inline-block rounded bg-teal-700 px-6 py-3 text-white">Book a boat</Link>'
  const start = (inner: string, own = 'bg-white'): string =>
    `import Link from "next/link"\nexport default () => (\n    <div className="${own}">\n      <section className="py-20"><h1>Boats for the day</h1><p>For you and the team</p>${act}</section>\n      ${inner}\n    </div>\n)\n`
  const book = 'export default () => <main><h1>Book one of the boats</h1></main>\n'
  const of = (files: Record<string, string>): Promise<string[]> =>
    shown({ 'src/app/book/page.tsx': book, ...files }, pattern).then(({ replaced }) => replaced)
  const [told = ''] = await of({ 'src/app/page.tsx': start(parts) })
  t.match(
    told,
    '<div className="sticky bottom-4 z-40 flex justify-center px-4 [filter:drop-shadow(0_0_1px_rgb(255_255_255/0.9))_drop-shadow(0_4px_10px_rgb(0_0_0/0.35))] md:hidden">',
  )
  t.match(told, `  ${act}\n      </div>`)
  const [full = ''] = await of({
    'src/app/page.tsx': start(parts).replace(
      'inline-block rounded bg-teal-700 px-6',
      'block w-full rounded bg-teal-700',
    ),
  })
  t.match(
    full,
    '"inline-block rounded bg-teal-700 py-3 text-white px-8"',
    'no wider than its words, it has space',
  )
  const [apart = ''] = await of({ 'src/app/page.tsx': start(parts, 'flex flex-col gap-24') })
  t.match(apart, 'sticky bottom-4 z-40 -mt-24 flex', 'the page has no second gap at its end')
  const [cut = ''] = await of({ 'src/app/page.tsx': start(parts, 'overflow-x-hidden') })
  t.match(cut, 'className="fixed inset-x-0 bottom-4', 'what cuts off keeps nothing in sight')
  const none = async (files: Record<string, string>, why: string): Promise<void> =>
    void t.same(await of(files), [], why)
  await none({ 'src/app/page.tsx': start(part('Boats')) }, 'a short page')
  await none(
    { 'src/app/page.tsx': start(`${parts}<form><input name="email" /></form>`) },
    'one asks on the page',
  )
  await none({ 'src/app/offers/page.tsx': start(parts) }, 'no start page')
  await none(
    {
      'src/app/page.tsx': start(
        `${parts}<div className="fixed bottom-4 right-4"><a href="https://wa.me/49123456">Chat</a></div>`,
      ),
    },
    'something is there already',
  )
  await none({ 'src/app/page.tsx': start(`${parts}<WhatsAppButton />`) }, 'something floats')
  const consent =
    'export const CookieConsent = () => <div className="fixed bottom-0 p-4 bg-white"><p>We have cookies for you</p></div>\n'
  t.equal(
    (await of({ 'src/app/page.tsx': start(parts), 'src/components/CookieConsent.tsx': consent })).length,
    1,
  )
  const header = (own: string): string =>
    `export const Header = () => <header className="sticky top-0"><nav><Link href="/">Acme</Link><Link href="/boats">Boats</Link></nav>${act.replace('inline-block', own)}<button className="lg:hidden" aria-label="Open menu" onClick={() => open(true)}><MenuIcon /></button></header>\n`
  const withBar = (own: string): Record<string, string> => ({
    'src/app/page.tsx': start(`${parts}<Header />`).replace(
      'import',
      'import { Header } from "../components/Header"\nimport',
    ),
    'src/components/Header.tsx': header(own),
  })
  await none(withBar('inline-block'), 'a bar goes along with it')
  await none(withBar('hidden lg:inline-block'), 'the bar may have it on phones')
  const all = await found({ 'src/app/book/page.tsx': book, ...withBar('hidden lg:inline-block') })
  t.ok(all.proposals.some((one) => one.pattern === 'act-in-bar-on-phones'))
})

t.test('what stays in sight on phones is seen by those whom the page opens for', async (t) => {
  const pattern = 'act-below-on-phones'
  const about = (name: string): string =>
    `<section class="py-16"><h2>${name}</h2><p>All that there is to know of ${name} for you and for the team, in a few words, and a bit more of it.</p></section>`
  const parts = ['Boats', 'Sails', 'Crew', 'Harbour', 'Weather'].map(about).join('\n    ')
  const act =
    '<a href="/signup" class="inline-block rounded bg-teal-700 px-6 py-3 text-white">Start sailing</a>'
  const opens = `<section class="py-20"><h1>Boats for the day</h1><p>For you and the team</p>${act}</section>`
  const end = '<section class="py-16"><p>That is all of it for today</p></section>'
  const landing = `<div class="bg-white">\n    ${opens}\n    ${parts}\n    ${end}\n  </div>`
  const own = '<div class="p-4"><h1>Your boats</h1><a href="/boats/new">Make one</a></div>'
  const jsx = (html: string): string => html.replaceAll('class=', 'className=')
  const of = async (path: string, text: string): Promise<string> => {
    const joins = { 'src/routes/signup/+page.svelte': '<h1>An account for you and the team</h1>\n' }
    return (await shown({ ...joins, [path]: text }, pattern)).replaced.join()
  }
  const svelte = (text: string): Promise<string> => of('src/routes/+page.svelte', `${text}\n`)
  t.match(await svelte(landing), 'sticky bottom-4')
  t.match(await svelte(`{#if !data.user}\n  ${landing}\n{:else}\n  ${own}\n{/if}`), 'sticky bottom-4')
  t.match(await svelte(`{#if data.user}\n  ${own}\n{:else}\n  ${landing}\n{/if}`), 'sticky bottom-4')
  const bare = `${opens}\n  ${parts}\n  ${end}`
  const seen = await svelte(
    `<div class="bg-white">${parts}</div>\n{#if !data.user}\n  <div>${opens}</div>\n{:else}\n  ${own}\n{/if}`,
  )
  t.equal(seen, '', 'the opening is in a branch, and the end of the page is not')
  const branch = await svelte(
    `{#if !data.user}\n  <main>${parts}${parts}</main>${opens}\n  ${end}\n{:else}\n  ${own}\n{/if}`,
  )
  t.match(branch, end, 'at the end of the branch that the title is in')
  t.notMatch(branch, 'Your boats')
  const later = await svelte(
    `{#if data.user}\n  ${own}\n{:else if data.isNew}\n  ${bare}\n{:else}\n  <main>${parts}${parts}</main>\n{/if}`,
  )
  t.notMatch(later, 'Your boats')

  const react = (code: string): Promise<string> => of('src/app/page.tsx', jsx(code))
  const component = (inner: string): string => `export default function Home({ user }) {\n  ${inner}\n}\n`
  const board = `<div class="bg-white"><h2>Your boats</h2>${parts}${parts}${end}</div>`
  t.match(await react(component(`return ${landing}`)), 'sticky bottom-4')
  t.match(await react(component(`return user ? ${own} : ${landing}`)), 'sticky bottom-4')
  t.match(await react(component(`if (user) return ${own}\n  return ${landing}`)), 'sticky bottom-4')
  t.equal(await react(component(`if (user) return ${board}\n  return ${landing}`)), '', 'the longer one')
  t.equal(await react(component(`return user ? ${board} : ${landing}`)), '')
  t.equal(
    await react(
      component(`return <div class="bg-white">{user ? ${own} : <div>${opens}</div>}${parts}${end}</div>`),
    ),
    '',
    'the end is seen by others too',
  )
  const split = `const Top = () => ${opens}\n`
  const whole = `<div class="bg-white"><Top />${parts}${end}</div>`
  t.match(await react(split + component(`return ${whole}`)), 'sticky', 'a component of the file opens it')
  t.equal(
    await react(split + component(`return ${whole.replace('<Top />', '{user ? <p>Hi</p> : <Top />}')}`)),
    '',
  )

  const vue = (inner: string): Promise<string> =>
    of('pages/index.vue', `<template>\n  ${inner}\n</template>\n`)
  const when = (html: string, condition: string): string => html.replace('<div', `<div ${condition}`)
  t.match(await vue(landing), 'sticky bottom-4')
  const other = (first: string): Promise<string> =>
    vue(`${when(first, 'v-if="!user"')}\n  ${when(own, 'v-else')}`)
  t.match(await other(landing), `${end} → ${end}`, 'within the element that has the condition')
  const long = `<div class="bg-white"><h2>Your boats</h2>${parts}${parts}${end}</div>`
  t.equal(await vue(`${when(landing, 'v-if="!user"')}\n  ${when(long, 'v-else')}`), '')
})

t.test('what stays in sight on phones says what the opening says', async (t) => {
  const pattern = 'act-below-on-phones'
  const part = (name: string, more = ''): string =>
    `<section className="py-16"><h2>${name}</h2><p>All that there is to know of ${name} for you and for the team, in a few words, and a bit more of it.</p>${more}</section>`
  const button = (label: string, own = 'px-6'): string =>
    `<a href="/auth?flow=new" className="inline-block rounded bg-teal-700 ${own} py-3 text-white">${label}</a>`
  const start = (first: string, more: string, heading = 'Sails'): string =>
    `export default () => (\n    <div className="bg-white">\n      <section className="py-20"><h1>Boats for the day</h1><p>For you and the team</p><div className="mt-4">${first}</div></section>\n      ${part('Boats')}\n      ${part(heading, more)}\n      ${['Crew', 'Harbour', 'Weather'].map((one) => part(one)).join('\n      ')}\n    </div>\n)\n`
  const of = async (text: string): Promise<string> =>
    (await shown({ 'src/app/page.tsx': text }, pattern)).replaced.join()
  const teaser = button('Join now', 'mt-6 px-5')
  const told = await of(start(button('Add a boat, free'), teaser))
  t.match(told, '>Add a boat, free</a>\n      </div>', 'the words of the opening')
  t.match(
    await of(start(button('Add a boat, free'), teaser, 'Coming soon: races')),
    '>Add a boat, free</a>\n      </div>',
  )
  t.match(
    await of(start(button('Learn more'), teaser)),
    '>Join now</a>\n      </div>',
    'words that fit anything',
  )
  t.notMatch(
    await of(start(button('Learn more'), teaser)),
    /drop-shadow[\s\S]*mt-6/,
    'its old place had the space',
  )
  for (const soon of ['Coming soon: races', 'Demnächst', 'Bientôt', 'Próximamente'])
    t.equal(await of(start(button('Learn more'), teaser, soon)), '', 'what is not there yet')
})

t.test('a form stands before what is said of the place on phones, below the title', async (t) => {
  const entry = (name: string, says: string): string =>
    `<div className="flex gap-3"><PinIcon /><div><h3>${name}</h3><p>${says}</p></div></div>`
  const details = [
    entry('Where you find us', 'Harbour Street 4'),
    entry('When we are here', 'All days of the week'),
    entry('How you reach us', '<a href="mailto:crew@boats.test">crew@boats.test</a>'),
  ].join('\n        ')
  const fields =
    '<input name="name" required /><input name="email" type="email" required /><textarea name="message" required />'
  const form = (more = ' onSubmit={send}'): string =>
    `<form${more}>${fields}<button type="submit">Send it</button></form>`
  const page = ({
    row = 'grid gap-8 lg:grid-cols-2',
    first = `<div>${details}</div>`,
    second = `<div className="rounded p-8 shadow">${form()}</div>`,
    title = '<h1>Write to us and the crew</h1>',
  } = {}): string =>
    `export default () => (\n  <main>\n    ${title}\n    <div className="${row}">\n      ${first}\n      ${second}\n    </div>\n  </main>\n)\n`
  const of = async (code: string, path = 'src/app/contact/page.tsx'): Promise<string> =>
    saysOf(
      await batch({ 'src/app/page.tsx': '<a href="/contact">Contact</a>\n', [path]: code }),
      'form-first-on-phones',
    ).join()
  t.equal(await of(page()), 'rounded p-8 shadow → order-first lg:order-none rounded p-8 shadow')
  t.match(
    await of(page({ row: 'flex flex-col md:flex-row' })),
    / → order-first md:order-none rounded/,
    'in a row that is a column on phones',
  )
  t.match(
    await of(page({ second: `<div>${form()}</div>` })),
    /<div className="order-first lg:order-none"><form/,
    'what has no class gets one',
  )
  const bootstrap = page({
    row: 'row',
    first: `<div className="col-lg-4">${details}</div>`,
    second: `<div className="col-lg-8">${form()}</div>`,
  })
  t.equal(await of(bootstrap), 'col-lg-8 → order-first order-lg-last col-lg-8')
  t.equal(await of(page({ row: 'grid grid-cols-2 lg:grid-cols-3' })), '', 'beside each other on phones')
  t.equal(await of(page({ row: 'gap-8 lg:grid lg:grid-cols-2' })), '', 'on phones no order holds there')
  const posted = (to: string): string =>
    page({
      second: `<div className="rounded p-8 shadow">${form(` method="post" action="https://forms.test/f/${to}"`)}</div>`,
    })
  t.match(await of(posted('k3s9')), 'order-first')
  t.equal(await of(posted('REPLACE_WITH_YOUR_FORM_ID')), '', 'its address has still to be given')
  t.equal(await of(page({ row: 'flex flex-col-reverse lg:flex-row' })), '', 'it has an order')
  t.equal(await of(page({ first: `<div className="order-last">${details}</div>` })), '', 'so has it there')
  const calls = `<div><Button href="tel:123">Call the crew</Button>${details}</div>`
  t.equal(await of(page({ first: calls })), '', 'buttons to call are no details')
  t.equal(await of(page({ title: '' })), '', 'nothing says yet what it is')
  t.equal(
    await of(page({ title: '', first: `<div><h1>Write to us and the crew</h1>${details}</div>` })),
    '',
    'the title stands beside it',
  )
  t.equal(
    await of(page({ first: `<div><h3>Write to us</h3><p>crew@boats.test</p></div>` })),
    '',
    'it is short',
  )
  t.equal(
    await of(page({ first: `<div>${details}<h2>Our boats</h2><h2>Our crew</h2></div>` })),
    '',
    'it is what one came to read',
  )
  t.equal(await of(page({ second: `<div className="p-8">${form('')}</div>` })), '', 'it is sent nowhere')
  const far = `<h1>All of the camp</h1>${['Who', 'When', 'What', 'How'].map((one) => `<h2>${one}</h2>`).join('')}`
  t.equal(await of(page({ title: far })), '', 'the page is about something else')
  const visited = page({ first: `<div><h2>Opening hours</h2>${details}</div>` })
  t.equal(await of(visited), '', 'one comes for when and how to get there')
  t.equal(
    saysOf(
      await batch({
        'src/app/page.tsx':
          'export default () => <main><h1>Boats for all of you</h1><a href="/contact" className="rounded bg-red-600 px-4 py-2">Request a quote</a></main>\n',
        'src/app/contact/page.tsx': visited,
      }),
      'form-first-on-phones',
    ).join(),
    'rounded p-8 shadow → order-first lg:order-none rounded p-8 shadow',
    'the site sends people there to ask',
  )
  t.equal(
    await of(
      page({
        second: `<div className="p-8"><form onSubmit={send}><input name="q" /><button>Go</button></form></div>`,
      }),
    ),
    '',
    'nobody writes there',
  )
  t.equal(await of(page(), 'src/app/dashboard/contact/page.tsx'), '', 'for customers')
  t.equal(
    await of(
      page({ second: `<div className="panel">{map && <iframe src="/map" title="Where" />}${form()}</div>` }),
    ),
    '',
    'a map may be shown there',
  )
  const part = `export const ContactForm = () => (\n  ${form()}\n)\n`
  const held = page({ second: '<div className="panel"><ContactForm /></div>' })
  t.equal(
    saysOf(
      await batch({
        'src/app/page.tsx': '<a href="/contact">Contact</a>\n',
        'src/app/contact/page.tsx': `import { ContactForm } from '../../parts/ContactForm'\n${held}`,
        'src/parts/ContactForm.tsx': part,
      }),
      'form-first-on-phones',
    ).join(),
    'panel → order-first lg:order-none panel',
    'a form of another file',
  )
  const sent = (does: string): string =>
    `export const ContactForm = () => {\n  const send = async (event) => {\n    event.preventDefault()\n    ${does}\n    setSent(true)\n  }\n  return ${form().replace(/onSubmit=\{[^}]*\}/, 'onSubmit={send}')}\n}\n`
  const shows = async (own: string): Promise<string> =>
    saysOf(
      await batch({
        'src/app/page.tsx': '<a href="/contact">Contact</a>\n',
        'src/app/contact/page.tsx': `import { ContactForm } from '../../parts/ContactForm'\n${held}`,
        'src/parts/ContactForm.tsx': own,
      }),
      'form-first-on-phones',
    ).join()
  t.match(await shows(sent("await fetch('/api/contact', { method: 'POST', body })")), 'order-first')
  const told = await shown(
    {
      'src/app/page.tsx': '<a href="/contact">Contact</a>\n',
      'src/app/contact/page.tsx': `import { ContactForm } from '../../parts/ContactForm'\n${held}`,
      'src/parts/ContactForm.tsx': sent(
        "track('lead_form_started')\n    await fetch('/api/contact', { method: 'POST', body })\n    track('lead_was_submitted')",
      ),
    },
    'form-first-on-phones',
  )
  t.equal(told.goal, 'lead_was_submitted', 'what has begun may have begun by itself')
  t.equal(await shows(sent('await new Promise((resolve) => setTimeout(resolve, 900))')), '', 'nobody gets it')
})

t.test('the title and its button stand before the picture on phones', async (t) => {
  const words =
    '<h1>Boats for all who like the sea</h1><p>All that you need for a week.</p><a href="/book" className="btn">Book a boat</a>'
  const shot = '<img src="/boat.jpg" alt="A boat under sail" />'
  const start = (row: string, columns: string): string =>
    `export default () => (\n  <main>\n    <section>\n      <div className="${row}">\n        ${columns}\n      </div>\n    </section>\n  </main>\n)\n`
  const of = async (code: string, path = 'src/app/page.tsx'): Promise<string> =>
    saysOf(
      await batch({ 'src/app/page.tsx': '<a href="/about">About</a>\n', [path]: code }),
      'title-first-on-phones',
    ).join('\n')
  const grid = 'grid items-center gap-8 lg:grid-cols-2'
  const beside = (picture: string, text: string): string =>
    start(grid, `<div className="${picture}">${shot}</div>\n        <div className="${text}">${words}</div>`)
  t.equal(
    await of(beside('rounded-xl shadow', 'max-w-xl py-4')),
    'max-w-xl py-4 → order-first lg:order-none max-w-xl py-4',
  )
  t.equal(
    await of(beside('rounded-xl shadow', 'max-w-xl')),
    'max-w-xl → order-first lg:order-none max-lg:pt-8 max-w-xl',
    'words do not begin at the very edge',
  )
  t.equal(
    await of(beside('order-1 rounded-xl lg:order-2', 'order-2 max-w-xl lg:order-1')),
    'order-1 rounded-xl lg:order-2 → order-2 rounded-xl lg:order-2\norder-2 max-w-xl lg:order-1 → order-1 max-w-xl lg:order-1',
    'where the page has set an order, it is the other way round',
  )
  const turned = start(
    'flex flex-col-reverse gap-8 md:flex-row',
    `<div className="max-w-xl">${words}</div>\n        <div className="rounded-xl">${shot}</div>`,
  )
  t.equal(await of(turned), 'flex flex-col-reverse gap-8 md:flex-row → flex flex-col gap-8 md:flex-row')
  t.equal(
    await of(
      start(
        grid,
        `<div className="max-w-xl py-4">${words}</div>\n        <div className="rounded-xl">${shot}</div>`,
      ),
    ),
    '',
    'the title is first already',
  )
  t.equal(await of(beside('hidden lg:block', 'max-w-xl py-4')), '', 'phones do not show the picture')
  t.equal(
    await of(
      beside('rounded-xl shadow', 'max-w-xl py-4').replace(
        '<section>',
        '<section><div><p>Sailing is for all who like the sea, the wind, and a good night below the stars.</p></div>',
      ),
    ),
    '',
    'something else opens the page',
  )
  t.equal(
    await of(beside('rounded-xl shadow', 'max-w-xl py-4'), 'src/pages/products/boat.tsx'),
    '',
    'a product',
  )
  t.equal(
    await of(
      beside('rounded-xl shadow', 'max-w-xl py-4').replace(shot, `${shot}<a href="/offer">To the offer</a>`),
    ),
    '',
    'the picture leads on',
  )
  t.equal(
    await of(beside('rounded-xl shadow', 'max-w-xl py-4').replace(/<a href="\/book".*?<\/a>/, '')),
    '',
    'nothing is to be pressed',
  )
})

t.test('what puts a product into the cart is in sight on phones, where nothing hovers', async (t) => {
  const CARD = 'src/components/ProductCard.tsx'
  const button = '<button onClick={addToCart} aria-label="Add to cart"><BagIcon /></button>'
  const card = (box: string, inner = button, more = ''): string =>
    `export const ProductCard = ({ product }) => (\n  <article className="group relative">\n    <img src={product.image} alt={product.name} />\n    <div className="${box}">${inner}</div>\n    <h3>{product.name}</h3>${more}\n  </article>\n)\n`
  const of = async (code: string, path = CARD): Promise<string> =>
    saysOf(
      await batch({
        'src/app/page.tsx': `import { ProductCard } from '../../${path.replace('.tsx', '')}'\nexport default () => <main><h1>Seeds for small gardens</h1>{all.map((one) => <ProductCard product={one} />)}</main>\n`,
        [path]: code,
      }),
      'buy-in-sight-on-phones',
    ).join()
  const box =
    'absolute bottom-2 right-2 translate-y-2 opacity-0 transition group-hover:translate-y-0 group-hover:opacity-100'
  t.equal(
    await of(card(box)),
    `${box} → absolute bottom-2 right-2 md:translate-y-2 md:opacity-0 transition md:group-hover:translate-y-0 md:group-hover:opacity-100`,
  )
  t.equal(await of(card(box, '<button onClick={wish}><HeartIcon /></button>')), '', 'another button')
  t.match(
    await of(card(`${box} left-1/2 -translate-x-1/2`)),
    /left-1\/2 -translate-x-1\/2$/,
    'what centres it stays',
  )
  t.equal(await of(card(box.replace('bottom-2', '-bottom-8'))), '', 'it would lie over the next card')
  t.equal(await of(card(`${box} max-md:opacity-100`)), '', 'phones see it')
  t.equal(await of(card(box.replaceAll('opacity', 'md:opacity'))), '', 'wide screens alone hide it')
  t.equal(await of(card(`${box} inset-0 bg-black/50`)), '', 'it would cover the picture')
  t.equal(
    await of(card(box, button, '<button onClick={addToCart}>Add to cart</button>')),
    '',
    'another one is in sight',
  )
  t.equal(await of(card(box), 'src/admin/ProductCard.tsx'), '', 'for staff')
  t.equal(
    await of(
      card(box)
        .replace('<div className="absolute', '<motion.div initial={{ opacity: 0 }} className="absolute')
        .replace('</div>\n    <h3', '</motion.div>\n    <h3'),
    ),
    '',
    'a style holds against its class',
  )
  const pass = 'absolute bottom-2 flex pointer-events-none group-hover:pointer-events-auto'
  const hidden = (own: string, said = ''): string =>
    `<button onClick={addToCart} aria-label="Add to cart" className="${own}"><BagIcon />${said}</button>`
  const own = 'p-2 opacity-0 group-hover:opacity-100'
  const look = '<a href={link} className="p-3 opacity-0 group-hover:opacity-100">Look</a>'
  t.equal(
    await of(card(pass, hidden(own))),
    `${pass} → absolute bottom-2 flex md:pointer-events-none md:group-hover:pointer-events-auto,${own} → p-2 md:opacity-0 md:group-hover:opacity-100`,
    'what is in sight can be pressed',
  )
  t.equal(await of(card(pass.replace(/ group\S+/, ''), hidden(own))), '', 'it can never be pressed')
  t.equal(
    await of(card(pass.replace(/ group\S+/, ''), hidden(`${own} pointer-events-auto`))),
    `${own} pointer-events-auto → p-2 md:opacity-0 md:group-hover:opacity-100 pointer-events-auto`,
    'it lets itself be pressed',
  )
  t.match(
    await of(card('absolute bottom-2 flex', `${hidden(own)}${look}`)),
    /p-2 md:opacity-0.*p-3 md:opacity-0/s,
    'what stands in one row with it is shown too',
  )
  for (const [was, shown] of [
    [
      'absolute bottom-0 translate-y-full group-hover:translate-y-0',
      'md:translate-y-full md:group-hover:translate-y-0',
    ],
    ['absolute bottom-0 scale-0 group-hover:scale-100', 'md:scale-0 md:group-hover:scale-100'],
    ['absolute bottom-0 invisible group-hover:visible', 'md:invisible md:group-hover:visible'],
    ['overflow-hidden h-0 group-hover:h-12', 'md:h-0 md:group-hover:h-12'],
    ['absolute bottom-0 hidden group-hover:flex', 'flex md:hidden md:group-hover:flex'],
  ] as const)
    t.ok((await of(card(was))).endsWith(shown), was)
  t.equal(await of(card('absolute bottom-0 opacity-0 hover:opacity-100')), '', 'it is hovered over by itself')
  t.equal(await of(card(`${box} invisible`)), '', 'more than hovering hides it')
  const words = (classes: string): string => hidden(classes, 'Add to cart')
  t.not(await of(card(box, words('w-full rounded bg-black px-2 py-3 text-sm'))), '')
  t.equal(
    await of(card(box, words('shop-button w-full'))),
    '',
    'how much room it takes stands in a stylesheet, and it lies over the picture',
  )
  t.not(await of(card(box.replace('absolute', 'relative'), words('shop-button w-full'))), '', 'below it')
  t.not(await of(card(box, hidden('shop-button'))), '', 'a sign alone is small')
})

t.test('the bar keeps the telephone in sight on phones, as its sign', async (t) => {
  const pattern = 'call-in-bar-on-phones'
  const burger =
    '<button className="p-2 lg:hidden" aria-label="Open menu" onClick={() => open(true)}><MenuIcon /></button>'
  const call =
    '<a href="tel:+4420123" className="hidden lg:flex items-center gap-2 font-semibold"><PhoneIcon size={18} /> 020 123</a>'
  const of = async (inner: string, more: Readonly<Record<string, string>> = {}): Promise<string[]> =>
    (
      await shown(
        {
          'src/components/Header.tsx': `export const Header = () => (\n  <header className="sticky top-0 flex bg-white">\n    <Link href="/">Acme</Link>\n    <Link href="/boats" className="hidden lg:flex">Boats</Link>\n    ${inner}\n  </header>\n)\n`,
          'src/app/page.tsx':
            'import { Header } from "../components/Header"\nexport default () => <main><Header /><h1>Boats for you and the team</h1><p>All that we have is here.</p></main>\n',
          ...more,
        },
        pattern,
      )
    ).replaced
  const [one = ''] = await of(`${call}\n    ${burger}`)
  t.match(
    one,
    '<a href="tel:+4420123" className="font-semibold inline-flex items-center p-2"><PhoneIcon size={18} /> <span className="sr-only">020 123</span></a>',
    'its sign is seen, and the number read out',
  )
  t.match(one, '<div className="ml-auto mr-3 shrink-0 lg:hidden">')
  t.match(one, `</div>\n    ${burger}`, 'beside the menu')
  const spoken = call.replace(' 020 123', '<span>{PHONE}</span>')
  t.match((await of(`${spoken}\n    ${burger}`))[0], '<span className="sr-only">{PHONE}</span>')
  const hero = (own: string): Record<string, string> => ({
    'src/components/Hero.tsx': `export const Hero = () => <section><h2>Boats for the team</h2><a href="tel:+4420123" className="${own}">Call us</a></section>\n`,
  })
  t.same(await of(`${call}\n    ${burger}`, hero('flex')), [], 'the opening has it')
  t.equal((await of(`${call}\n    ${burger}`, hero('hidden lg:flex'))).length, 1, 'not on phones')
  t.same(await of(call), [], 'there is no menu')
  t.same(await of(`${call.replace('hidden lg:flex', 'flex')}\n    ${burger}`), [], 'it is in sight')
  t.same(await of(`${call.replace('<PhoneIcon size={18} />', '')}\n    ${burger}`), [], 'it has no sign')
  t.same(
    await of(`<div className="bg-teal-900 text-white">${call}</div>\n    ${burger}`),
    [],
    'it stands on another ground',
  )
  t.same(
    await of(
      `${call}\n    <Link href="/quote" className="btn btn-primary">Get a quote</Link>\n    ${burger}`,
    ),
    [],
    'another act is in sight',
  )
  t.same(
    await of(`${call}\n    ${burger}`, {
      'src/components/Pill.tsx':
        'export const Pill = () => <a href="tel:+4420123" className="fixed bottom-4 right-4">Call</a>\n',
    }),
    [],
    'one can call from below',
  )
  t.match(
    (
      await of(
        `${call}\n    <nav className="lg:hidden"><a href="tel:+4420123">020 123</a><a href="/boats">Boats</a></nav>\n    ${burger}`,
      )
    )[0],
    'sr-only',
    'in the menu one has to look for it',
  )
})

t.test('what floats is known by its own file, in a folder of a kit too', async (t) => {
  const float = (path: string): Promise<string[]> =>
    shown(
      {
        'src/app/products/[slug]/page.tsx':
          'export default function Product({ product }) {\n  return (\n    <main className="mx-auto grid max-w-5xl gap-8 px-4 md:grid-cols-2">\n      <div className="mt-4 space-y-4">\n        <h1 className="text-2xl font-bold">{product.name}</h1>\n        <button onClick={add} className="w-full rounded bg-teal-700 px-6 py-3">Add to cart</button>\n      </div>\n    </main>\n  )\n}\n',
        [path]:
          'export const It = () => <div className="fixed bottom-4 right-4"><Button>Write</Button></div>\n',
      },
      'buy-below-on-phones',
    ).then(({ replaced }) => replaced)
  t.match((await float('src/components/ui/whatsapp-button.tsx'))[0], 'pr-24')
  t.notMatch((await float('src/components/ui/toaster.tsx'))[0], 'pr-24', 'it passes')
})

t.test('what puts a product into the cart stays at the lower edge on phones', async (t) => {
  const pattern = 'buy-below-on-phones'
  const button =
    '<button onClick={add} className="w-full rounded bg-teal-700 px-6 py-3 text-white">Add to cart</button>'
  const page = (inner: string, around = 'mt-4 space-y-4'): string =>
    `export default function Product({ product }) {\n  return (\n    <main className="mx-auto grid max-w-5xl gap-8 px-4 md:grid-cols-2">\n      <img src={product.picture} alt={product.name} className="rounded" />\n      <div className="${around}">\n        <h1 className="text-2xl font-bold">{product.name}</h1>\n        <p className="text-gray-600">{product.text}</p>\n        ${inner}\n      </div>\n    </main>\n  )\n}\n`
  const of = async (
    inner: string,
    {
      around,
      path = 'src/app/products/[slug]/page.tsx',
      more = {},
    }: { around?: string; path?: string; more?: Readonly<Record<string, string>> } = {},
  ): Promise<string[]> => (await shown({ [path]: page(inner, around), ...more }, pattern)).replaced
  const wrapped = (own: string): string => `<div className="${own}">\n          ${button}\n        </div>`
  t.same(await of(button), [
    `${button} → ${wrapped('fixed inset-x-0 bottom-0 z-10 grid p-3 md:static md:block md:p-0')}`,
  ])
  t.same(
    await of(button, { around: 'flex flex-col gap-3' }),
    [`${button} → ${wrapped('fixed inset-x-0 bottom-0 z-10 grid p-3 md:contents')}`],
    'in a row it takes its place as before where there is room',
  )
  const float = (own: string): Record<string, string> => ({
    'src/components/Write.tsx': `export const Write = () => <a href="https://wa.me/44123456" className="fixed ${own}">Write</a>\n`,
  })
  t.match(
    (await of(button, { more: float('bottom-6 right-6') }))[0],
    'p-3 pr-24 md:static',
    'beside what is in the corner',
  )
  t.same(await of(button, { more: float('bottom-0 inset-x-0') }), [], 'something stays there')
  t.same(await of(button, { path: 'src/components/ProductCard.tsx' }), [], 'one of many')
  t.same(await of(button, { path: 'src/components/QuickViewProduct.tsx' }), [], 'a window of its own')
  t.same(await of(`${button}\n        <button onClick={pay}>Buy now</button>`), [], 'two ways to buy')
  t.same(await of(`{open ? ${button} : null}`), [], 'one of two')
  t.same(await of(button.replace('onClick', 'disabled={!selectedSize} onClick')), [], 'it waits for a choice')
  t.same(await of(`<motion.div>${button}</motion.div>`), [], 'what moves frames it')
  t.same(await of(button.replace('Add to cart', 'Ask for it')), [])
})
