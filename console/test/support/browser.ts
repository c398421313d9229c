import axe from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { Test } from 'tap'
import { launchChromium } from '../../../test/support/chromium.js'
import { call, type RunningService, startService, temporaryDataDir } from '../../../test/support/service.js'

export interface Console {
  readonly service: RunningService
  readonly browser: Browser
  /** A new tab, whose errors and whose requests to anywhere else are in `problems`. */
  tab(options?: BrowserContextOptions): Promise<Tab>
  /** The API's answer to a person with all permissions. */
  ask<Body>(path: string, method?: string, body?: unknown): Promise<Body>
}

export interface Tab {
  readonly page: Page
  readonly problems: string[]
  /** Opens an address, and signs in if the page asks for it. */
  open(path: string): Promise<void>
}

/** The real service with the page that it serves, and a real browser. */
export async function openConsole(t: Test, env: Record<string, string> = {}): Promise<Console> {
  const data = temporaryDataDir()
  t.teardown(() => data.remove())
  const service = await startService(data.path, { env: { SVC_RESULTS_MAX_AGE_SECONDS: '1', ...env } })
  t.teardown(() => service.stop())
  const browser = await launchChromium(t)
  return {
    service,
    browser,
    tab: (options) => openTab(service, browser, options),
    ask: async <Body>(path: string, method = 'GET', body?: unknown) =>
      (await call<Body>(service.keys.sessionToken, method, `${service.api}/v1${path}`, body)).body,
  }
}

async function openTab(
  service: RunningService,
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<Tab> {
  const context = await browser.newContext({
    baseURL: service.api,
    locale: 'en-GB',
    // In the middle of a transition axe would measure colours that depend on the moment.
    reducedMotion: 'reduce',
    ...options,
  })
  const page = await context.newPage()
  // The machine may be busy with other tests.
  page.setDefaultTimeout(60_000)
  const problems: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== service.api) problems.push(`a request to ${request.url()}`)
  })
  return {
    page,
    problems,
    async open(path) {
      await page.goto(path)
      const field = page.getByLabel('Session token')
      await page.locator('main h1').first().waitFor()
      if (!(await field.isVisible())) return
      await signIn(page, service.keys.sessionToken)
    },
  }
}

export async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel('Session token').fill(token)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByLabel('Session token').waitFor({ state: 'detached' })
}

/** Nothing is awaited any more: neither an answer nor the code of a page. */
export async function settled(page: Page): Promise<void> {
  await page.locator('.skeleton, [aria-busy=true]').first().waitFor({ state: 'detached' })
}

/** Runs axe on the page once it has settled. Returns its violations, each with the HTML concerned. */
export async function findingsOf(
  page: Page,
  options: { readonly within?: string; readonly rules?: readonly string[] | undefined } = {},
): Promise<string[]> {
  const { within = 'html', rules } = options
  await settled(page)
  if (await page.evaluate('typeof axe === "undefined"')) await page.evaluate(axe.source)
  const run = { resultTypes: ['violations'], ...(rules === undefined ? {} : { runOnly: rules }) }
  const { violations } = await page.evaluate<{
    violations: { id: string; help: string; nodes: { html: string }[] }[]
  }>(`axe.run(${JSON.stringify(within)}, ${JSON.stringify(run)})`)
  return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' ')}`)
}
