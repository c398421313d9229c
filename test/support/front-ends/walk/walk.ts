import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Browser } from 'playwright-core'
import type { Test } from 'tap'
import { bucketOf, variantIndexOf } from '../../../../domain/bucketing.js'
import { gitAsPeople } from '../../../../repositories/test/support/git-repository.js'
import { connectRepository } from '../../connect-repository.js'
import { call, type RunningService, until } from '../../service.js'
import { commitAll, type Edit } from '../journey.js'
import { BOUGHT } from '../site.js'
import { type Action, ORDERS, type Step } from './orders.js'
import { CRAWLER, PERSON, type Seen, type Visitor, visit } from './visit.js'

/** An experiment on a page. Its alternatives are of the variant `b`. */
export interface WalkedExperiment {
  readonly edits: Readonly<Record<string, readonly Edit[]>>
  readonly words: { readonly control: readonly string[]; readonly b: readonly string[] }
  /** A text that it changes for everybody. */
  readonly plain?: { readonly before: string; readonly after: string }
}

export interface OpenSite {
  /** Builds main and serves it. Rejects if it cannot be built. */
  deploy(): Promise<{ readonly url: string }>
}

export interface WalkedSite {
  readonly files: Readonly<Record<string, string>>
  /** The first one is shipped, the second one is rejected. */
  readonly experiments: readonly [WalkedExperiment, WalkedExperiment]
  /** Code that people write beside the helper, on sites that a server renders. */
  readonly byHand?: Readonly<Record<string, string>>
  open(t: Test, path: string, service: RunningService): Promise<OpenSite | { readonly unreachable: string }>
}

interface Detail {
  readonly id: string
  readonly status: string
  readonly pullRequest: { readonly error: string | null } | null
  readonly cleanupPullRequest: { readonly state: string; readonly error: string | null } | null
}

/** An experiment in one of the orders. */
interface Walked extends WalkedExperiment {
  readonly key: string
  id: string
  /** Whether its code is in main; its winner alone after the cleanup. */
  code: 'none' | 'merged' | 'winner'
  served: 'control' | 'assigned' | 'b'
  isPlainThere: boolean
  /** The commit of its cleanup as first written. */
  cleanup: string
}

/** From the answer of a button to what newly loaded pages show. */
const MAX_DELAY_MS = 30_000
const HELPER = /(?:^|\/)svc-experiments\.(?:js|d\.ts)$/
const VARIANTS = ['control', 'b'] as const

/**
 * Two experiments on one page, in each order of merging. After every step main has to build and visitors have
 * to see the right page. At the end the repository is as if edited by hand.
 */
export async function walk(
  t: Test,
  on: {
    readonly service: RunningService
    readonly browser: Browser
    readonly path: string
    readonly site: WalkedSite
    /** The orders to walk in. All by default. */
    readonly letters?: string | undefined
  },
): Promise<void> {
  const { service, path, site } = on
  write(path, site.files)
  commitAll(path)
  connectRepository(service, path)
  await call(service.keys.serverKey, 'POST', `${service.ingest}/v1/events`, {
    events: [{ event: BOUGHT, anonymousId: 'earlier', insertId: 'earlier' }],
  })
  const open = await site.open(t, path, service)
  if ('unreachable' in open) {
    t.pass('its packages cannot be had', { skip: `optional: ${open.unreachable}` })
    return
  }
  const orders = Object.entries(ORDERS).filter(([letter]) => on.letters?.includes(letter) ?? true)
  for (const [letter, { name, steps }] of orders)
    await t.test(name, async (t) => {
      const order = new WalkInOrder(t, { ...on, open, letter })
      await order.begin()
      for (const step of steps) await order.take(step)
      order.end()
    })
}

class WalkInOrder {
  private readonly experiments: readonly [Walked, Walked]
  private url = ''
  private before = ''

  constructor(
    private readonly t: Test,
    private readonly on: {
      readonly service: RunningService
      readonly browser: Browser
      readonly path: string
      readonly site: WalkedSite
      readonly open: OpenSite
      readonly letter: string
    },
  ) {
    const walked = (index: 0 | 1, name: string): Walked => ({
      ...on.site.experiments[index],
      key: `${name}-${on.letter}`,
      id: '',
      code: 'none',
      served: 'control',
      isPlainThere: false,
      cleanup: '',
    })
    this.experiments = [walked(0, 'one'), walked(1, 'two')]
  }

  async begin(): Promise<void> {
    this.before = this.git('rev-parse', 'HEAD')
    await this.deploy()
  }

