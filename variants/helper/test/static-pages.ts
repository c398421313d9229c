import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import t from 'tap'
import { chromiumProblem, launchChromium } from '../../../test/support/chromium.js'
import { until } from '../../../test/support/service.js'
import { HELPER_FILE, helperSource } from '../source.js'
import { EXPOSURES, headersOf, type Route, type Site, STATE, startSite, visitorsOf } from './support/site.js'

const SPLITS = { control: 34, b: 33, c: 33 }
const MARK = 'control=34,b=33,c=33'

/** A unit as written: alternatives in templates before the control. */
const unit = (control: string, b: string, c: string, space = '\n      '): string => {
  const at = control.indexOf('>')
  const marked = `${control.slice(0, at)} data-svc="hero:${MARK}"${control.slice(at)}`
  const template = (arm: string, content: string) =>
    `<template data-svc="hero" data-svc-variant="${arm}">${content}</template>`
  return [template('b', b), template('c', c), marked].join(space)
}

interface Words {
  readonly [variant: string]: readonly string[]
}
const WORDS: Words = {
  control: ['Welcome', 'One step', 'Alpha', 'row control', 'Your mail'],
  b: ['Try it', 'Two steps', 'Beta', 'row b', 'Mail of b'],
  c: ['Three for two', 'Gamma', 'row three', 'Mail of c'],
}

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Shop</title>
    <script src="${STATE}"></script>
    <script src="/${HELPER_FILE}"></script>
    <link rel="stylesheet" href="/site.css">
  </head>
  <body>
    <main>
      ${unit('<h1>Welcome</h1>', '<h1>Try it</h1>', '<h1>Three for two</h1>')}
      <p>Same for all.</p>
      ${unit('<p class="steps">One step</p>', '<p class="steps"><b>Two</b> steps</p> and text', '')}
      <ul>
        ${unit('<li>Alpha</li>', '<li>Beta</li>', '<li>Gamma</li>', '')}
        <li>Last</li>
      </ul>
      <table><tbody>
        ${unit('<tr><td>row control</td></tr>', '<tr><td>row b</td></tr>', '<tr><td>row three</td></tr>')}
      </tbody></table>
      <input placeholder="Your mail" data-svc="hero:${MARK}" data-svc.b.placeholder="Mail of b" data-svc.c.placeholder="Mail of c" data-svc.c.aria-label="C">
    </main>
    <script src="/site.js"></script>
  </body>
