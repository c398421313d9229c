import type { Page } from 'playwright-core'
import { call, until } from '../../../test/support/service.js'
import type { Console } from './browser.js'
import { declare, FUNNEL, move, visit } from './world.js'

/** A page, or a page in a state, as people see it. */
export interface State {
  readonly path: string
  /** Of the page. */
  readonly heading: string
  /** Brings the page into the state; left out if it opens in it. */
  readonly enter?: (page: Page) => Promise<unknown>
}

export const NAV_ITEMS = {
  '/': 'Live',
  '/events': 'Events',
  '/persons': 'Persons',
  '/trends': 'Trends',
  '/retention': 'Retention',
  '/funnels': 'Funnels',
  '/dashboards': 'Dashboards',
  '/experiments': 'Experiments',
  '/proposals': 'Proposals',
  '/runs': 'Runs',
  '/learnings': 'Learnings',
  '/setup': 'Setup',
  '/settings': 'Settings',
}

export const navStates: readonly State[] = Object.entries(NAV_ITEMS).map(([path, heading]) => ({
  path,
  heading,
}))

const press =
  (...names: readonly (string | RegExp)[]) =>
  async (page: Page): Promise<void> => {
    for (const name of names) await page.getByRole('button', { name }).first().click()
  }

const dialog =
  (...names: readonly (string | RegExp)[]) =>
  async (page: Page): Promise<void> => {
    await press(...names)(page)
    await page.getByRole('dialog').waitFor()
  }

/** Opens a field's suggestions. */
const suggest = (label: string) => async (page: Page) => {
  await page.getByLabel(label, { exact: true }).first().click()
  await page.getByRole('listbox').waitFor()
}

/** Moves the focus to a denied button, which shows the reason. */
const explain = (name: string | RegExp) => async (page: Page) => {
  await page.getByRole('button', { name }).first().focus()
  await page.getByRole('tooltip').and(page.locator(':visible')).waitFor()
}

/** Experiments with verdicts that the demo lacks: too little data, no data, and a guardrail harmed. */
export async function fillVerdicts({ service }: Console): Promise<void> {
  const target = { eventName: 'product_viewed', name: 'Products viewed' }
  const guardrail = { eventName: 'purchased', name: 'Purchases', role: 'guardrail', margin: 0.05 }
  const collecting = await declare(service, { name: 'Bigger pictures', key: 'bigger-pictures' })
  const empty = await declare(service, { name: 'Sticky header', key: 'sticky-header' })
  const harmed = await declare(service, {
    name: 'One-page checkout',
    key: 'one-page-checkout',
    conversionTargets: [target, guardrail],
  })
  for (const key of [collecting, empty, harmed]) await move(service, key, 'start')
  await visit(service, collecting, { control: [20, 2], treatment: [20, 3] }, 0)
  await visit(service, harmed, { control: [600, 300], treatment: [600, 60] }, 0)
  for (const [key, code] of [
    [collecting, 'collecting'],
    [harmed, 'harmed'],
    [empty, 'no_data'],
  ] as const)
    await until(
      () =>
        call<{ results: { verdict: { code: string } } | null }>(
          service.keys.apiKey,
          'GET',
          `${service.api}/v1/experiments/${key}`,
        ),
      ({ body }) => body.results?.verdict.code === code,
    )
}

const of = (path: string, heading: string, enter?: State['enter']): State =>
  enter === undefined ? { path, heading } : { path, heading, enter }

/** Pages of events, persons, charts and dashboards with data, and what opens on them. */
export async function analysisStates(
  consoled: Console,
  { funnelId, dashboardId }: { readonly funnelId: string; readonly dashboardId: string },
): Promise<readonly State[]> {
  const { data: persons } = await consoled.ask<{ data: { personId: string }[] }>('/events/persons?limit=1')
  const personId = persons[0]?.personId ?? ''
  const trends = '/trends?series=page_viewed&series=purchased&by=country&compare=1&days=7'
  const retention = '/retention?start=page_viewed&return=product_viewed&days=7'
  const funnel = { path: `/funnels/${funnelId}?by=country&trend=day`, heading: FUNNEL }
  const dashboard = { path: `/dashboards/${dashboardId}`, heading: 'Shop, weekly' }
  return [
    of('/', 'Live'),
    of('/events', 'Events'),
    of('/persons', 'Persons'),
    of('/dashboards', 'Dashboards'),
    of('/no/such/page', 'Not found'),
    of('/events', 'Events', press('page_viewed')),
    of('/events?view=all&event=page_viewed&days=7', 'Events'),
    of('/events?view=all&event=purchased', 'Events', async (page) => {
      await press('Add filter')(page)
      await suggest('Property')(page)
    }),
    of('/events?view=all', 'Events', (page) => page.locator('tbody button').first().click()),
    of('/events?view=all&event=never_sent', 'Events'),
    of('/events?name=purchased', 'Events'),
    of('/events', 'Events', dialog(/^purchased/, 'Describe or hide this name')),
    of(
      `/persons?person=${encodeURIComponent(personId)}`,
      personId.replace(/^anonymous:(.*)/, '$1 (anonymous)').replace(/^user:/, ''),
    ),
    of('/persons?search=nobody-has-this', 'Persons'),
    of(trends, 'Trends'),
    of(trends, 'Trends', press(/^Time range/)),
    of(trends, 'Trends', dialog('Save…')),
    of('/trends', 'Trends', suggest('Event')),
    of('/trends?series=never_sent', 'Trends'),
    of(retention, 'Retention'),
    of(retention, 'Retention', press('Add filter')),
    of(retention, 'Retention', dialog('Save…')),
    { ...funnel, enter: (page) => page.locator('summary').last().click() },
    { ...funnel, enter: press('Add filter', 'Add exclusion') },
    { ...funnel, enter: dialog('Save as another') },
    { ...funnel, enter: dialog('Delete') },
    { ...funnel, enter: explain(/^Move page_viewed up/) },
    of('/funnels', 'Funnels', suggest('Step 1')),
    dashboard,
    { ...dashboard, enter: dialog('Edit…') },
    { ...dashboard, enter: dialog('Delete…') },
    of('/dashboards', 'Dashboards', dialog('Create dashboard…')),
  ]
}

