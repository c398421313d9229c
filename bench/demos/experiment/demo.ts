import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Result } from '../../../cli/client/api.js'
import { renderResults } from '../../../cli/experiments/results.js'
import type { Terminal } from '../../../cli/output.js'
import { renderDiff } from '../../../cli/render/diff.js'
import { renderTable } from '../../../cli/render/table.js'
import { bucketOf, variantIndexOf } from '../../../domain/bucketing.js'
import type { Results } from '../../../domain/statistics/index.js'
import { formatCount, formatDuration } from '../../../domain/text/format.js'
import { statusLabel } from '../../../domain/text/labels.js'
import { packageRoot } from '../../../runtime/package-root.js'
import { withoutSvc } from '../../../test/support/program.js'
import { compiledRoot, type RunningService, startService } from '../../../test/support/service.js'
import { callApi, sendAll, type Target } from '../../support/client.js'
import { seededRandom } from '../../support/random.js'
import { DECLARATION, PAGE, WINNER, winnerByHand } from './declaration.js'
import { makeRepository, openShop, type Shop, type ShopRepository } from './shop.js'
import { type DemoOutput, openDemoOutput } from './stage.js'
import { sendVisitors, type Tally } from './visitors.js'

type Detail = Result<'getExperiment'>
type Learnings = Result<'listLearnings'>

const SEED = 11
const VISITORS = 3_600
const PAST_ORDERS = 420
const DAY_MS = 86_400_000
const PATIENCE_MS = 60_000
/** The viewer waits neither a day for late orders nor five seconds for new figures. */
const SETTINGS = { SVC_SETTLING_HOURS: '0', SVC_RESULTS_MAX_AGE_SECONDS: '1' }

/**
 * An experiment from its declaration to what was learned: on a service with embedded stores, in the
 * repository of a small shop, with visitors who load its pages, report through its relay what they were
 * shown, sign in and order. All of it lies in a temporary folder that is removed at the end. Resolves with
 * the exit code.
 */
export async function experimentDemo(terminal: Terminal, serve: boolean): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-demo-'))
  const opened: (() => Promise<unknown>)[] = []
  const closeAll = async (): Promise<void> => {
    for (let close = opened.pop(); close !== undefined; close = opened.pop()) await close().catch(() => {})
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  const interrupted = new Promise<'interrupted'>((resolve) => {
    // npm passes on signals that the terminal has already sent to this process, also while it is closing.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve('interrupted'))
  })
  try {
    const stage = openDemoOutput(terminal, Date.now)
    const startedAt = Date.now()
    const told = await Promise.race([story(stage, folder, opened, serve), interrupted])
    if (told === 'interrupted') return 130
    stage.drawn(`\nFrom nothing to a learning in ${formatDuration(Date.now() - startedAt)}.\n`)
    if (serve) {
      told()
      await interrupted
    }
    return 0
  } finally {
    await closeAll()
  }
}

/** State shared by all steps below. */
interface Setting {
  readonly stage: DemoOutput
  readonly folder: string
  readonly service: RunningService
  readonly target: Target
  readonly repository: ShopRepository
}

async function story(
  stage: DemoOutput,
  folder: string,
  opened: (() => Promise<unknown>)[],
  serve: boolean,
): Promise<() => void> {
  stage.heading('An experiment, from its declaration to what was learned')
  const service = await stage.step('starting a service for the demo', async () => {
    const starting = startService(join(folder, 'data'), { env: SETTINGS })
    opened.push(() => starting.then((running) => running.stop()))
    return { done: 'A service for the demo runs on embedded stores', value: await starting }
  })
  const { serverKey, apiKey } = service.keys
  const target = { ingest: service.ingest, api: service.api, serverKey, apiKey }
  const repository = await stage.step('making a shop', async () => {
    const made = makeRepository(join(folder, 'shop'))
    const files = made.git('ls-files').split('\n')
    return { done: `A shop that sells tents: ${files.length} files in a git repository`, value: made }
  })
  const setting = { stage, folder, service, target, repository }
  await connect(setting)
  const before = repository.git('rev-parse', 'HEAD')

  stage.heading('Declare')
  const declared = await declare(setting)
  const during = await mergeAndStart(setting, declared)

  stage.heading('Measure')
  const shop = await stage.step('opening the shop', async () => {
    const opening = openShop(repository.path, { ingest: service.ingest, serverKey })
    opened.push(() => opening.then((open) => open.close()))
    return { done: 'The shop is open, with the relay on /_svc/exposures', value: await opening }
  })
  await measure(setting, shop, declared.id)

  stage.heading('Decide')
  await decide(setting, declared, before)

  stage.heading('Results')
  await showResults(setting, declared.id)
  return serve ? await keepOpen(setting, opened, shop, during) : () => {}
}