</html>
`

/** A state with one served experiment. */
const state = (key: string, served: string): string =>
  `globalThis.svcState={"version":1,"experiments":{"${key}":${served}}}`

const SCRIPTS = `<script src="${STATE}"></script><script src="/${HELPER_FILE}"></script>`

/** The body as text without white space between tags. No trace of the experiment may remain in it. */
const BODIES: Readonly<Record<string, string>> = {
  control: body('<h1>Welcome</h1>', '<p class="steps">One step</p>', 'Alpha', 'row control', 'Your mail'),
  b: body('<h1>Try it</h1>', '<p class="steps"><b>Two</b> steps</p> and text', 'Beta', 'row b', 'Mail of b'),
  c: body('<h1>Three for two</h1>', '', 'Gamma', 'row three', 'Mail of c" aria-label="C'),
}
function body(title: string, steps: string, item: string, row: string, placeholder: string): string {
  const list = `<ul><li>${item}</li><li>Last</li></ul>`
  const table = `<table><tbody><tr><td>${row}</td></tr></tbody></table>`
  const input = `<input placeholder="${placeholder}">`
  return `<main>${title}<p>Same for all.</p>${steps}${list}${table}${input}</main>`
}
const packed = (html: string): string =>
  html.replace(/\s*\n\s*/g, '').replace('<script src="/site.js"></script>', '')

/** Records the visible text of every frame. Runs before everything else in the page. */
const WATCH = `window.seen = []
const look = () => {
  if (document.body) {
    const inputs = [...document.querySelectorAll('input')].map((input) => input.placeholder)
    window.seen.push(document.body.innerText + ' ' + inputs.join(' '))
  }
  requestAnimationFrame(look)
}
requestAnimationFrame(look)`

t.test('the helper works on static pages', { skip: chromiumProblem(), timeout: 600_000 }, async (t) => {
  const browser = await launchChromium(t)
  const site = await startSite(t)
  const visitors = visitorsOf('hero', SPLITS)
  site.serve({ hero: true, tabs: true, again: true })
  site.routes.set(`/${HELPER_FILE}`, helperSource('script', { exposures: EXPOSURES }))
  site.routes.set('/site.js', `window.found = document.querySelectorAll('template, [data-svc]').length`)
  site.routes.set('/site.css', 'main { color: black }')
  site.routes.set('/', PAGE)
  site.routes.set('/slow', (_, response) => void slowly(response, PAGE))
  // The state arrives 300 ms late.
  site.routes.set('/late-state.js', (_, response) => {
    setTimeout(() => response.writeHead(200, headersOf('/late-state.js')).end(state('hero', 'true')), 300)
  })
  site.routes.set('/slow-late', (_, response) => void slowly(response, PAGE.replace(STATE, '/late-state.js')))

  await t.test('each visitor has the tree of a page written by hand, and one exposure', async (t) => {
    for (const [variant, visitor] of visitors) {
      const context = await contextOf(browser, site, visitor)
      const page = await opened(context, `${site.url}/`)
      t.equal(packed(await page.innerHTML('body')), BODIES[variant])
      t.equal(await page.evaluate('window.found'), 0, 'scripts of the page see the tree as it stays')
      for (let reload = 0; reload < 3; reload++) await page.reload()
      await context.close()
    }
    t.same((await site.exposures('hero', 3)).sort(), [...visitors].map(([arm, id]) => `${id} ${arm}`).sort())
    t.equal(site.posts(), 3, 'reloads send nothing')
  })

  await t.test('no frame shows another variant, on a slow line and a slow machine', async (t) => {
    for (const [path, variant, visitor] of ['/slow', '/slow-late'].flatMap((one) =>
      [...visitors].map(([variant, visitor]) => [one, variant, visitor] as const),
    )) {
      const context = await contextOf(browser, site, visitor)
      const page = await context.newPage()
      await page.addInitScript(WATCH)
      const session = await context.newCDPSession(page)
      await session.send('Emulation.setCPUThrottlingRate', { rate: 4 })
      await page.goto(site.url + path)
      const frames = await until(
        async () => (await page.evaluate('window.seen')) as string[],
        ({ length }) => length >= 3,
      )
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
      const others = Object.entries(WORDS).flatMap(([name, words]) => (name === variant ? [] : words))
      t.ok(frames.length >= 3, `${frames.length} frames`)
      t.same(
        frames.filter((text) => others.some((word) => text.includes(word))),
        [],
        `${path} ${variant}: ${frames.length} frames`,
      )
      for (const word of WORDS[variant] ?? []) t.ok(frames.at(-1)?.includes(word), word)
      await context.close()
    }
  })

  await t.test('without scripts or storage a page shows the control', async (t) => {
    const posts = site.posts()
    const plain = await browser.newContext({ javaScriptEnabled: false })
    await cookie(plain, site, visitors.get('b') ?? '')
    const page = await opened(plain, `${site.url}/`)
    t.match(
      await page.evaluate("document.querySelector('main').innerText"),
      /^Welcome\s+Same for all\.\s+One step\s+Alpha/,
    )
    await plain.close()

    site.routes.set('/frame', '<!doctype html><iframe sandbox="allow-scripts" src="/"></iframe>')
    const context = await contextOf(browser, site, visitors.get('b') ?? '')
    const outer = await context.newPage()
    const errors: string[] = []
    outer.on('pageerror', (error) => errors.push(error.message))
    await outer.goto(`${site.url}/frame`)
    const inner = outer.frames()[1]
    t.equal(packed((await inner?.innerHTML('body')) ?? ''), BODIES.control)
    t.same(errors, [])
    t.equal(site.posts(), posts)
    await context.close()
  })

  await t.test('ten tabs of a first visit are one visitor with one exposure', async (t) => {
    const experiment = 'tabs'
    site.routes.set(
      '/tabs',
      `<!doctype html>${SCRIPTS}` +
        `<template data-svc="${experiment}" data-svc-variant="b">B</template><p data-svc="${experiment}:control=50,b=50">A</p>`,
    )
    for (let round = 1; round <= 3; round++) {
      const context = await browser.newContext()
      const pages = await Promise.all(Array.from({ length: 10 }, () => context.newPage()))
      await Promise.all(pages.map((page) => page.goto(`${site.url}/tabs`)))
      const exposures = await site.exposures(experiment, round)
      t.equal(exposures.length, round, 'one more exposure')
      const id = (await context.cookies()).find(({ name }) => name === 'svc_id')?.value
      t.match(id, /^[0-9a-f]{32}$/)
      t.equal(exposures.at(-1)?.split(' ')[0], id, 'of the visitor that the cookie names')
      await context.close()
    }
  })

  await t.test('the next page sends again what the site did not accept', async (t) => {
    const experiment = 'again'
    site.routes.set('/again', `<!doctype html>${SCRIPTS}<p data-svc="${experiment}:control=100,b=0">A</p>`)
    const context = await browser.newContext()
    site.answerWith(503)
    const page = await context.newPage()
    const before = site.posts()
    await page.goto(`${site.url}/again`)
    t.equal(
      await until(
        async () => site.posts(),
        (count) => count > before,
      ),
      before + 1,
    )
    const guards = () =>
      page.evaluate(
        'Object.keys(localStorage).filter((key) => key.includes("again") && localStorage[key]).length',
      )
    t.equal(await until(guards, (count) => count === 0), 0, 'it is forgotten that it was sent')
    site.answerWith(undefined)
    await page.reload()
    t.equal((await site.exposures(experiment, 1)).length, 1)
    await page.reload()
    t.equal((await site.exposures(experiment, 1)).length, 1)
    await context.close()
  })

  await t.test(
    'the next pages show the control until the exposure of the first one is accepted',
    async (t) => {
      site.serve({ unsent: true })
      const page = `<!doctype html>${SCRIPTS}<body>
