import t from 'tap'
import type { Batch } from '../../batch.js'
import { page, patternsOf, saysOf, wholeBatch } from '../../test/support/workspace.js'

const of = async (files: Readonly<Record<string, string>>): Promise<string[]> =>
  patternsOf(await wholeBatch(files))
t.test('an opening says what it is, or what visitors get, in its own words', async (t) => {
  const says = async (title: string, line: string, pattern: string): Promise<string[]> =>
    saysOf(
      await wholeBatch({ 'index.html': page(`<header><h1>${title}</h1><p>${line}</p></header>`) }),
      pattern,
    )
  t.same(await says('Acme', 'Invoices for people who work for themselves.', 'opening-says-what-it-is'), [
    'Acme → Invoices for people who work for themselves',
    'Invoices for people who work for themselves. → Acme',
  ])
  t.equal((await says('Acme', 'Table lamps made by hand in Porto', 'opening-says-what-it-is')).length, 2)
  const heading = 'opening-says-what-it-is'
  const line = 'Invoices for people who work for themselves'
  t.same(await says('Welcome to Acme!', line, heading), [
    `Welcome to Acme! → ${line}`,
    `${line} → Welcome to Acme!`,
  ])
  t.same(await says('Acme', 'Everything that you have been waiting for', heading), [], 'that says nothing')
  t.same(await says('Discover', line, heading), [], 'it names nobody')
  t.same(await says('Great days', line, heading), [], 'so may that')
  t.match((await says('Great days', `${line}</p><p>Great days of yours`, heading)).join(), '→ Great days')
  t.same(await says('Acme', `${line}!`, heading), [], 'it is called out')
  t.same(await says('All of the invoices', line, heading), [], 'it says it already')
  const told = (body: string, description: string): Promise<Batch> =>
    wholeBatch({
      'index.html': page(body).replace(
        '</head>',
        `<meta name="description" content="${description}"></head>`,
      ),
    })
  const brand = '<header><h1>Acme</h1><a class="btn" href="/x">Go to it for all</a></header>'
  t.same(saysOf(await told(brand, `${line} by Acme. And more.`), heading), [
    `<h1>Acme</h1> → <h1>${line} by Acme</h1>`,
  ])
  t.same(saysOf(await told(brand, `${line}. And more.`), heading), [], 'the name would be gone')
  t.same(
    saysOf(await told(brand.replace('<h1', '<h1 class="text-8xl"'), `${line} by Acme`), heading),
    [],
    'too large',
  )
  t.same(
    saysOf(await wholeBatch({ 'about/banner.html': page(`<h1>Acme</h1><p>${line}</p>`) }), heading),
    [],
    'it opens no site',
  )
  t.same(await says('About', 'All of it for the people who work', 'opening-says-what-it-is'), [])
  const benefit = 'It is for all of you. Save your team an hour each day.'
  const found = await says('The <b>platform</b> for teams', benefit, 'opening-says-benefit')
  t.same(found, [
    '<h1>The <b>platform</b> for teams</h1> → <h1>Save your team an hour each day</h1>',
    `${benefit} → The platform for teams. It is for all of you.`,
  ])
  t.same(await says('Save time for the team', benefit, 'opening-says-benefit'), [], 'the title does')
  t.same(await says('A house of wood', benefit, 'opening-says-benefit'), [], 'of what does it speak?')
  t.same(await says('The platform for teams', 'It is for all of you.', 'opening-says-benefit'), [])
})

t.test('an opening without what leads away above its title', async (t) => {
  const home = (link: string): string =>
    page(
      `<header><div>${link}</div><h1>Houses that we build for you</h1><p>All of it is made of wood</p><a class="btn" href="/sign-up">Sign up</a></header>`,
    )
  const has = async (link: string): Promise<boolean> =>
    (await of({ 'index.html': home(link) })).includes('opening-without-news')
  t.equal(await has('<a href="https://example.org/a">We are in the news</a>'), true)
  t.equal(await has('<a href="/blog/new-houses">We have new houses</a>'), true)
  const other = home('<a href="/blog/new-houses">We have new houses</a>').replace(
    '/sign-up">Sign up',
    '/prices">See prices',
  )
  const { proposals } = await wholeBatch({ 'index.html': other })
  const without = proposals.find(({ pattern }) => pattern === 'opening-without-news')
  t.match(without?.hypothesis, 'when “See prices” is pressed', 'what all variants have')
  t.equal(await has('<a href="/houses">See the houses</a>'), false, 'it stays within what one came for')
  t.equal(await has('<a href="https://example.org/a">Buy it there</a>'), false, 'it is what the page wants')
})

t.test('slides wait where they are read', async (t) => {
  const slides = (own: string, inner = '<h2>The first of them</h2>'): string =>
    page(
      `<h1>All of it is for you</h1><div id="slides" class="carousel" ${own}>${inner}<a class="carousel-control-next" href="#slides">Next one</a></div>`,
    )
  const waits = async (own: string, inner?: string): Promise<string[]> =>
    saysOf(await wholeBatch({ 'a.html': slides(own, inner) }), 'slides-wait')
  t.match((await waits('data-bs-ride="carousel"')).join(), 'data-bs-ride="false"')
  t.same(await waits('data-bs-ride="false"'), [])
  t.same(await waits('data-bs-ride="carousel"', '<img src="a.png">'), [], 'pictures are not read')
})

t.test('figures of the page stand at its first button, as it says them', async (t) => {
  const home = (figure: string, what: string): string =>
    page(
      `<header><h1>Houses that we build for you</h1><p>All of it is made of wood</p><a class="btn" href="/sign-up">Sign up</a></header>${'<section><h2>More of it</h2><p>All of the rest of it is for you and the family, and this is what it says.</p></section>'.repeat(9)}<div><h3>${figure}</h3><p>${what}</p></div>`,
    )
  const says = async (figure: string, what: string): Promise<string> =>
    saysOf(await wholeBatch({ 'index.html': home(figure, what) }), 'figures-at-button').join()
  t.match(await says('4,200+', 'Happy customers'), '<small>4,200+ happy customers</small>')
  t.equal(await says('4,200', 'Cups of coffee'), '', 'nobody asks for that')
  t.equal(await says('0', 'Happy customers'), '', 'code counts up')
  t.equal(await says('1234', 'Happy customers'), '', 'it stands in for another')
  t.equal(await says('+20', 'Happy customers'), '', 'so few speak against it')
  t.match(await says('2k', 'Happy customers'), '2k happy customers')
})

t.test('the page to sign up says what for, with the line of the start page', async (t) => {
  const home = page(
    '<header><h1>Houses for you</h1><p>The house for a whole family</p><a class="btn" href="/sign-up">Sign up</a></header>',
  )
  const join = (below: string): string =>
    page(
      `<div><h2>Create your account</h2>${below}<form><input type="email" name="email"><input type="password" name="p" autocomplete="new-password"><button>Create account</button></form></div>`,
    )
  const says = async (below: string): Promise<string> =>
    saysOf(await wholeBatch({ 'index.html': home, 'sign-up.html': join(below) }), 'line-at-sign-up').join()
  t.match(await says(''), '</h2> <p>The house for a whole family</p>')
  t.equal(await says('<p>All of it is for you</p>'), '', 'a line stands there')
})
