import t from 'tap'
import { chromiumProblem } from '../../test/support/chromium.js'
import { findingsOf, openConsole, settled, signIn } from './support/browser.js'
import { FUNNEL, runDemo } from './support/world.js'

t.setTimeout(600_000)
const skip = chromiumProblem()

t.test('a day of an analyst, by clicking, on the data of the demo', { skip }, async (t) => {
  const consoled = await openConsole(t)
  const { service } = consoled
  await runDemo(service)
  const { page, problems, open } = await consoled.tab()
  const visit = (name: string) =>
    page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click()
  const button = (name: string | RegExp) =>
    page.getByRole('button', { name, exact: typeof name === 'string' })
  const type = async (label: string, text: string): Promise<void> => {
    await page.getByLabel(label, { exact: true }).click()
    await page.keyboard.type(text)
    await page.keyboard.press('Enter')
  }
  const save = async (name: string, dashboard: string): Promise<void> => {
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name', { exact: true }).fill(name)
    await dialog.getByLabel('Dashboard', { exact: true }).selectOption(dashboard)
    if (dashboard !== 'Shop') await dialog.getByLabel('Name of the dashboard').fill('Shop')
    t.same(await findingsOf(page), [])
    await dialog.getByRole('button', { name: 'Save', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
  }
  await open('/')

  await t.test('a funnel with a breakdown is built, saved and put on a new dashboard', async () => {
    await visit('Funnels')
    await type('Step 1', 'product_viewed')
    await type('Step 2', 'cart_added')
    await button('Add step').click()
    await page.keyboard.type('purchased')
    await page.keyboard.press('Enter')
    await page.getByLabel('Breakdown', { exact: true }).click()
    await page.getByRole('option', { name: /^country/ }).click()
    await button(/^Time range/).click()
    await button('Last 7 days').click()
    await page.getByRole('table', { name: 'Persons of each value by step' }).waitFor()
    await button('Save funnel').click()
    await page.getByRole('dialog').getByText('Everything on the screen is saved.').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('From product to purchase')
    await button('Save').click()
    await page.getByRole('heading', { level: 1, name: 'From product to purchase' }).waitFor()
    await button('Put on a dashboard…').click()
    await save('From product to purchase', 'A new dashboard…')
  })

  await t.test('a trend of revenue is compared, saved, changed and saved again', async (t) => {
    await visit('Trends')
    await type('Event', 'purchased')
    await page.getByLabel('Measure of purchased').selectOption('Sum of')
    await page.getByLabel('Property to measure of purchased').click()
    await page.getByRole('option', { name: /^total/ }).click()
    await page.getByRole('row', { name: /^Sum of total \(purchased\) [\d,]+$/ }).waitFor()
    await page.getByLabel('Compare with the period before').check()
    await page.getByRole('columnheader', { name: 'Before' }).waitFor()
    await button('Save…').click()
    await page.getByRole('dialog').getByText('Everything on the screen is saved.').waitFor()
    await save('Revenue', 'Shop')
    const saved = page.getByRole('navigation', { name: 'Saved trends' })
    await saved.getByRole('link', { name: 'Revenue', exact: true }).waitFor()
    await page.getByLabel('Interval').selectOption('By week')
    await button(/^Time range/).click()
    const day = new Date(Date.now() - 20 * 86_400_000).toISOString().slice(0, 10)
    await page.getByLabel('From', { exact: true }).fill(`${day}T00:00`)
    await button('Apply').click()
    // The page writes its address a moment after a change.
    await page.waitForURL(/interval=week/)
    await page.waitForURL(/from=/)
    await button('Save changes').click()
    await button('Save changes').waitFor({ state: 'detached' })
    await page.reload()
    t.equal(await page.getByLabel('Interval').inputValue(), 'week')
    t.match(await consoled.ask('/funnel/insights'), {
      data: [
        { name: 'Revenue', query: { interval: 'week', compare: true, from: String } },
        { kind: 'funnel' },
      ],
    })
  })

  await t.test('retention of those who viewed a product is saved', async () => {
    await visit('Retention')
    await type('First event', 'page_viewed')
    await type('Return event', 'product_viewed')
    await page.getByRole('row', { name: /^All/ }).waitFor()
    await button('Save…').click()
    await save('Coming back', 'Shop')
    await page.getByRole('link', { name: 'Coming back', exact: true }).waitFor()
  })

  await t.test('the dashboard shows them in an order, with one range, and can be shared', async (t) => {
    await visit('Dashboards')
    await page.getByRole('link', { name: 'Shop' }).click()
    await page.getByRole('heading', { level: 1, name: 'Shop' }).waitFor()
    const cards = page.locator('.dashboard > section > h2')
    await cards.nth(2).waitFor()
    t.same(await cards.allTextContents(), ['From product to purchase', 'Revenue', 'Coming back'])
    await button('Edit…').click()
    await button('Move Coming back up').click()
    await button('Save').click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.locator('.dashboard > section:nth-child(2) h2', { hasText: 'Coming back' }).waitFor()
    await button(/^Time range/).click()
    await button('Last 90 days').click()
    await page.waitForURL(/days=90/)
    await settled(page)
    t.same(await findingsOf(page), [])
    const address = page.url()
    await button('Show this range to everyone').click()
    await button('Show this range to everyone').waitFor({ state: 'detached' })
    const other = await consoled.tab({ viewport: { width: 390, height: 800 }, colorScheme: 'dark' })
    await other.page.goto(address)
    await signIn(other.page, service.keys.sessionToken)
    await other.page.getByRole('heading', { level: 1, name: 'Shop' }).waitFor()
    await other.page.getByRole('button', { name: /Last 90 days/ }).waitFor()
    await other.page.locator('.chart canvas').waitFor()
    await settled(other.page)
    t.same(await findingsOf(other.page), [])
    t.same(other.problems, [])
    await other.page.context().close()
    await page.getByRole('link', { name: 'From product to purchase' }).click()
    await page.getByRole('heading', { level: 1, name: 'Funnels' }).waitFor()
    t.equal(await page.getByLabel('Step 3', { exact: true }).inputValue(), 'purchased')
    await page.getByRole('link', { name: FUNNEL }).waitFor()
  })

  await t.test('one purchase leads to its person and everything they did', async () => {
    await visit('Events')
    await button('purchased').click()
    await page.getByRole('link', { name: 'Search these events' }).click()
    await button('Add filter').click()
    await page.keyboard.type('coupon')
    await page.keyboard.press('Enter')
    await page.getByLabel('Value', { exact: true }).click()
    await page.getByRole('option', { name: /^true/ }).click()
    const row = page.getByRole('row').filter({ hasText: '"coupon":true' })
    await row.first().getByRole('button').click()
    await page.getByRole('dialog').getByText('"coupon": true').waitFor()
    await page.getByRole('dialog').locator('dl').getByRole('link').click()
    await page.getByRole('heading', { level: 2, name: 'Timeline' }).waitFor()
    await button('purchased').first().waitFor()
  })

  t.same(problems, [])
})
