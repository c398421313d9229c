import type { Page } from 'playwright-core'
import t from 'tap'
import { chromiumProblem } from '../../test/support/chromium.js'
import { call } from '../../test/support/service.js'
import { openConsole, settled } from './support/browser.js'
import { checkLooks, checkState } from './support/looks.js'
import { NAV_ITEMS, navStates } from './support/states.js'
import { declare, HOSTILE, openShop } from './support/world.js'

t.setTimeout(600_000)
/** Without the characters that turn the direction, which the API refuses in names. */
const NAMES = Object.values(HOSTILE).map((name) => name.replace(/[\u202c\u202e]/g, ''))
const skip = chromiumProblem()
const FIRST_LOAD_BYTES = 150_000

const landmarks = async (page: Page): Promise<number[]> =>
  await Promise.all(['nav[aria-label=Main]', 'main', 'h1'].map((selector) => page.locator(selector).count()))

t.test('every page follows the common rules', { skip }, async (t) => {
  const consoled = await openConsole(t)
  const { service } = consoled
  const { page, problems, open } = await consoled.tab()

  await t.test('axe finds nothing on signing in, and in an empty workspace', async (t) => {
    await page.goto('/setup')
    await page.getByLabel('Session token').waitFor()
    await checkLooks(t, page, 'signing in')
    for (const state of navStates) await checkState(t, { page, open }, state)
  })

  await t.test('the first load is small, and the charts come later', async (t) => {
    const tab = await consoled.tab()
    const sizes: Promise<number>[] = []
    const paths: string[] = []
    tab.page.on('requestfinished', (request) => {
      if (new URL(request.url()).pathname.startsWith('/v1/')) return
      paths.push(new URL(request.url()).pathname)
      sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize))
    })
    await tab.open('/experiments')
    await settled(tab.page)
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
    t.ok(bytes > 10_000 && bytes < FIRST_LOAD_BYTES, `${bytes} bytes`)
    t.notOk(paths.some((path) => path.includes('draw')))
    await tab.page.context().close()
  })

  await openShop(service, 20)
  await t.test('one navigation, one main, one heading that is named as its link', async (t) => {
    await open('/')
    for (const [path, name] of Object.entries(NAV_ITEMS)) {
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click()
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
      t.equal(new URL(page.url()).pathname, path)
      t.same(await landmarks(page), [1, 1, 1])
      t.equal(await page.locator('nav[aria-label=Main] [aria-current=page]').textContent(), name)
    }
    await open('/no/such/page')
    await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor()
  })

  await t.test('names are shown as plain text, whatever they contain', async (t) => {
    for (const [at, name] of NAMES.entries()) {
      await declare(service, { name, key: `hostile-${at}`, mechanism: name, hypothesis: name, notes: name })
      await call(service.keys.apiKey, 'POST', `${service.api}/v1/funnel`, {
        name,
        description: name,
        steps: [{ eventName: 'page_viewed', name }],
      })
    }
    const { data } = await consoled.ask<{ data: { id: string; name: string }[] }>('/funnel')
    const funnels = data.filter(({ name }) => NAMES.includes(name))
    t.equal(funnels.length, 3)
    const tab = await consoled.tab({ viewport: { width: 360, height: 800 } })
    await tab.open('/experiments')
    for (const name of NAMES) await tab.page.getByText(name, { exact: true }).first().waitFor()
    for (const [path, name] of [
      ...NAMES.map((name, at) => [`/experiments/hostile-${at}`, name] as const),
      ...funnels.map(({ id, name }) => [`/funnels/${id}`, name] as const),
    ]) {
      await tab.open(path)
      await tab.page.getByRole('heading', { level: 1 }).getByText(name, { exact: true }).waitFor()
      await settled(tab.page)
      const over = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
      t.ok(Number(await tab.page.evaluate(over)) <= 0, `${name} keeps to the page`)
      t.equal(await tab.page.evaluate('window.hacked'), undefined)
    }
    t.same(tab.problems, [])
    await tab.page.context().close()
  })

  t.same(problems, [])
})