  async take([action, which]: Step): Promise<void> {
    const of = this.experiments[which - 1] as Walked
    const name = `${action} ${of.key}`
    try {
      await this.actions[action](of)
      // Rejecting looks before it decides.
      if (action !== 'declare' && action !== 'reject') await this.look(name, MAX_DELAY_MS)
    } catch (error) {
      throw new Error(`${name}: ${error instanceof Error ? error.message : error}`, { cause: error })
    }
  }

  /** Then people take everything back, for the next order. */
  end(): void {
    const { t, on } = this
    const edited = Object.entries(this.experiments[0].edits)
    const hand = Object.keys(on.site.byHand ?? {})
    const isByHand = (file: string) => hand.includes(file) || (hand.length > 0 && HELPER.test(file))
    t.strictSame(
      this.git('diff', '--name-only', this.before, 'HEAD')
        .split('\n')
        .filter((file) => !isByHand(file))
        .sort(),
      edited.map(([file]) => file).sort(),
      'no file but those edited',
    )
    for (const [file, edits] of edited) {
      let text = this.git('show', `${this.before}:${file}`)
      for (const { find, replace } of edits) text = text.replace(find, () => replace)
      t.equal(this.git('show', `HEAD:${file}`), text, `${file} is as if edited by hand`)
      this.git('checkout', '-q', this.before, '--', file)
    }
    this.git('commit', '-q', '-m', 'Take everything back')
  }

  private readonly actions: Readonly<Record<Action, (of: Walked) => Promise<void>>> = {
    declare: async (of) => {
      const row = await this.ask('POST', '', {
        key: of.key,
        name: of.key,
        variants: [
          { displayName: 'Control', trafficSplit: 50 },
          { displayName: 'B', trafficSplit: 50 },
        ],
        conversionTargets: [{ eventName: BOUGHT }],
        changes: Object.entries(of.edits).map(([path, edits]) => ({ path, action: 'modify', edits })),
      })
      of.id = row.id
      this.t.equal(row.status, 'pr_open', row.pullRequest?.error ?? `${of.key} has a pull request`)
    },
    merge: async (of) => {
      this.bringIn(`svc/${of.key}`)
      await this.reaches(of, 'ready', ({ status }) => status === 'ready')
      const { byHand } = this.on.site
      if (byHand !== undefined) {
        write(this.on.path, byHand)
        this.git('add', '-A')
        if (this.git('status', '--porcelain') !== '') this.git('commit', '-q', '-m', 'Name visitor and state')
      }
      of.code = 'merged'
      of.isPlainThere = true
      await this.deploy()
    },
    start: async (of) => {
      await this.ask('POST', `/${of.id}/start`)
      of.served = 'assigned'
    },
    pause: async (of) => {
      await this.ask('POST', `/${of.id}/pause`)
      of.served = 'control'
    },
    resume: async (of) => {
      await this.ask('POST', `/${of.id}/resume`)
      of.served = 'assigned'
    },
    ship: async (of) => {
      await this.ask('POST', `/${of.id}/ship`, { variant: 'b' })
      of.served = 'b'
      await this.hasCleanup(of)
    },
    reject: async (of) => {
      await this.ask('POST', `/${of.id}/end`)
      of.served = 'control'
      await this.look(`end ${of.key}`, MAX_DELAY_MS)
      await this.ask('POST', `/${of.id}/decide`, { outcome: 'reject' })
      await this.reaches(of, 'rejected', ({ status }) => status === 'rejected')
      await this.hasCleanup(of)
    },
    clean: async (of) => {
      // It is written again if another experiment needs the helper, or no longer does.
      const branch = `svc/${of.key}-cleanup`
      const isNeeded =
        this.on.site.byHand !== undefined || this.others(of).some(({ code }) => code === 'merged')
      await until(
        async () => this.git('diff', '--name-only', `main...${branch}`).split('\n'),
        (files) => files.some((file) => HELPER.test(file)) !== isNeeded,
      )
      this.bringIn(branch)
      await this.isCleaned(of)
    },
    stale: async (of) => {
      this.bringIn(of.cleanup)
      await this.reaches(of, 'repaired', ({ cleanupPullRequest }) =>
        /puts it back/.test(cleanupPullRequest?.error ?? ''),
      )
      this.bringIn(`svc/${of.key}-repair`)
      await this.reaches(of, 'whole', ({ cleanupPullRequest }) => cleanupPullRequest?.error === null)
      await this.isCleaned(of)
    },
  }

  private others(of: Walked): Walked[] {
    return this.experiments.filter((one) => one !== of)
  }

  private async hasCleanup(of: Walked): Promise<void> {
    await this.reaches(of, 'cleaned up', ({ cleanupPullRequest }) => cleanupPullRequest?.state === 'open')
    of.cleanup = this.git('rev-parse', `svc/${of.key}-cleanup`)
  }