async function connect({ stage, folder, service, target, repository }: Setting): Promise<void> {
  await stage.step('sending what was ordered in the past two weeks', async () => {
    const random = seededRandom(SEED)
    const now = Date.now()
    const orders = Array.from({ length: PAST_ORDERS }, (_, order) => ({
      event: 'order_placed',
      anonymousId: `past-visitor-${order}`,
      insertId: `past-order-${order}`,
      timestamp: new Date(now - Math.floor(random() * 14 * DAY_MS) - 60_000).toISOString(),
      properties: { total: [289, 419, 649][Math.floor(random() * 3)] },
    }))
    await sendAll(target, orders, () => {})
    return { done: `${PAST_ORDERS} orders of the past two weeks sent as server events`, value: undefined }
  })
  const connecting = ['admin', 'repository', 'connect', '--local', repository.path]
  await commandStep(
    { stage, folder, service },
    'connecting the repository',
    connecting,
    'The repository is connected',
  )
}

/** A step that is one command, which is printed below it. */
async function commandStep(
  setting: Pick<Setting, 'stage' | 'folder' | 'service'>,
  doing: string,
  args: readonly string[],
  done: string,
): Promise<void> {
  await setting.stage.step(doing, async () => {
    await runSvc(setting, args)
    return { done, value: undefined }
  })
  setting.stage.command(args)
}

/** Runs the command line in the demo's folder. Every command that the demo prints is run this way. */
function runSvc(
  { folder, service }: Pick<Setting, 'folder' | 'service'>,
  args: readonly string[],
): Promise<void> {
  const file = join(packageRoot(), compiledRoot(), 'cli', 'main.js')
  const env = {
    ...withoutSvc(process.env),
    SVC_DATA_DIR: service.dataDir,
    SVC_API_URL: service.api,
    SVC_API_KEY: service.keys.apiKey,
  }
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [file, ...args], { cwd: folder, env }, (error, _, errors) =>
      error === null ? resolve() : reject(new Error(errors.trim() || error.message)),
    )
  })
}

async function declare({ stage, folder, service, target, repository }: Setting): Promise<Detail> {
  const creating = ['experiments', 'create', 'experiment.json']
  const declared = await stage.step('declaring an experiment', async () => {
    writeFileSync(join(folder, 'experiment.json'), JSON.stringify(DECLARATION))
    await runSvc({ folder, service }, creating)
    const open = await reached(target, DECLARATION.key, ({ status }) => status === 'pr_open')
    const { number, branch } = open.pullRequest ?? {}
    const done = `“${open.name}” is declared: pull request #${number} on ${branch}`
    return { done, value: open }
  })
  stage.command(creating)
  showDiff({ stage, repository }, 'main', declared.pullRequest?.branch ?? '')
  return declared
}

/** The page's whole diff, and a summary of the other files. */
function showDiff(
  { stage, repository }: Pick<Setting, 'stage' | 'repository'>,
  from: string,
  to: string,
): void {
  const range = `${from}...${to}`
  const diff = repository.git('diff', range, '--', PAGE).split('\n')
  // Skips git's header before the first file name.
  const begin = diff.findIndex((line) => line.startsWith('---'))
  stage.drawn(`\n${renderDiff(stage.look(), diff.slice(begin).join('\n'))}`)
  for (const line of repository.git('diff', '--numstat', range).split('\n')) {
    const [added, removed, path = ''] = line.split('\t')
    if (path === PAGE) continue
    const what = path.startsWith('.svc/')
      ? 'the manifest, by which it is undone'
      : 'the helper, the same for every experiment'
    stage.drawn(
      renderDiff(stage.look(), `${removed === '0' ? `+${added}` : `-${removed}`} lines  ${path}: ${what}`),
    )
  }
  stage.drawn('\n')
}

/** Returns the commit at which the shop has the experiment. */
async function mergeAndStart(setting: Setting, declared: Detail): Promise<string> {
  const { stage, target, repository } = setting
  const commit = await stage.step('merging the pull request', async () => {
    const merged = repository.merge(declared.pullRequest?.branch ?? '', `Experiment: ${declared.name}`)
    await reached(target, declared.id, ({ status }) => status === 'ready')
    return { done: 'Ada merges it, and the service sees that it is merged', value: merged }
  })
  await commandStep(setting, 'starting', ['experiments', 'start', declared.key], 'It runs')
  return commit
}

async function measure(setting: Setting, shop: Shop, id: string): Promise<void> {
  const { stage, target } = setting
  const tallies = await stage.step(`${formatCount(VISITORS)} visitors`, async (say) => {
    const seen = async (): Promise<void> => {
      await reached(target, id, ({ results }) => (results as Results | null)?.exposed === VISITORS)
    }
    const done = await sendVisitors(
      shop.url,
      VISITORS,
      SEED,
      (count) => say(`${formatCount(count)} were here`),
      seen,
    )
    const orders = sum(done, 'orders')
    const elsewhere = sum(done, 'elsewhere')
    return {
      done: `${formatCount(VISITORS)} visitors were shown a variant by the helper; ${formatCount(orders)} ordered, ${formatCount(elsewhere)} of them from another device after signing in`,
      value: done,
    }
  })
  await stage.step('counting', async (say) => {
    await reached(target, id, ({ results }) => {
      const { exposed = 0, targets = [] } = (results as Results | null) ?? {}
      say(`${formatCount(exposed)} exposed`)
      // The service must find the same counts per arm that the visitors made.
      return tallies.every(({ variant, visitors, orders }) =>
        targets[0]?.variants.some(
          (arm) => arm.key === variant && arm.exposed === visitors && arm.converted === orders,
        ),
      )
    })
    return {
      done: 'All exposures and all orders are counted, each once: arm for arm what the visitors did',
      value: undefined,
    }
  })
  const ending = ['experiments', 'end', DECLARATION.key]
  await commandStep(setting, 'ending', ending, 'It ends: new visitors are not counted')
}