<template data-svc="unsent" data-svc-variant="b"><h1>B</h1></template><h1 data-svc="unsent:control=0,b=100">A</h1>`
      site.routes.set('/unsent', page)
      const blocked = {
        ...headersOf('/'),
        'content-security-policy': "default-src 'self'; connect-src 'none'",
      }
      site.routes.set('/blocked', (_, response) => response.writeHead(200, blocked).end(page))
      const refusals = [
        ['/unsent', 404],
        ['/unsent', 200],
        ['/blocked', undefined],
      ] as const
      for (const [index, [path, status]] of refusals.entries()) {
        const context = await browser.newContext()
        site.answerWith(status)
        const open = await context.newPage()
        const marks = () => open.evaluate("Object.values(localStorage).includes('!')")
        const shows = async (text: string, at: string): Promise<void> => {
          await open.goto(site.url + at)
          t.equal(await open.textContent('h1'), text, `${at} ${status}`)
        }
        await shows('B', path)
        t.equal(await until(marks, Boolean), true)
        t.equal(await open.textContent('h1'), 'B', 'nothing changes under the visitor')
        await shows('A', path)
        site.answerWith(undefined)
        await shows('A', '/unsent')
        t.equal((await site.exposures('unsent', index + 1)).length, index + 1, 'counted, because b was shown')
        await shows('B', '/unsent')
        await context.close()
      }
    },
  )

  await t.test('without a state everybody sees the control, and nothing is stored or sent', async (t) => {
    const posts = site.posts()
    const served = site.routes.get(STATE)
    const states: Readonly<Record<string, Route>> = {
      null: 'globalThis.svcState=null',
      'not listed': 'globalThis.svcState={"version":1,"experiments":{"other":true}}',
      'of another kind': 'globalThis.svcState={"version":1,"experiments":{"hero":1}}',
      '404': (_, response) => response.writeHead(404, headersOf('/')).end('<h1>Not here</h1>'),
      'a page': (_, response) => response.writeHead(200, headersOf('/')).end(PAGE),
      'cut off': (_, response) => response.destroy(),
    }
    for (const [name, route] of Object.entries(states)) {
      site.routes.set(STATE, route)
      const context = await browser.newContext()
      const page = await opened(context, `${site.url}/`)
      t.equal(packed(await page.innerHTML('body')), BODIES.control, name)
      t.same(await context.cookies(), [], `${name}: no cookie`)
      await context.close()
    }
    site.routes.set(STATE, served ?? '')
    t.equal(site.posts(), posts)
  })

  await t.test('a shipped variant is for everybody, without a cookie and without a count', async (t) => {
    const posts = site.posts()
    site.serve({ hero: 'c' })
    const fresh = await browser.newContext()
    const page = await opened(fresh, `${site.url}/`)
    t.equal(packed(await page.innerHTML('body')), BODIES.c)
    t.same(await fresh.cookies(), [])
    await fresh.close()
    const known = await contextOf(browser, site, visitors.get('control') ?? '')
    t.equal(packed(await (await opened(known, `${site.url}/`)).innerHTML('body')), BODIES.c)
    await known.close()
    site.serve({ hero: 'gone' })
    const odd = await contextOf(browser, site, visitors.get('b') ?? '')
    t.equal(packed(await (await opened(odd, `${site.url}/`)).innerHTML('body')), BODIES.control)
    await odd.close()
    t.equal(site.posts(), posts)
  })

  await t.test('the back button after a pause shows the control', async (t) => {
    site.serve({ hero: true })
    site.routes.set('/other', '<!doctype html><p>Other</p>')
    const context = await contextOf(browser, site, visitors.get('b') ?? '')
    const page = await opened(context, `${site.url}/`)
    t.equal(packed(await page.innerHTML('body')), BODIES.b)
    await page.goto(`${site.url}/other`)
    site.serve({})
    await page.goBack()
    t.equal(packed(await page.innerHTML('body')), BODIES.control)
    await context.close()
  })

  await t.test('an open page keeps its variants, and elements added later get theirs', async (t) => {
    site.serve({ hero: true, late: true, later: true })
    const context = await contextOf(browser, site, visitors.get('b') ?? '')
    const page = await opened(context, `${site.url}/`)
    const add = async (key: string): Promise<unknown> =>
      page.evaluate(`{
        const box = document.createElement('div')
        box.innerHTML = '<template data-svc="${key}" data-svc-variant="b"><i>B</i></template><i data-svc="${key}:control=0,b=100">A</i>'
        document.body.append(box)
        new Promise((done) => setTimeout(() => done(box.textContent)))
      }`)
    t.equal(await add('late'), 'B', 'served when the page was loaded')
    site.serve({})
    t.equal(await add('late'), 'B', 'it was shown already')
    const asked = page.waitForResponse((response) => response.url().endsWith(STATE))
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    await asked
    t.equal(
      await until(
        () => add('later'),
        (text) => text === 'A',
      ),
      'A',
    )
    t.equal(await add('late'), 'B')
    t.match(await page.textContent('h1'), 'Try it', 'nothing changes under the visitor')
    await context.close()
  })

  await t.test('the module form asks again every minute, if it shows a served experiment', async (t) => {
    site.routes.set('/module.js', helperSource('module', { exposures: EXPOSURES }))
    site.routes.set(
      '/module-page.js',
      "import * as helper from '/module.js'\nwindow.variant = helper.variant",
    )
    site.routes.set(
      '/module',
      `<!doctype html><script src="${STATE}"></script><script type="module" src="/module-page.js"></script>`,
    )
    const open = async () => {
      const context = await contextOf(browser, site, 'somebody')
      const page = await context.newPage()
      await page.clock.install()
      let asked = 0
      page.on('request', (request) => {
        if (request.url().endsWith(STATE)) asked++
      })
      await page.goto(`${site.url}/module`)
      const shown = (key: string): Promise<unknown> =>
        page.evaluate(`variant('${key}', { control: 0, b: 100 })`)
      return { context, page, shown, asked: () => asked }
    }
    site.serve({ first: true, second: true })
    const page = await open()
    t.same([await page.shown('first'), await page.shown('unknown')], ['b', 'control'])
    site.serve({ unknown: true })
    await page.page.clock.runFor(59_000)
    t.equal(page.asked(), 1)
    const answered = page.page.waitForResponse((response) => response.url().endsWith(STATE))
    await page.page.clock.runFor(1_000)
    await answered
    // The helper asks for each key only once, so shown variants stay.
    await page.page.evaluate('new Promise((done) => fetch("/module").then(done))')
    t.same(
      [await page.shown('first'), await page.shown('second'), await page.shown('unknown')],
      ['b', 'control', 'control'],
    )
    await page.context.close()

    site.serve({})
    const idle = await open()
    t.equal(await idle.shown('first'), 'control')
    await idle.page.clock.runFor(600_000)
    await idle.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    t.equal(idle.asked(), 1, 'a page without a served experiment asks once')
    await idle.context.close()
  })
})

async function contextOf(browser: Browser, site: Site, visitor: string): Promise<BrowserContext> {
  const context = await browser.newContext()
  await cookie(context, site, visitor)
  return context
}

const cookie = (context: BrowserContext, site: Site, visitor: string) =>
  context.addCookies([{ name: 'svc_id', value: visitor, url: site.url }])

async function opened(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(url)
  return page
}

/** Sends the page in pieces of odd sizes with pauses, which end inside elements and tags. */
async function slowly(response: ServerResponse, text: string): Promise<void> {
  response.writeHead(200, headersOf('/'))
  for (let at = 0; at < text.length; ) {
    const next = at + 60 + ((at * 7919) % 131)
    response.write(text.slice(at, next))
    at = next
    await sleep(40)
  }
  response.end()
}