  private async isCleaned(of: Walked): Promise<void> {
    const isMerged = (row: Detail) => row.cleanupPullRequest?.state === 'merged'
    await this.reaches(of, 'cleaned', isMerged)
    const isShipped = of.served === 'b'
    of.code = isShipped ? 'winner' : 'none'
    of.isPlainThere = isShipped
    await this.deploy()
  }

  private git(...args: string[]): string {
    return gitAsPeople(this.on.path, args)
  }

  private bringIn(branch: string): void {
    try {
      this.git('merge', '-q', '--no-ff', '-m', `Merge ${branch}`, branch)
    } catch (error) {
      throw new Error(`${error}\n${this.git('diff')}`)
    }
  }

  private async deploy(): Promise<void> {
    this.url = (await this.on.open.deploy()).url
    this.t.equal(this.git('status', '--porcelain'), '', 'building leaves the work tree as it is')
  }

  private async ask(method: string, path: string, body?: unknown): Promise<Detail> {
    const { api, keys } = this.on.service
    const answer = await call<Detail>(keys.apiKey, method, `${api}/v1/experiments${path}`, body)
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  private async reaches({ id }: Walked, what: string, isSo: (row: Detail) => boolean): Promise<void> {
    const row = await until(() => this.ask('GET', `/${id}`), isSo)
    if (!isSo(row)) throw new Error(`not ${what}: ${JSON.stringify(row)}`)
  }

  /** Looks at newly loaded pages until all are right. */
  private async look(step: string, withinMs: number): Promise<void> {
    const begin = Date.now()
    for (;;) {
      // Pages count from when they are asked for: a busy machine loads them slowly.
      const askedMs = Date.now() - begin
      const wrong = await this.wrong()
      if (wrong.length === 0) {
        this.t.pass(`${step}: right after ${askedMs} to ${Date.now() - begin} ms`)
        return
      }
      if (askedMs > withinMs) throw new Error(`wrong after ${askedMs} ms: ${wrong.join('; ')}`)
    }
  }

  /** Faults for any visitor. If variant `b` has some, the other visitors are not checked. */
  private async wrong(): Promise<string[]> {
    const b = this.visitorOf('b')
    const found = await this.faultsFor('b', { id: b, userAgent: PERSON })
    if (found.length > 0) return found
    const others = [
      this.faultsFor('control', { id: this.visitorOf('control'), userAgent: PERSON }),
      this.faultsFor('crawler', { id: b, userAgent: CRAWLER }),
    ]
    if (this.experiments.every(({ served }) => served !== 'assigned'))
      others.push(this.faultsFor('first visit', { id: undefined, userAgent: PERSON }))
    return (await Promise.all(others)).flat()
  }

  private async faultsFor(name: string, visitor: Visitor): Promise<string[]> {
    const seen = await visit(this.on.browser, this.url, visitor)
    const faults = [
      ...this.faultsOf(seen, name === 'b' || name === 'control' ? name : undefined),
      ...seen.errors,
    ]
    if (visitor.id === undefined && seen.hasCookie && this.on.site.byHand === undefined)
      faults.push('has a cookie')
    return faults.map((fault) => `${name}: ${fault} in ${seen.text}`)
  }

  private faultsOf({ text, exposures }: Seen, visitor: 'control' | 'b' | undefined): string[] {
    const faults: string[] = []
    const expected: string[] = []
    for (const one of this.experiments) {
      const { words, plain, code, served } = one
      const isThere = code === 'merged'
      const shown =
        code === 'winner' || (isThere && (served === 'b' || (served === 'assigned' && visitor === 'b')))
      const [right, wrong] = shown ? [words.b, words.control] : [words.control, words.b]
      faults.push(...right.filter((word) => !text.includes(word)).map((word) => `lacks "${word}"`))
      faults.push(...wrong.filter((word) => text.includes(word)).map((word) => `has "${word}"`))
      const sentence = one.isPlainThere ? plain?.after : plain?.before
      if (sentence !== undefined && !text.includes(sentence)) faults.push(`lacks "${sentence}"`)
      if (isThere && served === 'assigned' && visitor !== undefined) expected.push(one.key)
    }
    if (exposures.join() !== expected.sort().join())
      faults.push(`exposures of [${exposures}] instead of [${expected}]`)
    return faults
  }

  /** A visitor who gets the variant in both experiments. */
  private visitorOf(variant: 'control' | 'b'): string {
    for (let i = 0; ; i++) {
      const id = `visitor-${i}`
      const isIn = ({ key }: Walked) => VARIANTS[variantIndexOf(bucketOf(key, id), [50, 50])] === variant
      if (this.experiments.every(isIn)) return id
    }
  }
}

function write(path: string, files: Readonly<Record<string, string>>): void {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, file)), { recursive: true })
    writeFileSync(join(path, file), text)
  }
}
