import t from 'tap'
import { insertExperiment } from '../../management/experiments/store.js'
import { chromiumProblem } from '../../test/support/chromium.js'
import { proposalRow } from '../../test/support/proposal-row.js'
import { call } from '../../test/support/service.js'
import { openConsole } from './support/browser.js'
import { withDatabase } from './support/world.js'

t.setTimeout(600_000)
const skip = chromiumProblem()
const MANY_EXPERIMENTS = 10_000
const AT_ONCE = 200
const MANY_NAMES = 5_000

t.test('pages stay usable with very many rows', { skip }, async (t) => {
  const consoled = await openConsole(t)
  const { service } = consoled
  const { page, problems, open } = await consoled.tab()

  await t.test('ten thousand experiments are listed page by page', async (t) => {
    await withDatabase(service, (sql) =>
      sql.begin(async (tx) => {
        const put = (at: number) =>
          insertExperiment(
            tx,
            service.keys.workspaceId,
            proposalRow({ key: `many-${at}`, name: `Number ${at}`, at: new Date() }),
          )
        // So many concurrent inserts that the round trips to Postgres do not matter.
        for (let at = 0; at < MANY_EXPERIMENTS; at += AT_ONCE)
          await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => put(at + index)))
      }),
    )
    await open('/experiments')
    await page.getByText(/of 10,000 experiments/).waitFor()
    t.equal(await page.locator('tbody tr').count(), 50)
    await page.getByLabel('Search').pressSequentially('Number 4321')
    await page.getByText('1 to 1 of 1 experiments').waitFor()
    await open('/experiments?offset=9950')
    await page.locator('tbody tr').first().waitFor()
    await page.getByRole('button', { name: 'Previous' }).click()
    await page.getByText(/^9,901 to 9,950 of/).waitFor()
  })

  await t.test('only the visible ones of five thousand event names are rendered', async (t) => {
    for (let at = 0; at < MANY_NAMES; at += 500) {
      const events = Array.from({ length: 500 }, (_, index) => ({
        event: `name_${at + index}`,
        anonymousId: 'many',
      }))
      await call(service.keys.serverKey, 'POST', `${service.ingest}/v1/events`, { events })
    }
    await open('/funnels')
    const field = page.getByLabel('Step 1', { exact: true })
    await t.resolves(async () => {
      for (;;) {
        await page.reload()
        await field.fill('name_4999')
        const option = page.getByRole('option', { name: /name_4999/ })
        if (
          await option.waitFor({ timeout: 2_000 }).then(
            () => true,
            () => false,
          )
        )
          return
      }
    })
    await field.fill('name_')
    t.equal(await page.locator('[role=option]').count(), 50)
  })
  t.same(problems, [])
})
