import t from 'tap'
import { chromiumProblem } from '../../test/support/chromium.js'
import { until } from '../../test/support/service.js'
import { findingsOf, openConsole, settled } from './support/browser.js'
import { declare, openShop } from './support/world.js'

t.setTimeout(600_000)
const skip = chromiumProblem()

interface Experiment {
  readonly key: string
  readonly status: string
  readonly notes: string
  readonly variants: readonly { readonly trafficSplit: number }[]
  readonly conversionTargets: readonly { readonly eventName: string }[]
  readonly sizing: { readonly minimumEffect: number } | null
}

t.test('experiments are created, duplicated and edited in the console', { skip }, async (t) => {
  const consoled = await openConsole(t)
  const { service } = consoled
  await openShop(service, 300)
  await declare(service, { name: 'Taken', key: 'taken' })
  const { page, problems, open } = await consoled.tab()
  const ask = (key: string) => consoled.ask<Experiment>(`/experiments/${key}`)
  const field = (name: string) => page.getByLabel(name, { exact: true })
  const create = () => page.getByRole('button', { name: 'Create experiment' }).click()

  await t.test('it is planned from the figures of the workspace, and the file follows', async (t) => {
    await open('/experiments')
    await page.getByRole('button', { name: 'New experiment' }).click()
    await page.getByRole('heading', { level: 1, name: 'New experiment' }).waitFor()
    await field('Name').pressSequentially('Say that returns are free')
    await field('Primary target').pressSequentially('purch')
    await page.getByRole('option', { name: 'purchased' }).click()
    t.equal(await field('Primary target').inputValue(), 'purchased')
    await field('Event of those who take part').fill('page_viewed')
    const planned = page.getByRole('region', { name: 'Planning' })
    await planned.getByRole('table').waitFor()
    const persons = async (): Promise<number> =>
      Number(
        (await planned.locator('.planned strong').first().textContent())
          ?.replace(/ persons$/, '')
          .replaceAll(',', ''),
      )
    await planned.getByText(/From \d{3} persons of the last 28 days/).waitFor()
    await settled(page)
    const many = await persons()
    const slider = page.getByRole('slider', { name: 'Smallest effect worth finding' })
    await slider.focus()
    await page.keyboard.press('End')
    const fewer = await until(persons, (count) => count < many / 10)
    t.ok(fewer < many / 10, 'a larger effect needs fewer persons')
    const file = page.getByRole('complementary', { name: 'The same as a file' })
    t.match(JSON.parse((await file.locator('code').last().textContent()) ?? ''), {
      name: 'Say that returns are free',
      conversionTargets: [{ eventName: 'purchased' }],
      sizing: { minimumEffect: 0.5, exposureEvent: 'page_viewed' },
    })
    t.same(await findingsOf(page), [])
  })

  await t.test('what is wrong is said at its field, and nothing typed is lost', async (t) => {
    await field('Key').fill('taken')
    await field('Share of the control, %').fill('60')
    await page.getByText('The shares add up to 110%, not to 100%.').waitFor()
    await page.getByRole('button', { name: 'Add target' }).click()
    t.equal(await page.evaluate('document.activeElement.role'), 'combobox', 'the new target has the focus')
    await create()
    await page.getByRole('alert').getByText('It was not saved').waitFor()
    t.equal(await field('Target 2').getAttribute('aria-invalid'), 'true')
    t.equal(await field('Name').inputValue(), 'Say that returns are free')
    await page.getByRole('button', { name: 'Remove target 2' }).click()
    await page.getByRole('button', { name: 'Split evenly' }).click()
    await create()
    await page.getByText('Is taken', { exact: true }).waitFor()
    t.equal(await field('Key').getAttribute('aria-invalid'), 'true')
    t.equal(
      await page.evaluate('document.activeElement.labels[0].textContent'),
      'Key',
      'the field with the problem has the focus',
    )
    await page.reload()
    await field('Name').waitFor()
    t.equal(await field('Name').inputValue(), 'Say that returns are free', 'also after a reload')
    await field('Key').fill('free-returns')
    await page.getByRole('button', { name: 'Add guardrail' }).click()
    await field('Guardrail 1').fill('product_viewed')
    await create()
    await page.getByRole('heading', { level: 1, name: 'Say that returns are free', exact: true }).waitFor()
    t.match(await ask('free-returns'), {
      status: 'approved',
      sizing: { minimumEffect: 0.5 },
      conversionTargets: [{ eventName: 'purchased' }, { eventName: 'product_viewed', margin: 0.02 }],
    })
    await open('/experiments/-/new')
    await field('Name').waitFor()
    t.equal(await field('Name').inputValue(), '', 'a created draft is gone')
  })

  await t.test('an edit that meets another one is not overwritten, and keeps what was typed', async (t) => {
    await open('/experiments/free-returns')
    await page.getByRole('button', { name: 'Edit' }).click()
    await field('Share of Control, %').fill('30')
    await field('Share of Treatment, %').fill('70')
    await consoled.ask('/experiments/free-returns', 'PATCH', { sizing: null })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Someone else has changed this in the meantime').waitFor()
    t.equal((await ask('free-returns')).variants[0]?.trafficSplit, 50)
    await page.getByRole('button', { name: 'Load again' }).click()
    await page.getByText('Loaded the new version').waitFor()
    t.equal(await field('Share of Control, %').inputValue(), '30')
    t.notOk(await page.getByLabel('Say how long it has to run').isChecked(), 'the other change is there')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { level: 1, name: 'Say that returns are free', exact: true }).waitFor()
    const saved = await ask('free-returns')
    t.match(saved, { sizing: null, variants: [{ trafficSplit: 30 }, { trafficSplit: 70 }] })
  })

  await t.test('a duplicate has its fields and a key that is free', async (t) => {
    await page.getByRole('button', { name: 'Duplicate' }).click()
    await page.getByRole('heading', { level: 1, name: 'Duplicate experiment' }).waitFor()
    t.equal(await field('Name').inputValue(), 'Say that returns are free (copy)')
    await create()
    await page.getByRole('heading', { level: 1, name: 'Say that returns are free (copy)' }).waitFor()
    t.match(await ask('say-that-returns-are-free-copy'), { variants: [{ trafficSplit: 30 }] })
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page.locator('.page-head .badge', { hasText: 'Running' }).waitFor()
    await settled(page)
    const edit = page.getByRole('button', { name: /^Edit/, description: /Duplicate the experiment/ })
    await edit.and(page.locator('[aria-disabled=true]')).waitFor()
  })
  // The browser itself logs that a request was refused.
  t.same(
    problems.filter((problem) => !/status of 4(00|09|12)/.test(problem)),
    [],
  )
})