const sum = (tallies: readonly Tally[], what: 'orders' | 'elsewhere'): number =>
  tallies.reduce((total, tally) => total + tally[what], 0)

async function decide(
  { stage, folder, service, target, repository }: Setting,
  declared: Detail,
  before: string,
): Promise<void> {
  const deciding = ['experiments', 'decide', declared.key, '--ship', WINNER, '--reason', 'More orders']
  const shipped = await stage.step('deciding', async (say) => {
    await runSvc({ folder, service }, deciding)
    const row = await reached(target, declared.id, ({ status, cleanupPullRequest }) => {
      say(statusLabel(status))
      return status === 'shipped' && cleanupPullRequest?.state === 'open'
    })
    const { number, branch } = row.cleanupPullRequest ?? {}
    return {
      done: `“Free returns” is shipped: its figures are frozen, and pull request #${number} on ${branch} takes the experiment out`,
      value: row,
    }
  })
  stage.command(deciding)
  const { branch = '' } = shipped.cleanupPullRequest ?? {}
  showDiff({ stage, repository }, 'main', branch ?? '')
  await stage.step('merging the cleanup', async () => {
    repository.merge(branch ?? '', `Ship ${WINNER}: ${declared.name}`)
    const changed = repository.git('diff', '--name-only', before, 'HEAD')
    const same =
      repository.git('show', `HEAD:${PAGE}`) === winnerByHand(repository.git('show', `${before}:${PAGE}`))
    if (changed !== PAGE || !same)
      throw new Error(`the cleanup left something else than the edits by hand: ${changed}`)
    return {
      done: 'Ada merges it: the repository is, byte for byte, as if she had made the edits by hand',
      value: undefined,
    }
  })
}

async function showResults({ stage, target }: Setting, id: string): Promise<void> {
  const { results } = await callApi<Detail>(target, 'GET', `/experiments/${id}`)
  stage.drawn(renderResults(stage.look(), results as Results))
  stage.heading('The learning, as it is drafted')
  const { data } = await callApi<Learnings>(target, 'GET', '/learnings')
  stage.text(data.find(({ experimentId }) => experimentId === id)?.interpretation ?? '')
}

/** Keeps the shop open as it is now, and as it was during the experiment, for each of its visitors. */
async function keepOpen(
  { stage, folder, service, repository }: Setting,
  opened: (() => Promise<unknown>)[],
  shop: Shop,
  during: string,
): Promise<() => void> {
  const path = join(folder, 'shop-during')
  repository.checkout(during, path)
  const past = await openShop(path, { ingest: service.ingest, serverKey: service.keys.serverKey })
  opened.push(() => past.close())
  return () => {
    stage.heading('Open until Ctrl-C')
    stage.drawn(
      renderTable<readonly [string, string]>(
        { ...stage.look(), columns: undefined },
        [
          { title: 'what', text: ([what]) => what },
          { title: 'where', text: ([, where]) => where },
        ],
        [
          ['the shop now', shop.url],
          ...DECLARATION.variants.map(
            ({ displayName }, index) =>
              [`while it ran, ${displayName}`, `${past.url}/as?visitor=${visitorOf(index)}`] as const,
          ),
          ['the experiment in the console', `${service.api}/experiments/${DECLARATION.key}`],
          ['the API, to try', `${service.api}/reference`],
          ['a session token for both', service.keys.sessionToken],
          ['the repository', repository.path],
        ],
      ),
    )
  }
}

function visitorOf(variant: number): string {
  const splits = DECLARATION.variants.map(({ trafficSplit }) => trafficSplit)
  for (let visitor = 1; ; visitor++)
    if (variantIndexOf(bucketOf(DECLARATION.key, `guest-${visitor}`), splits) === variant)
      return `guest-${visitor}`
}

/** Polls the experiment until the condition holds. */
async function reached(target: Target, id: string, isSo: (row: Detail) => boolean): Promise<Detail> {
  for (const end = Date.now() + PATIENCE_MS; ; await sleep(250)) {
    const row = await callApi<Detail>(target, 'GET', `/experiments/${id}`)
    if (isSo(row)) return row
    const problem = row.pullRequest?.error ?? row.cleanupPullRequest?.error
    if (problem != null) throw new Error(`the pull request could not be written: ${problem}`)
    if (Date.now() > end) throw new Error(`the experiment is still ${row.status} after a minute`)
  }
}
