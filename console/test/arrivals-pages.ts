import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import t from 'tap'
import { chromiumProblem } from '../../test/support/chromium.js'
import { call } from '../../test/support/service.js'
import { findingsOf, openConsole, settled } from './support/browser.js'
import { HOSTILE, withDatabase } from './support/world.js'

t.setTimeout(600_000)
const skip = chromiumProblem()

t.test('a newcomer gets from the link in the terminal to arriving events', { skip }, async (t) => {
  const consoled = await openConsole(t)
  const { service } = consoled
  const link = /http:\S+#code=\S+/.exec(service.output())?.[0] ?? ''
  const { page, problems } = await consoled.tab()
  const send = async (events: readonly object[]): Promise<void> => {
    const unwrap = await call(service.keys.serverKey, 'POST', `${service.ingest}/v1/events`, { events })
    t.equal(unwrap.status, 202)
  }
  const status = (text: string) => page.getByRole('status').filter({ hasText: text }).waitFor()

  await t.test('the link signs in, once, and leaves no trace in the address', async (t) => {
    await page.goto(link)
    await page.getByRole('heading', { level: 1, name: 'Live' }).waitFor()
    t.equal(page.url(), `${service.api}/`)
    await page.getByText('No event has arrived yet').waitFor()
    const again = await consoled.tab()
    await again.page.goto(link)
    await again.page.getByRole('alert').filter({ hasText: 'has been used' }).waitFor()
    t.equal(again.page.url(), `${service.api}/`)
    await again.page.context().close()
  })

  await t.test(
    'the first steps lead from a copied command to its events and a funnel, on one page',
    async (t) => {
      await page.getByRole('main').getByRole('link', { name: 'Setup' }).click()
      await page.getByRole('heading', { level: 1, name: 'Setup' }).waitFor()
      await status('Waiting for the first event')
      const wrong = { events: [{ event: 'order paid', userId: 'ada' }] }
      for (let n = 0; n < 2; n++)
        await call(service.keys.serverKey, 'POST', `${service.ingest}/v1/events`, wrong)
      await status('2 requests refused')
      await status('events[0].event must contain only the characters')
      t.same(await findingsOf(page), [])
      await page.getByRole('button', { name: 'Show refused events' }).click()
      const refused = page.getByRole('dialog', { name: 'Refused events' })
      await refused.getByRole('row', { name: /\(it was "order paid"\).*400 VALIDATION_FAILED/ }).waitFor()
      t.same(await findingsOf(page), [])
      await refused.getByRole('button', { name: 'Close' }).click()
      await page.getByText(/^svc \d+\.\d+\.\d+/).waitFor()
      await page
        .getByRole('region', { name: 'Readiness' })
        .getByText(/No event has been received yet/)
        .waitFor()
      const command = await page.locator('pre', { hasText: 'curl' }).first().textContent()
      const env = { PATH: process.env.PATH ?? '', SVC_DATA_DIR: service.dataDir }
      const { stdout, stderr } = spawnSync('sh', ['-c', command ?? ''], {
        cwd: tmpdir(),
        env,
        encoding: 'utf8',
      })
      t.match(stdout, /"accepted":2/, stderr)
      await status('Events are here')
      await page.getByRole('button', { name: 'first_signed_up' }).waitFor()
      const funnel = page.getByRole('region', { name: 'Funnel', exact: true })
      await funnel.getByRole('row', { name: 'first_signed_up 1 100%' }).waitFor()
      await page
        .getByRole('region', { name: 'Readiness' })
        .getByText('Received 2 events with 2 different')
        .waitFor()
      t.same(await findingsOf(page), [])
      await page.getByRole('link', { name: 'Open it in the funnel builder' }).click()
      t.equal(await page.getByLabel('Step 2', { exact: true }).inputValue(), 'first_signed_up')
    },
  )

  await t.test('a key shows what arrived, hour by hour', async (t) => {
    await page.goto(`${service.api}/settings`)
    await page.getByRole('button', { name: 'Arrived events of Demo server key' }).click()
    const arrived = page.getByRole('dialog', { name: 'Arrived events of the key Demo server key' })
    await arrived.getByRole('row', { name: 'All 2 2 0 0 0' }).waitFor()
    await arrived.getByText('is counted').waitFor()
    t.same(await findingsOf(page), [])
    await arrived.getByRole('button', { name: 'Close' }).click()
  })

  await t.test('events are shown as they arrive, and their content as plain text', async (t) => {
    await page.getByRole('navigation').getByRole('link', { name: 'Live' }).click()
    await status('Live')
    await send(
      Object.values(HOSTILE).map((text, i) => ({
        event: `hostile_${i}`,
        userId: text.slice(0, 100),
        properties: { [text]: text },
      })),
    )
    for (const i of [0, 1, 2]) await page.getByRole('button', { name: `hostile_${i}` }).waitFor()
    await page.getByRole('button', { name: 'hostile_0' }).click()
    const dialog = page.getByRole('dialog', { name: 'hostile_0' })
    await dialog.getByText(HOSTILE.script.slice(0, 100), { exact: true }).first().waitFor()
    await page.waitForURL(/\?id=[0-9a-f-]{36}$/)
    t.same(await findingsOf(page), [])
    const address = page.url()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    t.equal(await page.evaluate('document.activeElement.textContent'), 'hostile_0', 'the focus is kept')
    await page.goto(address)
    await dialog.waitFor()
    await page.keyboard.press('Escape')
    t.equal(await page.evaluate('window.hacked'), undefined)
    await page.getByText('Last minute').waitFor()
    // The earlier events are listed, so that the next ones come from the stream.
    await page.getByRole('button', { name: 'hostile_0' }).waitFor()
    t.same(await findingsOf(page), [])
  })

  await t.test(
    'a paused list stays still and counts new events; resumed, it shows all of them',
    async (t) => {
      await page.getByRole('button', { name: 'Pause' }).click()
      await status('Paused')
      await send([1, 2, 3].map((i) => ({ event: 'while_paused', userId: `u-${i}` })))
      await status('Paused, 3 new events')
      t.equal(await page.getByRole('button', { name: 'while_paused' }).count(), 0)
      await page.getByRole('button', { name: 'Go on' }).click()
      await page.getByRole('button', { name: 'while_paused' }).nth(2).waitFor()
    },
  )

  await t.test('the list can be filtered by event name, and the address contains the filter', async (t) => {
    await page.getByLabel('Only events named').fill('wanted_only')
    await page.getByText('No recent events of this name').waitFor()
    await page.waitForURL((url) => url.searchParams.get('event') === 'wanted_only')
    await send([
      { event: 'other', userId: 'u' },
      { event: 'wanted_only', userId: 'u' },
    ])
    await page.getByRole('button', { name: 'wanted_only' }).waitFor()
    t.equal(await page.getByRole('button', { name: 'other' }).count(), 0)
    await page.getByLabel('Only events named').fill('no such name!')
    await page.getByRole('alert').filter({ hasText: 'No event can have this name' }).waitFor()
  })

  await t.test('the vocabulary with its trends, and every event', async (t) => {
    await page.getByRole('navigation').getByRole('link', { name: 'Events' }).click()
    const row = page.getByRole('row', { name: /while_paused/ })
    await row.getByRole('img', { name: '3 in the last 24 hours' }).waitFor()
    await page.getByLabel('Trend of the last').selectOption('60 minutes')
    await row.getByRole('img', { name: '3 in the last 60 minutes' }).waitFor()
    await page.getByLabel('Search names').fill('hostile')
    await page.getByText('1 to 3 of 3 event names').waitFor()
    await settled(page)
    t.same(await findingsOf(page), [])
    await page.reload()
    await page.getByText('1 to 3 of 3 event names').waitFor()
    await page.getByRole('button', { name: 'Every event' }).click()
    await page.getByLabel('Order').selectOption('Oldest first')
    await page.getByRole('button', { name: 'first_page_viewed' }).waitFor()
    await page.getByRole('button', { name: 'first_page_viewed' }).click()
    await page.getByRole('dialog').getByText('"path": "/"').waitFor()
    await page.waitForURL(/view=all/)
    const address = page.url()
    await page.goto('/')
    await page.goto(address)
    await page.getByRole('dialog', { name: 'first_page_viewed' }).waitFor()
    t.same(await findingsOf(page), [])
  })

  await t.test(
    'a broken connection is reported, and events that came meanwhile appear afterwards',
    async (t) => {
      const stream = (url: URL) => url.pathname === '/v1/events/live'
      await page.route(stream, (route) => route.abort())
      await page.goto('/')
      await status('No connection, trying again')
      await send([{ event: 'meanwhile', userId: 'u' }])
      await page.unroute(stream)
      await status('Live')
      await send([{ event: 'afterwards', userId: 'u' }])
      await page.getByRole('button', { name: 'afterwards' }).waitFor()
      await page.getByRole('button', { name: 'meanwhile' }).waitFor()
      t.ok(problems.splice(0).every((text) => text.includes('ERR_FAILED')))
    },
  )

  await t.test(
    'a revoked session asks for a new token on the open page, and its address stays',
    async (t) => {
      await page.goto('/?event=afterwards')
      await status('Live')
      await withDatabase(service, (sql) => sql`update sessions set revoked_at = now()`)
      await page.getByRole('alert').filter({ hasText: 'session has ended' }).waitFor()
      await page.getByLabel('Session token').waitFor()
      t.equal(new URL(page.url()).searchParams.get('event'), 'afterwards')
      // The browser itself logs that a request was refused.
      t.strictSame(
        problems.splice(0).filter((text) => !text.includes('401')),
        [],
      )
    },
  )

  t.same(problems, [])
})
