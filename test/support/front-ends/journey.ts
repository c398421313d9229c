import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser } from 'playwright-core'
import type { Test } from 'tap'
import { bucketOf, variantIndexOf } from '../../../domain/bucketing.js'
import { gitAsPeople } from '../../../repositories/test/support/git-repository.js'
import { packageRoot } from '../../../runtime/package-root.js'
import { withoutSvc } from '../program.js'
import { call, compiledRoot, type RunningService, until } from '../service.js'
import { BOUGHT, serveSite } from './site.js'

export interface Edit {
  readonly find: string
  readonly replace: string
  readonly variant?: string
}

/** An experiment on a code base in a git repository, whose work tree is `path`. */
export interface Journey {
  readonly path: string
  readonly key: string
  /** The alternatives are of the variant `b`. */
  readonly edits: Readonly<Record<string, readonly Edit[]>>
  /** Folder that the site serves, below `path`. */
  readonly served: string
  /** The page to visit. */
  readonly page: string
  /**
   * Texts of each variant that a visitor can read, hear or see in the page. None of the other variant's may
   * be there.
   */
  readonly shown: { readonly control: readonly string[]; readonly b: readonly string[] }
  /** As `svc admin repository connect` takes them. */
  readonly connect?: readonly string[]
  build?(): Promise<void>
  /** Receives the diffs of the two pull requests, and a picture of the page in each variant. */
  keep?(name: string, content: string | Buffer): void
}

interface Detail {
  readonly id: string
  readonly status: string
  readonly pullRequest: { readonly branch: string; readonly error: string | null } | null
  readonly cleanupPullRequest: { readonly branch: string; readonly state: string } | null
  readonly results: {
    readonly exposed: number
    readonly targets: readonly {
      readonly variants: readonly {
        readonly key: string
        readonly exposed: number
        readonly converted: number
      }[]
    }[]
  } | null
}

/** Of each variant so many come, and the first of each buys. */
const VISITORS = 2

/**
 * From the declaration to the merged cleanup: what people and visitors do, with the real service, git and
 * browser.
 */
