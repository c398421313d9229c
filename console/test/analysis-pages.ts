import t from 'tap'
import { chromiumProblem } from '../../test/support/chromium.js'
import { call } from '../../test/support/service.js'
import { findingsOf, openConsole } from './support/browser.js'

t.setTimeout(600_000)
const skip = chromiumProblem()

t.test('events and persons are found, counted and drawn', { skip }, async (t) => {
  const consoled = await openConsole(t)
  const { service } = consoled
  const { page, problems, open } = await consoled.tab()
  const send = async (events: readonly object[]): Promise<void> => {
    const { status } = await call(service.keys.serverKey, 'POST', `${service.ingest}/v1/events`, { events })
    t.equal(status, 202)
  }
  await open('/')

  await t.test('events are found by name, property and person, further pages without a gap', async (t) => {
    await send(
      Array.from({ length: 60 }, (_, at) => ({
        event: 'paged',
        userId: `reader-${at % 3}`,
        properties: { page: at, kind: at % 2 === 0 ? 'even' : 'odd' },
      })),
    )
    await page.goto('/events')
    await page.getByRole('button', { name: 'paged', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'paged' })
    await dialog.getByRole('row', { name: /kind string 100% (even, odd|odd, even)/ }).waitFor()
    await dialog.getByRole('button', { name: 'Edit kind' }).click()
    await page.getByLabel('Description').fill('Even or odd')
    await page.getByRole('button', { name: 'Save' }).click()
    await dialog.getByRole('row', { name: /kind Even or odd string 100%/ }).waitFor()
    t.same(await findingsOf(page), [])
    await dialog.getByRole('button', { name: 'Describe or hide this name' }).click()
    await page.getByLabel('Description').fill('A page was read')
    t.same(await findingsOf(page), [])
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('A page was read').waitFor()
    await page.getByRole('button', { name: 'paged', exact: true }).click()
    await dialog.getByRole('link', { name: 'Search these events' }).click()
    await page.getByText('25 of 60 events').waitFor()
    await send([{ event: 'paged', userId: 'late' }])
    await page.getByRole('button', { name: 'Show more' }).click()
    await page.getByText('50 of 60 events').waitFor()
    await page.getByRole('button', { name: 'Show more' }).click()
    await page.getByText('60 of 60 events').waitFor()
    const pages = (await page.locator('.event-properties').allTextContents()).map(
      (text) => /"page":(\d+)/.exec(text)?.[1],
    )
    t.same(pages, [...Array(60).keys()].reverse().map(String))
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Export as CSV' }).click()
    const chunks: Buffer[] = []
    for await (const chunk of await (await download).createReadStream()) chunks.push(chunk as Buffer)
    const rows = Buffer.concat(chunks).toString().trimEnd().split('\r\n')
    t.equal(rows.length, 62, 'a header, and every event of this name')
    await page.getByRole('button', { name: 'Add filter' }).click()
    t.equal(await page.evaluate('document.activeElement.placeholder'), 'property', 'it has the focus')
    await page.keyboard.type('kind')
    await page.keyboard.press('Enter')
    await page.getByLabel('Value', { exact: true }).click()
    await page.getByRole('option', { name: /odd/ }).click()
    await page.getByText('25 of 30 events').waitFor()
    await page.getByLabel('Person', { exact: true }).fill('reader-1')
    await page.getByRole('option', { name: /user:reader-1/ }).click()
    await page.getByText('10 of 10 events').waitFor()
    t.same(await findingsOf(page), [])
    await page.reload()
    await page.getByText('10 of 10 events').waitFor()
    await page.getByRole('link', { name: 'reader-1' }).first().click()
    await page.getByRole('heading', { level: 1, name: 'reader-1' }).waitFor()
    await page.getByText('20 of 20 events').waitFor()
    t.same(await findingsOf(page), [])
  })

  await t.test('the keyboard goes to the search and from row to row', async (t) => {
    await page.getByRole('link', { name: 'All persons' }).click()
    await page.getByRole('heading', { level: 1, name: 'Persons' }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('reader-')
    await page.getByText('1 to 3 of 3 persons').waitFor()
    const links = page.getByRole('table').getByRole('link')
    await links.first().focus()
    await page.keyboard.press('ArrowDown')
    t.equal(await page.evaluate('document.activeElement.textContent'), await links.nth(1).textContent())
    t.same(await findingsOf(page), [])
  })

  await t.test('trends count events and persons, broken down, and the address keeps them', async (t) => {
    await page.getByRole('navigation').getByRole('link', { name: 'Trends' }).click()
    await page.getByLabel('Event', { exact: true }).fill('paged')
    await page.keyboard.press('Enter')
    const totals = page.getByRole('region', { name: 'Totals' })
    await totals.getByRole('row', { name: 'paged 61' }).waitFor()
    await page.locator('.chart canvas').waitFor()
    await page.getByLabel('Measure of paged').selectOption('Persons')
    await totals.getByRole('row', { name: 'Persons of paged 4' }).waitFor()
    await page.getByRole('button', { name: 'Add series' }).click()
    await page.keyboard.type('paged')
    await page.keyboard.press('Enter')
    await page.getByLabel('Measure of paged').nth(1).selectOption('Sum of')
    await page.getByLabel('Property to measure of paged').click()
    await page.getByRole('option', { name: /page/ }).click()
    await totals.getByRole('row', { name: 'Sum of page (paged) 1,770' }).waitFor()
    await page.getByLabel('Breakdown', { exact: true }).fill('kind')
    await page.keyboard.press('Enter')
    await totals.getByRole('row', { name: 'Sum of page (paged): odd 900' }).waitFor()
    await page.getByLabel('Compare with the period before').check()
    await totals.getByRole('row', { name: 'Sum of page (paged): odd 900 -' }).waitFor()
    t.same(await findingsOf(page), [])
    await page.waitForURL(/compare=1/)
    await page.reload()
    await totals.getByRole('row', { name: 'Sum of page (paged): odd 900 -' }).waitFor()
    t.same(await findingsOf(page), [])
  })

  await t.test('retention shows the persons of a day who came back, as shares and as persons', async (t) => {
    const noon = (daysAgo: number): string =>
      `${new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10)}T12:00:00.000Z`
    const visits = (event: string, daysAgo: number, count: number): object[] =>
      Array.from({ length: count }, (_, at) => ({ event, userId: `v-${at}`, timestamp: noon(daysAgo) }))
    await send([...visits('came', 3, 8), ...visits('returned', 3, 8), ...visits('returned', 2, 6)])
    await page.getByRole('navigation').getByRole('link', { name: 'Retention' }).click()
    await page.getByLabel('First event').fill('came')
    await page.keyboard.press('Enter')
    await page.getByLabel('Return event').fill('returned')
    await page.keyboard.press('Enter')
    const table = page.getByRole('region', { name: 'Retention' })
    const cells = table.getByRole('row', { name: /^All/ }).getByRole('cell')
    await table.getByRole('row', { name: 'All 8 100% 75.0% 0%' }).waitFor()
    t.equal(await cells.nth(1).getAttribute('data-shade'), '10')
    t.same(await findingsOf(page), [])
    await page.getByRole('button', { name: 'Persons', exact: true }).click()
    await table.getByRole('row', { name: 'All 8 8 6 0' }).waitFor()
    await page.waitForURL(/start=came&return=returned/)
    await page.reload()
    await table.getByRole('row', { name: 'All 8 100% 75.0% 0%' }).waitFor()
  })

  t.same(problems, [])
})
