import type { Page } from 'playwright-core'
import t from 'tap'
import { chromiumProblem } from '../../test/support/chromium.js'
import { call } from '../../test/support/service.js'
import { findingsOf, openConsole, settled } from './support/browser.js'
import { declare, FUNNEL, fillDashboard, fillExperiments, HOSTILE, openShop } from './support/world.js'

t.setTimeout(600_000)
/** Without the characters that turn the direction, which the API refuses in names. */
const NAMES = Object.values(HOSTILE).map((name) => name.replace(/[\u202c\u202e]/g, ''))
const skip = chromiumProblem()
const NAV_ITEMS = {
  '/': 'Live',
  '/events': 'Events',
  '/persons': 'Persons',
  '/trends': 'Trends',
  '/retention': 'Retention',
  '/funnels': 'Funnels',
  '/dashboards': 'Dashboards',
  '/experiments': 'Experiments',
  '/proposals': 'Proposals',
  '/runs': 'Runs',
  '/learnings': 'Learnings',
  '/setup': 'Setup',
  '/settings': 'Settings',
}
const FIRST_LOAD_BYTES = 150_000

const landmarks = async (page: Page): Promise<number[]> =>
  await Promise.all(['nav[aria-label=Main]', 'main', 'h1'].map((selector) => page.locator(selector).count()))

t.test('every page follows the common rules', { skip }, async (t) => {
  const consoled = await openConsole(t)
  const { service } = consoled
  const funnelId = await openShop(service, 100)
  await fillExperiments(service)
  const dashboardId = await fillDashboard(service)
  const deep = {
    [`/funnels/${funnelId}?by=country&trend=day`]: FUNNEL,
    '/experiments/checkout-button?diff=split': 'Checkout button says what happens next',
    '/experiments/free-shipping': 'Free shipping banner',
    '/events?view=all&event=page_viewed&days=7': 'Events',
    [`/dashboards/${dashboardId}`]: 'Shop, weekly',
    '/events?name=purchased': 'Events',
    '/trends?series=page_viewed&series=purchased&by=country&compare=1&days=7': 'Trends',
    '/retention?start=page_viewed&return=product_viewed&days=7': 'Retention',
    '/settings/members': 'Settings',
    '/settings/sessions': 'Settings',
    '/settings/repository': 'Settings',
    '/settings/webhooks': 'Settings',
    '/settings/audit': 'Settings',
  }
  const { page, problems, open } = await consoled.tab()

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

  for (const [colorScheme, width] of [
    ['light', 1280],
    ['dark', 360],
  ] as const)
    await t.test(
      `axe finds nothing, and nothing is wider than the page: ${colorScheme}, ${width}`,
      async (t) => {
        const tab = await consoled.tab({
          colorScheme,
          viewport: { width, height: 800 },
        })
        await tab.page.goto('/setup')
        await tab.page.getByLabel('Session token').waitFor()
        t.same(await findingsOf(tab.page), [], 'signing in')
        for (const [path, name] of Object.entries({ ...NAV_ITEMS, ...deep })) {
          await tab.open(path)
          await tab.page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
          await settled(tab.page)
          t.same(await findingsOf(tab.page), [], path)
          const over = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
          t.ok(Number(await tab.page.evaluate(over)) <= 0, `${path} is as wide as the window`)
        }
        t.same(tab.problems, [])
        await tab.page.context().close()
      },
    )

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