export async function travel(
  t: Test,
  service: RunningService,
  browser: Browser,
  journey: Journey,
): Promise<void> {
  const { path, key, edits } = journey
  const git = (...args: string[]): string => gitAsPeople(path, args)
  const ask = async <Body>(method: string, at: string, body?: unknown): Promise<Body> => {
    const answer = await call<Body>(service.keys.apiKey, method, `${service.api}/v1${at}`, body)
    if (answer.status >= 400) throw new Error(`${method} ${at}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const reaches = (id: string, isSo: (row: Detail) => boolean): Promise<Detail> =>
    until(() => ask<Detail>('GET', `/experiments/${id}`), isSo, 60)
  const files = Object.keys(edits).sort()
  const before = git('rev-parse', 'HEAD')

  await admin(service, ['repository', 'connect', '--local', path, ...(journey.connect ?? [])])
  await call(service.keys.serverKey, 'POST', `${service.ingest}/v1/events`, {
    events: [{ event: BOUGHT, anonymousId: 'earlier', insertId: `earlier-${key}` }],
  })
  const declared = await ask<Detail>('POST', '/experiments', {
    key,
    name: key,
    variants: [
      { displayName: 'Control', trafficSplit: 50 },
      { displayName: 'B', trafficSplit: 50 },
    ],
    conversionTargets: [{ eventName: BOUGHT }],
    changes: files.map((file) => ({ path: file, action: 'modify', edits: edits[file] })),
  })
  t.equal(declared.status, 'pr_open', declared.pullRequest?.error ?? 'its pull request is open')
  journey.keep?.('experiment.diff', `${git('diff', `main...svc/${key}`)}\n`)
  git('merge', '-q', '--no-ff', '-m', `Merge ${key}`, `svc/${key}`)
  t.equal((await reaches(declared.id, ({ status }) => status === 'ready')).status, 'ready')
  await ask('POST', `/experiments/${declared.id}/start`)

  await journey.build?.()
  t.equal(git('status', '--porcelain'), '', 'building leaves the work tree as it is')
  const url = await serveSite(t, join(path, journey.served), service)
  for (const variant of ['control', 'b'] as const)
    for (const [index, visitor] of visitorsOf(key, variant).entries())
      await visit(t, browser, url, journey, { variant, visitor, buys: index === 0 })

  const { id: funnel } = await ask<{ id: string }>('POST', '/funnel', {
    name: `Funnel of ${key}`,
    steps: [{ eventName: '$exposure' }, { eventName: BOUGHT }],
  })
  const answer = await until(
    () =>
      ask<{ breakdown: { value: string; entered: number; completed: number }[] }>(
        'POST',
        `/funnel/${funnel}/query`,
        { experiment: key },
      ),
    ({ breakdown }) => breakdown.every(({ entered, completed }) => entered === VISITORS && completed === 1),
  )
  t.strictSame(
    answer.breakdown.map(({ value, entered, completed }) => [value, entered, completed]),
    [
      ['control', VISITORS, 1],
      ['b', VISITORS, 1],
    ],
    'the funnel of each variant has its visitors',
  )
  const counted = await reaches(declared.id, ({ results }) => results?.exposed === 2 * VISITORS)
  t.strictSame(
    counted.results?.targets[0]?.variants.map((arm) => [arm.key, arm.exposed, arm.converted]),
    [
      ['control', VISITORS, 1],
      ['b', VISITORS, 1],
    ],
    'so have the results',
  )

  await ask('POST', `/experiments/${declared.id}/end`)
  await ask('POST', `/experiments/${declared.id}/decide`, { outcome: 'ship', variant: 'b' })
  const shipped = await reaches(
    declared.id,
    ({ status, cleanupPullRequest }) => status === 'shipped' && cleanupPullRequest?.state === 'open',
  )
  t.equal(shipped.cleanupPullRequest?.state, 'open')
  journey.keep?.('cleanup.diff', `${git('diff', `main...svc/${key}-cleanup`)}\n`)
  git('merge', '-q', '--no-ff', '-m', `Merge the cleanup of ${key}`, `svc/${key}-cleanup`)
  t.strictSame(
    git('diff', '--name-only', before, 'HEAD').split('\n').sort(),
    files,
    'no file but those edited',
  )
  for (const file of files) {
    let text = gitAsPeople(path, ['show', `${before}:${file}`])
    for (const { find, replace } of edits[file] ?? []) text = text.replace(find, () => replace)
    t.equal(gitAsPeople(path, ['show', `HEAD:${file}`]), text, `${file} is as if edited by hand`)
  }
  await journey.build?.()
  await visit(t, browser, url, journey, { variant: 'b', visitor: undefined, buys: false })
}

interface Visitor {
  readonly variant: 'control' | 'b'
  /** Undefined: any visitor, without a cookie. */
  readonly visitor: string | undefined
  readonly buys: boolean
}

async function visit(
  t: Test,
  browser: Browser,
  url: string,
  { page: path, shown, keep }: Journey,
  { variant, visitor, buys }: Visitor,
): Promise<void> {
  const context = await browser.newContext()
  // Fonts and pictures of other hosts are not asked for.
  await context.route(
    (address) => address.origin !== url,
    (route) => route.abort(),
  )
  if (visitor !== undefined) await context.addCookies([{ name: 'svc_id', value: visitor, url }])
  const page = await context.newPage()
  const errors: string[] = []
  page.on('pageerror', (error) => void errors.push(error.message))
  const exposures: string[] = []
  page.on('response', (response) => {
    if (response.url().endsWith('/_svc/exposures')) exposures.push(`${response.status()}`)
  })
  await page.goto(url + path)
  if (visitor !== undefined)
    await until(
      async () => exposures.length,
      (count) => count > 0,
    )
  await page.reload()
  if (buys) keep?.(`${variant}.png`, await page.screenshot())
  const own = shown[variant]
  const text = await until(
    async () => (await page.evaluate(WORDS)) as string,
    (words) => own.every((word) => words.includes(word)),
    20,
  )
  const others = shown[variant === 'b' ? 'control' : 'b']
  t.strictSame(
    [own.filter((word) => !text.includes(word)), others.filter((word) => text.includes(word))],
    [[], []],
    `${visitor ?? 'anybody'} is shown ${variant}, and nothing of the other one`,
  )
  t.strictSame(errors, [], 'no error in the page')
  t.strictSame(
    exposures,
    visitor === undefined ? [] : ['204'],
    'one exposure over reloads, and the relay has it',
  )
  if (buys)
    t.equal(await page.evaluate("fetch('/buy', { method: 'POST' }).then((answer) => answer.status)"), 204)
  await context.close()
}

/** Words of a page, read or heard, in one line. */
const WORDS = `[
  document.body.innerText,
  ...[...document.querySelectorAll('[alt],[placeholder],[aria-label],[title]')].flatMap((element) =>
    ['alt', 'placeholder', 'aria-label', 'title'].map((name) => element.getAttribute(name) ?? '')),
].join(' ').replace(/\\s+/g, ' ')`

function visitorsOf(key: string, variant: 'control' | 'b'): string[] {
  const found: string[] = []
  for (let i = 0; found.length < VISITORS; i++)
    if (variantIndexOf(bucketOf(key, `visitor-${i}`), [50, 50]) === (variant === 'b' ? 1 : 0))
      found.push(`visitor-${i}`)
  return found
}

const run = promisify(execFile)

async function admin(service: RunningService, args: readonly string[]): Promise<void> {
  const file = join(packageRoot(), compiledRoot(), 'cli', 'main.js')
  await run(process.execPath, [file, 'admin', ...args], {
    env: { ...withoutSvc(process.env), SVC_DATA_DIR: service.dataDir },
  })
}

/** Makes a new repository of the files in a folder. */
export function commitAll(path: string): void {
  gitAsPeople(path, ['init', '-q', '-b', 'main', '--template='])
  gitAsPeople(path, ['add', '-A'])
  gitAsPeople(path, ['commit', '-q', '-m', 'First'])
}
