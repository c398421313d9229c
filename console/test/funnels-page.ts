import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../runtime/package-root.js'
import { chromiumProblem } from '../../test/support/chromium.js'
import { openIdentityProvider } from '../../test/support/identity-provider.js'
import { compiledRoot } from '../../test/support/service.js'
import { openConsole, settled, signIn } from './support/browser.js'
import { FUNNEL, readerToken, runDemo } from './support/world.js'

t.setTimeout(600_000)
const skip = chromiumProblem()
interface Figures {
  readonly steps: readonly { readonly name: string; readonly count: number }[]
}

t.test('signing in, and funnels in the console', { skip }, async (t) => {
  const provider = await openIdentityProvider(t)
  const consoled = await openConsole(t, {
    SVC_OIDC_ISSUER: provider.issuer,
    SVC_OIDC_CLIENT_ID: provider.clientId,
    SVC_OIDC_CLIENT_SECRET: provider.clientSecret,
  })
  const { service } = consoled
  await provider.serve([`${service.api}/v1/sign-in/callback`])
  const printed = await runDemo(service)
  const { data: saved } = await consoled.ask<{ data: { id: string; name: string }[] }>('/funnel')
  const funnelId = saved.find(({ name }) => name === FUNNEL)?.id ?? ''
  const { page, problems } = await consoled.tab()
  const table = page.getByRole('table', { name: 'Steps and persons' })
  const persons = async (): Promise<number[]> => {
    await settled(page)
    return (await table.locator('tbody td:nth-child(2)').allTextContents()).map((text) =>
      Number(text.replaceAll(',', '')),
    )
  }
  const figures = async (steps: readonly object[], query: object = {}): Promise<number[]> =>
    (await consoled.ask<Figures>('/funnel/query', 'POST', { steps, ...query })).steps.map(
      ({ count }) => count,
    )

  await t.test(
    'an invalid token is refused with a message; a valid one leads to the page that was asked for',
    async (t) => {
      await page.goto('/funnels?step=page_viewed&order=any')
      t.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'Sign in')
      await page.getByLabel('Session token').fill('tsk_sess_wrong')
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      t.match(await page.getByRole('alert').textContent(), /malformed|unknown/)
      // The browser itself logs that a request was refused.
      problems.splice(0)
      await signIn(page, service.keys.sessionToken)
      await page.getByRole('heading', { level: 1, name: 'Funnels' }).waitFor()
      t.equal(await page.getByLabel('Step 1', { exact: true }).inputValue(), 'page_viewed')
      t.match(page.url(), /\?step=page_viewed&order=any$/)
      t.notMatch(page.url(), service.keys.sessionToken)
      await page.reload()
      await page.getByRole('heading', { level: 1, name: 'Funnels' }).waitFor()
      const [cookie] = await page.context().cookies()
      t.match(cookie, { httpOnly: true, sameSite: 'Strict', name: 'svc_session' })
      const readable = await page.evaluate('document.cookie + JSON.stringify([localStorage, sessionStorage])')
      t.equal(readable, '[{},{}]', 'a script can read nothing of it')
    },
  )

  await t.test('the identity provider signs in, and leads to the page that was asked for', async (t) => {
    const other = await consoled.tab()
    const button = other.page.getByRole('button', { name: `Sign in with ${new URL(provider.issuer).host}` })
    provider.person = { email: 'stranger@example.com', email_verified: true }
    await other.page.goto('/funnels?step=page_viewed')
    await button.click()
    await other.page.getByRole('alert').filter({ hasText: 'No one here has your email address' }).waitFor()
    provider.person = { email: 'owner@example.com', email_verified: true }
    await other.page.context().clearCookies()
    await button.click()
    await other.page.getByRole('heading', { level: 1, name: 'Funnels' }).waitFor()
    t.equal(other.page.url(), `${service.api}/funnels?step=page_viewed`)
    t.match(await other.page.context().cookies(service.api), [{ httpOnly: true, sameSite: 'Strict' }])
    t.same(
      other.problems.filter((problem) => !problem.startsWith(`a request to ${provider.issuer}`)),
      [],
    )
  })

  await t.test('steps are picked from the vocabulary, and the answer is the API’s', async (t) => {
    await page.goto('/funnels')
    await page.getByLabel('Step 1', { exact: true }).fill('page')
    await page.getByRole('option', { name: /page_viewed/ }).click()
    await page.getByLabel('Step 2', { exact: true }).fill('product_v')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Add step' }).click()
    t.equal(
      await page.evaluate('document.activeElement.labels[0].textContent'),
      'Step 3',
      'the new step has the focus',
    )
    await page.keyboard.type('purchased')
    await page.keyboard.press('Enter')
    t.equal(await page.getByRole('listbox').count(), 0, 'Enter closes the suggestions')
    await page.getByRole('rowheader', { name: 'purchased' }).waitFor()
    const steps = [{ eventName: 'page_viewed' }, { eventName: 'product_viewed' }, { eventName: 'purchased' }]
    t.same(await persons(), await figures(steps))
    await page.waitForURL(/step=page_viewed&step=product_viewed&step=purchased/)
  })

  await t.test('typing at full speed keeps every letter, and unfinished names are not asked', async (t) => {
    const name = 'first_page_viewed_by_someone'
    const tab = await consoled.tab()
    await tab.open('/funnels')
    const browser = await tab.page.context().newCDPSession(tab.page)
    await browser.send('Emulation.setCPUThrottlingRate', { rate: 6 })
    const asked: unknown[] = []
    tab.page.on('request', (request) => {
      if (request.url().endsWith('/funnel/query')) asked.push(request.postDataJSON())
    })
    await tab.page.getByRole('button', { name: 'Add filter' }).click()
    for (const label of ['Step 1', 'Breakdown', 'Property', 'Value']) {
      const field = tab.page.getByLabel(label, { exact: true })
      await field.focus()
      // All letters wait in the browser's queue, as when a fast typist meets a busy page.
      await Promise.all(
        [...name].map((text) => browser.send('Input.dispatchKeyEvent', { type: 'char', text })),
      )
      t.equal(await field.inputValue(), name)
    }
    await tab.page.keyboard.press('Enter')
    await tab.page.getByText('No event of this name was ever received').first().waitFor()
    await tab.page.waitForURL((url) => url.searchParams.get('by') === name)
    for (const label of ['Step 1', 'Breakdown', 'Property', 'Value'])
      t.equal(await tab.page.getByLabel(label, { exact: true }).inputValue(), name)
    const steps = [...new Set(JSON.stringify(asked).match(/"eventName":"\w+"/g))]
    t.same(steps, [`"eventName":"${name}"`], 'only whole names are asked')
    t.same(tab.problems, [])
    await tab.page.context().close()
  })

  await t.test('an address restores filter, order, exclusion, comparison and trend', async (t) => {
    const where = ['country', 'in', 'SE, DE']
    const query = new URLSearchParams([
      ['step', JSON.stringify({ event: 'page_viewed', name: 'Came' })],
      ['step', 'cart_added'],
      ['order', 'strict'],
      ['where', JSON.stringify(where)],
      ['without', JSON.stringify(['signed_up', 0, 1])],
      ['by', 'country'],
      ['trend', 'day'],
    ])
    await page.goto(`/funnels?${query}`)
    await page.getByRole('rowheader', { name: 'Came' }).waitFor()
    t.same(
      await persons(),
      await figures([{ eventName: 'page_viewed' }, { eventName: 'cart_added' }], {
        order: 'strict',
        filters: [{ property: 'country', operator: 'in', value: ['SE', 'DE'] }],
        exclusions: [{ eventName: 'signed_up', fromStep: 0, toStep: 1 }],
      }),
    )
    await page.getByRole('table', { name: 'Persons of each value by step' }).getByText('SE').waitFor()
    await page.locator('.chart canvas').waitFor()
    await page.getByRole('list', { name: 'Lines of the trend' }).getByText('SE', { exact: true }).waitFor()
    const before = page.url()
    await page.reload()
    await page.getByRole('rowheader', { name: 'Came' }).waitFor()
    t.equal(page.url(), before)
    t.equal(await page.getByLabel('Order', { exact: true }).inputValue(), 'strict')
    await page.getByRole('button', { name: /^Time range/ }).click()
    await page.getByRole('button', { name: 'Last 7 days' }).click()
    await page.waitForURL(/days=7/)
    t.match(await page.evaluate('document.activeElement.textContent'), 'Last 7 days', 'the focus is kept')
    await page.getByText('The same from a shell').click()
    const shell = (await page.locator('.copy-block').allTextContents()).join('\n')
    t.match(shell, /curl -s http.*\/v1\/funnel\/query/)
    t.match(shell, /--order strict/)
    t.match(shell, /--where 'country in SE, DE'/)
    t.match(shell, /--exclude signed_up:0:1/)
  })

  await t.test('the demo’s funnel is what the demo printed, in a browser, by curl and by svc', async (t) => {
    await page.goto(`/funnels/${funnelId}`)
    await table.getByRole('rowheader', { name: 'purchased' }).waitFor()
    const shown = await persons()
    t.equal(shown.length, 5)
    t.same(
      shown,
      [
        ...printed.matchAll(/^(?:page_viewed|product_viewed|cart_added|checkout_started|purchased) +(\d+)/gm),
      ].map(([, count]) => Number(count)),
    )
    await page.getByText('The same from a shell').click()
    for (const name of ['curl', 'svc']) {
      const command = await page
        .locator('details .stack.tight')
        .filter({ has: page.getByRole('heading', { name, exact: true }) })
        .locator('pre')
        .textContent()
      const line = (command ?? '').replace(/^npx svc (.*)/s, '"$NODE" "$SVC" $1 --json')
      const { stdout, stderr } = spawnSync('sh', ['-c', line], {
        env: {
          PATH: process.env.PATH ?? '',
          NODE: process.execPath,
          SVC: join(packageRoot(), compiledRoot(), 'cli', 'main.js'),
          SVC_API_URL: service.api,
          SVC_API_KEY: service.keys.readOnlyKey,
        },
        encoding: 'utf8',
      })
      t.same(
        (JSON.parse(stdout || '{"steps":[]}') as Figures).steps.map(({ count }) => count),
        shown,
        stderr,
      )
    }
  })

  await t.test('a funnel is saved, changed and deleted', async (t) => {
    await page.goto('/funnels?step=page_viewed&step=purchased&window=3600&order=strict&days=7&by=country')
    await page.getByRole('button', { name: 'Save funnel' }).click()
    await page.getByLabel('Name', { exact: true }).fill(FUNNEL)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    t.match(
      await page.getByRole('dialog').getByRole('alert').textContent(),
      /name.*Request/is,
      'the name is taken',
    )
    problems.splice(0)
    await page.getByLabel('Name', { exact: true }).fill('Straight to it')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Straight to it' }).waitFor()
    const { data } = await consoled.ask<{ data: { name: string; windowSeconds: number; id: string }[] }>(
      '/funnel',
    )
    const saved = data.find(({ name }) => name === 'Straight to it')
    t.equal(saved?.windowSeconds, 3_600)
    t.equal(page.url(), `${service.api}/funnels/${saved?.id}`, 'what is saved leaves the address')
    await page.reload()
    await page.getByRole('table', { name: 'Persons of each value by step' }).waitFor()
    t.equal(await page.getByLabel('Order', { exact: true }).inputValue(), 'strict')
    t.match(await consoled.ask(`/funnel/${saved?.id}`), {
      query: { order: 'strict', last: '7d', breakdown: { property: 'country' } },
    })
    t.equal(await page.getByRole('button', { name: 'Save changes' }).count(), 0, 'nothing to save')
    await page.getByLabel('Breakdown', { exact: true }).fill('')
    await page.getByLabel('Step 2', { exact: true }).fill('cart_added')
    await consoled.ask(`/funnel/${saved?.id}`, 'PATCH', { description: 'Of someone else' })
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('dialog').getByText('Someone else has changed this in the meantime').waitFor()
    problems.splice(0)
    await page.getByRole('button', { name: 'Load again' }).click()
    await page.getByText('Of someone else').waitFor()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    t.match(await consoled.ask(`/funnel/${saved?.id}`), { description: 'Of someone else' })
    const changed = await consoled.ask<{ steps: { eventName: string }[] }>(`/funnel/${saved?.id}`)
    t.equal(changed.steps[1]?.eventName, 'cart_added')
    t.match(changed, { query: { order: 'strict', breakdown: null } })
    await page.waitForURL(`${service.api}/funnels/${saved?.id}`)
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { level: 1, name: 'Funnels' }).waitFor()
    t.match(await consoled.ask(`/funnel/${saved?.id}`), { code: 'NOT_FOUND' })
  })

  await t.test('the keyboard alone opens a dialog, stays in it, and returns to its button', async (t) => {
    await page.goto(`/funnels/${funnelId}`)
    await page.getByRole('button', { name: 'Edit name' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    for (let at = 0; at < 12; at++) {
      await page.keyboard.press('Tab')
      t.equal(
        await page.evaluate(
          'document.activeElement === document.body || document.activeElement.closest("dialog") !== null',
        ),
        true,
      )
    }
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    t.equal(await page.evaluate('document.activeElement.textContent'), 'Edit name')
  })
  t.same(problems, [])

  await t.test('a reader without permission sees why a button does nothing', async (t) => {
    const reader = await consoled.tab()
    await reader.page.goto(`/funnels/${funnelId}`)
    await signIn(reader.page, await readerToken(service))
    const button = reader.page.getByRole('button', {
      name: /^Delete/,
      description: /You do not have the permission/,
    })
    await button.click({ force: true })
    t.equal(await reader.page.getByRole('dialog').count(), 0)
    const context = reader.page.context()
    const [cookie] = await context.cookies()
    await reader.page.getByRole('button', { name: 'Sign out' }).click()
    await reader.page.getByLabel('Session token').waitFor()
    t.strictSame(await context.cookies(), [])
    const headers = { Cookie: `${cookie?.name}=${cookie?.value}` }
    t.equal(
      (await fetch(`${service.api}/v1/me`, { headers })).status,
      401,
      'a copy of the cookie is worth nothing',
    )
    t.same(reader.problems, [])
  })

  await t.test('a lost connection is reported, with a way to retry', async (t) => {
    await page.goto(`/funnels/${funnelId}`)
    await table.waitFor()
    await service.stop()
    await page.getByLabel('Order', { exact: true }).selectOption('any')
    await page.getByRole('alert').getByText('No answer').first().waitFor()
    t.ok(await page.getByRole('button', { name: 'Try again' }).first().isVisible())
    t.ok(await table.isVisible(), 'what was there stays')
  })
})