/** Pages of experiments, proposals and learnings with data, and what opens on them. */
export function experimentStates(): readonly State[] {
  const winner = { path: '/experiments/checkout-button', heading: 'Checkout button says what happens next' }
  const ended = { path: '/experiments/short-sign-up', heading: 'Shorter sign-up form' }
  const proposal = { path: '/experiments/name-the-next-step', heading: 'Name the next step on the cart page' }
  return [
    of('/experiments', 'Experiments'),
    of('/proposals', 'Proposals'),
    of('/learnings', 'Learnings'),
    of('/setup', 'Setup'),
    of('/experiments?search=nothing-has-this', 'Experiments'),
    of('/experiments', 'Experiments', press('More filters')),
    of('/experiments/-/new', 'New experiment'),
    of('/experiments/-/new?from=checkout-button', 'Duplicate experiment'),
    of('/experiments/-/new', 'New experiment', press('Create experiment')),
    of('/experiments/checkout-button/edit', 'Edit Checkout button says what happens next'),
    { ...winner, path: `${winner.path}?diff=split`, enter: (page) => page.getByText(/^Code: /).click() },
    { ...winner, enter: (page) => page.getByLabel('Compare by').selectOption('country') },
    { ...winner, enter: dialog('End…') },
    { ...winner, enter: dialog('Ship at once…') },
    of('/experiments/pricing-headline', 'Headline of the pricing page'),
    of('/experiments/free-shipping', 'Free shipping banner'),
    of('/experiments/bigger-pictures', 'Bigger pictures'),
    of('/experiments/sticky-header', 'Sticky header'),
    of('/experiments/one-page-checkout', 'One-page checkout'),
    of('/experiments/search-on-top', 'Search on top'),
    of('/experiments/photos-of-people', 'Photos of people'),
    ended,
    { ...ended, enter: dialog(/^(Decide|Settle now)…/) },
    proposal,
    { ...proposal, enter: dialog('Approve') },
    { ...proposal, enter: dialog('Dismiss…') },
    { ...proposal, enter: dialog('Refine…') },
    of('/proposals', 'Proposals', (page) => page.locator('li.card summary').first().click()),
    of('/proposals', 'Proposals', dialog('Generate proposals…')),
    of('/learnings', 'Learnings', (page) => page.getByText('Evidence', { exact: true }).first().click()),
  ]
}

/** The sections of the settings with data, and what opens on them. */
export const settingsStates: readonly State[] = [
  of('/settings', 'Settings'),
  of('/settings', 'Settings', dialog('Create key…')),
  of('/settings', 'Settings', dialog(/^Revoke…/)),
  of('/settings/members', 'Settings'),
  of('/settings/members', 'Settings', dialog('Invite a person…')),
  of('/settings/members', 'Settings', explain(/^Remove… Demo Owner/)),
  of('/settings/sessions', 'Settings'),
  of('/settings/repository', 'Settings'),
  of('/settings/webhooks', 'Settings'),
  of('/settings/webhooks', 'Settings', dialog('Create webhook…')),
  of('/settings/webhooks', 'Settings', dialog(/^Change…/)),
  of('/settings/audit', 'Settings'),
]

/** Each kind of page, when its requests fail. */
export const unloadedStates: readonly State[] = [
  { path: '/', heading: 'Live' },
  { path: '/events', heading: 'Events' },
  { path: '/trends?series=page_viewed', heading: 'Trends' },
  { path: '/experiments', heading: 'Experiments' },
  { path: '/experiments/checkout-button', heading: 'Experiment' },
  { path: '/setup', heading: 'Setup' },
]

/** Pages of a person who may only read. */
export const viewerStates: readonly State[] = [
  of('/experiments/checkout-button', 'Checkout button says what happens next', explain(/^End…/)),
  of('/proposals', 'Proposals', explain(/^Approve/)),
  of('/dashboards', 'Dashboards', explain(/^Create dashboard/)),
  of('/learnings', 'Learnings'),
]

/** The settings of a person who may only read. */
export const viewerSettings: readonly State[] = [
  of('/settings', 'Settings'),
  of('/settings/members', 'Settings'),
  of('/settings/webhooks', 'Settings'),
  of('/settings/audit', 'Settings'),
]
