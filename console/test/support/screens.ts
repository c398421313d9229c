import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { makeRepository } from '../../../bench/demos/experiment/shop.js'
import { chromiumPath } from '../../../test/support/chromium.js'
import { connectRepository } from '../../../test/support/connect-repository.js'
import { call, startService, temporaryDataDir } from '../../../test/support/service.js'
import { settled, signIn } from './browser.js'
import { fillDashboard, fillExperiments, fillSettings, runDemo, trickle } from './world.js'

/* Takes the pictures of docs/screens from a separate service, after `npm run demo`. */

const VIEWS = {
  light: { colorScheme: 'light', viewport: { width: 1280, height: 820 } },
  dark: { colorScheme: 'dark', viewport: { width: 1280, height: 820 } },
  narrow: { colorScheme: 'light', viewport: { width: 390, height: 820 } },
} as const

const folder = process.argv[2] ?? 'docs/screens'
mkdirSync(folder, { recursive: true })
const data = temporaryDataDir()
const service = await startService(data.path)
const browser = await chromium.launch({
  executablePath: chromiumPath() ?? '',
  args: ['--no-sandbox', '--disable-dev-shm-usage'],
})

async function take(pages: Readonly<Record<string, string>>): Promise<void> {
  for (const [tone, options] of Object.entries(VIEWS)) {
    const context = await browser.newContext({
      baseURL: service.api,
      locale: 'en-GB',
      timezoneId: 'Europe/Berlin',
      reducedMotion: 'reduce',
      ...options,
    })
    const page = await context.newPage()
    page.setDefaultTimeout(60_000)
    for (const [name, path] of Object.entries(pages)) {
      await page.goto(path)
      await page.locator('main h1').waitFor()
      if (await page.getByLabel('Session token').isVisible()) await signIn(page, service.keys.sessionToken)
      await page.mouse.move(0, 0)
      if (name === 'live') await trickle(service, 40)
      await settled(page)
      await page.waitForTimeout(1_500)
      // A path of this machine means nothing to a reader.
      await page.evaluate(
        `for (const text of document.querySelectorAll('main p[dir], main td span[dir]')) text.textContent = text.textContent.replace('${data.path}', '/srv')`,
      )
      const file = join(folder, `${name}-${tone}.png`)
      await page.screenshot({ path: file })
      process.stdout.write(`${file} ${Math.round(statSync(file).size / 1_024)} KB\n`)
    }
    await context.close()
  }
}

try {
  // First, because the burst of the demo's events would flatten the curve for five minutes.
  await trickle(service, 300)
  await take({ live: '/' })
  await runDemo(service)
  await fillExperiments(service)
  await fillSettings(service)
  const dashboardId = await fillDashboard(service)
  connectRepository(service, makeRepository(join(data.path, 'shop')).path)
  const { apiKey, serverKey } = service.keys
  await call(serverKey, 'GET', `${service.ingest}/v1/serving`)
  const { body: funnels } = await call<{ data: { id: string }[] }>(apiKey, 'GET', `${service.api}/v1/funnel`)
  for (const key of ['checkout-button', 'pricing-headline', 'free-shipping', 'short-sign-up'])
    await call(apiKey, 'GET', `${service.api}/v1/experiments/${key}`)
  await take({
    events: '/events',
    search: '/events?view=all&event=purchased&days=30',
    persons: '/persons',
    trends: '/trends?series=page_viewed&series=purchased&days=7',
    dashboard: `/dashboards/${dashboardId}`,
    retention: '/retention?start=page_viewed&return=product_viewed&days=7',
    funnel: `/funnels/${funnels.data[0]?.id}?trend=day&days=7`,
    experiments: '/experiments',
    experiment: '/experiments/checkout-button',
    'new-experiment': '/experiments/-/new?from=checkout-button',
    proposals: '/proposals',
    setup: '/setup',
    keys: '/settings',
    members: '/settings/members',
    sessions: '/settings/sessions',
    repository: '/settings/repository',
    webhooks: '/settings/webhooks',
    audit: '/settings/audit',
  })
} finally {
  await browser.close()
  await service.stop()
  data.remove()
}
