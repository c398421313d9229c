import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { makeRepository } from '../../../bench/demos/experiment/shop.js'
import { chromiumPath } from '../../../test/support/chromium.js'
import { connectRepository } from '../../../test/support/connect-repository.js'
import { call, startService, temporaryDataDir, until } from '../../../test/support/service.js'
import { settled, signIn } from './browser.js'
import { fillExperiments, runDemo, trickle } from './world.js'

/* Takes the pictures of docs/screens from a service of its own, after `npm run demo`. */

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
try {
  await runDemo(service)
  await fillExperiments(service)
  connectRepository(service, makeRepository(join(data.path, 'shop')).path)
  const { apiKey } = service.keys
  const ask = async <Body>(path: string, method = 'GET', body?: unknown) =>
    (await call<Body>(apiKey, method, `${service.api}/v1${path}`, body)).body
  const { runId } = await ask<{ runId: string }>('/experiments/generate', 'POST', { count: 6 })
  await until(
    () => ask<{ status: string }>(`/experiment-runs/${runId}`),
    ({ status }) => status === 'succeeded',
  )
  const { data: funnels } = await ask<{ data: { id: string }[] }>('/funnel')
  for (const key of ['checkout-button', 'pricing-headline', 'free-shipping', 'short-sign-up'])
    await ask(`/experiments/${key}`)
  const pages = {
    live: '/',
    events: '/events',
    funnel: `/funnels/${funnels[0]?.id}?trend=day&days=7`,
    experiments: '/experiments',
    experiment: '/experiments/checkout-button',
    proposals: '/proposals',
    setup: '/setup',
  }
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
      if (name === 'live') await trickle(service, 40)
      await settled(page)
      await page.waitForTimeout(1_500)
      const file = join(folder, `${name}-${tone}.png`)
      await page.screenshot({ path: file })
      process.stdout.write(`${file} ${Math.round(statSync(file).size / 1_024)} KB\n`)
    }
    await context.close()
  }
} finally {
  await browser.close()
  await service.stop()
  data.remove()
}
