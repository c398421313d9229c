import t from 'tap'
import { chromiumProblem } from '../../test/support/chromium.js'
import { until } from '../../test/support/service.js'
import { openConsole, settled } from './support/browser.js'
import { declare, move, openShop, propose, visit } from './support/world.js'

t.setTimeout(600_000)
const skip = chromiumProblem()
interface Experiment {
  readonly status: string
  readonly dismissal: { readonly reasons: readonly string[]; readonly note: string | null } | null
  readonly decision: { readonly outcome: string; readonly reason: string | null } | null
  readonly results: { readonly exposed: number } | null
}

t.test('the console leads an experiment from its proposal to its learning', { skip }, async (t) => {
  const consoled = await openConsole(t, { SVC_SETTLING_HOURS: '0' })
  const { service } = consoled
  await openShop(service, 60)
  const key = await declare(service, {
    name: 'Checkout button',
    key: 'checkout-button',
    priority: 'high',
    changes: [
      {
        path: 'index.html',
        action: 'modify',
        edits: [{ find: 'Go', replace: 'Go on', variant: 'treatment' }],
      },
    ],
  })
  const other = await declare(service, { name: 'Zebra stripes', notes: 'a needle in the notes' })
  await propose(service, { key: 'to-approve', name: 'Worth a try' })
  await propose(service, { key: 'to-dismiss', name: 'Not for us' })
  const { page, problems, open } = await consoled.tab()
  const ask = (name: string) => consoled.ask<Experiment>(`/experiments/${name}`)
  const dialog = page.getByRole('dialog')
  const badge = (name: string) => page.locator('.page-head .badge', { hasText: name }).waitFor()

  await t.test('the list is filtered, sorted and searched while typing', async (t) => {
    await open('/experiments')
    const rows = page.locator('tbody tr')
    await rows.nth(3).waitFor()
    await page.getByLabel('Search').fill('NEEDLE')
    await page.getByText('1 to 1 of 1 experiments').waitFor()
    t.equal(await rows.count(), 1)
    await page.waitForURL(/search=NEEDLE/)
    await page.getByRole('button', { name: 'Show all' }).click()
    await page.getByText('of 4 experiments').waitFor()
    t.equal(await page.getByLabel('Search').inputValue(), '')
    await page.getByRole('button', { name: /^Proposed/ }).click()
    await page.getByText('of 2 experiments').waitFor()
    await page.getByRole('button', { name: 'Show all' }).click()
    await page.getByRole('button', { name: 'Name', exact: true }).click()
    await page
      .getByRole('columnheader', { name: 'Name' })
      .and(page.locator('[aria-sort=descending]'))
      .waitFor()
    await settled(page)
    t.match(await rows.first().textContent(), /Zebra stripes/)
    await page.getByRole('button', { name: 'More filters' }).click()
    await page.getByLabel('Priority').selectOption('high')
    await page.getByText('of 1 experiments').waitFor()
    await page.getByRole('button', { name: 'Created Any time' }).click()
    await page.getByRole('button', { name: 'Last 7 days' }).click()
    await page.waitForURL(/createdAfter=/)
    await page.getByText('of 1 experiments').waitFor()
    await page.getByRole('link', { name: 'Checkout button' }).click()
    await page.getByRole('heading', { level: 1, name: 'Checkout button' }).waitFor()
    t.equal(await page.evaluate('document.activeElement.tagName'), 'H1', 'the focus goes along')
    await page.goBack()
    await page.getByText('of 1 experiments').waitFor()
    await page.waitForURL(/priority=high/)
  })

  await t.test('a proposal is approved, another one turned down with reasons and a note', async (t) => {
    await open('/proposals')
    const generate = page.getByRole('button', { name: 'Generate proposals…', description: /repository/i })
    await generate.and(page.locator('[aria-disabled=true]')).waitFor()
    await page.getByRole('button', { name: 'Approve Worth a try' }).click()
    await dialog.getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByText('1 to 1 of 1 proposals').waitFor()
    t.equal((await ask('to-approve')).status, 'approved')
    await page.getByRole('button', { name: /Dismiss….*Not for us/ }).click()
    t.ok(await dialog.getByRole('button', { name: 'Dismiss', exact: true }).isDisabled(), 'asks for a reason')
    await dialog.getByLabel('Too risky').check()
    await dialog.getByLabel('Note').fill('Not before the holidays')
    await dialog.getByRole('button', { name: 'Dismiss', exact: true }).click()
    await page.getByText('No proposals').waitFor()
    t.match(await ask('to-dismiss'), {
      status: 'dismissed',
      dismissal: { reasons: ['too_risky'], note: 'Not before the holidays' },
    })
  })

  await t.test('each status has its buttons', async (t) => {
    await open(`/experiments/${key}`)
    const next = page.getByRole('region', { name: 'What can be done next' })
    const buttons = async (): Promise<string[]> => await next.getByRole('button').allTextContents()
    await badge('Approved')
    const unavailable = next.getByRole('button', {
      name: 'Write pull request',
      description: /needs a repository/,
    })
    await unavailable.and(page.locator('[aria-disabled=true]')).waitFor()
    await next.getByRole('listitem').filter({ hasText: 'needs a repository' }).waitFor()
    t.match(await buttons(), ['Start', /^Write pull request/])
    await next.getByRole('button', { name: 'Start' }).click()
    await badge('Running')
    await next.getByRole('button', { name: 'Pause' }).click()
    await badge('Paused')
    t.same(await buttons(), ['Resume', 'End…', 'Ship at once…', 'Conclude…'])
    await next.getByRole('button', { name: 'Resume' }).click()
    await badge('Running')
    t.equal((await ask(key)).status, 'running')
    t.match(await page.locator('details.file').first().textContent(), /index\.html/)
  })

  await t.test('results are drawn, and a decision that is not safe warns', async (t) => {
    await move(service, other, 'start')
    await visit(service, other, { control: [120, 12], treatment: [125, 13] })
    await until(
      () => ask(other),
      ({ results }) => results?.exposed === 245,
    )
    await open(`/experiments/${other}`)
    await page.getByRole('img', { name: /Lift .*95% interval .*sequential interval/ }).waitFor()
    await page.getByText('Persons are split as planned').waitFor()
    const verdict = page.getByRole('region', { name: 'Verdict' })
    t.match(await verdict.textContent(), /^There is no clear difference yet\..*refreshed every \d+ seconds/)
    t.equal(
      await page.evaluate('document.querySelector("main .stack > *").ariaLabel'),
      'Verdict',
      'it is first',
    )
    await page.getByText('The chart begins once two days').waitFor()
    await page.getByLabel('Compare by').selectOption('country')
    await page.getByRole('region', { name: 'Results by country' }).getByText('SE', { exact: true }).waitFor()
    await page.getByRole('table', { name: 'Persons of each value by step' }).waitFor()
    await page.getByRole('button', { name: 'End…', exact: true }).click()
    await dialog.getByRole('button', { name: 'End' }).click()
    await badge('Ended')
    await page.getByRole('button', { name: 'Decide…' }).click()
    t.match(await dialog.getByRole('alert').textContent(), /not safe.*still includes 0/s)
    await dialog.getByLabel('Decision').selectOption({ label: 'Reject: everything stays as it was' })
    await dialog.getByText('The results do not contradict').waitFor()
    await dialog.getByLabel('Reason').fill('No difference to speak of')
    await dialog.getByLabel('At once').check()
    await dialog.getByRole('button', { name: 'Reject' }).click()
    await badge('Rejected')
    t.match(await ask(other), { decision: { outcome: 'reject', reason: 'No difference to speak of' } })
  })

  await t.test('a learning is edited and reviewed, and its evidence is drawn', async (t) => {
    await until(
      () => consoled.ask<{ pagination: { total: number } }>('/learnings'),
      ({ pagination }) => pagination.total === 1,
    )
    await open('/learnings')
    await page.getByRole('button', { name: /^Edit/ }).click()
    const [learning] = (await consoled.ask<{ data: { id: string }[] }>('/learnings')).data
    await consoled.ask(`/learnings/${learning?.id}`, 'PATCH', { interpretation: 'Someone else was here.' })
    await page.getByLabel('Interpretation').fill('It made no difference.')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Someone else has changed this in the meantime').waitFor()
    t.match(await consoled.ask(`/learnings/${learning?.id}`), { interpretation: 'Someone else was here.' })
    await page.getByRole('button', { name: 'Load again' }).click()
    await settled(page)
    t.equal(await page.getByLabel('Interpretation').inputValue(), 'It made no difference.', 'nothing is lost')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('button', { name: /^Edit/ }).waitFor()
    await page.getByRole('button', { name: /^Approve/ }).click()
    await page.getByText('Reviewed', { exact: true }).waitFor()
    await page.getByText('Evidence', { exact: true }).click()
    await page.getByText('SHA-256').waitFor()
    await page.waitForURL(/open=/)
    const { data } = await consoled.ask<{ data: { reviewStatus: string; interpretation: string }[] }>(
      '/learnings',
    )
    t.match(data, [{ reviewStatus: 'approved', interpretation: 'It made no difference.' }])
  })
  t.same(problems, [])
})
