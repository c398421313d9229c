import { setTimeout as sleep } from 'node:timers/promises'
import { seededRandom } from '../../bench/support/random.js'
import { type ClientRole, Clients } from './clients/clients.js'
import { Truth } from './clients/truth.js'
import { type Fault, faultOf } from './faults/faults.js'
import type { LedgerEntry } from './ledger.js'
import { Product } from './management/product.js'
import type { System } from './systems/system.js'
import { FunnelCheck } from './verify/funnel-check.js'
import { isSound, type Verdict, Verifier } from './verify/verify.js'

export interface RunOptions<S extends System> {
  readonly seed: number
  /** Rounds `from` up to `to`: each brings one fault that counts, or as many tries as it may have. */
  readonly from: number
  readonly to: number
  readonly faults: readonly Fault<S>[]
  readonly roles?: readonly ClientRole[]
  /** Between two requests of a client, at most. */
  readonly pauseMs?: number
  /** After so many rounds everything stored is compared. */
  readonly countEvery: number
  /** A store of more rows than this is replaced by an empty one after a count. */
  readonly renewAbove: number
  /**
   * How often a fault is tried that strikes too early, or not in time, to count; and how long it is waited
   * for, milliseconds.
   */
  readonly tries?: number
  readonly strikeLimitMs?: number
  /** Also manages experiments, and compares what became of that. The system has to be made for it. */
  readonly product?: boolean | undefined
  /** Also compares a funnel with the reference. The system needs a management API. */
  readonly funnel?: boolean | undefined
  /** Ends before the next round after this time by the real clock, milliseconds. */
  readonly until?: number | undefined
  /** Acknowledged events that a fault must meet to count. @default 1000 */
  readonly minAcknowledged?: number | undefined
  /** Makes a system on an empty store. */
  readonly makeSystem: () => S
  /** After each count. */
  readonly counted: (entry: LedgerEntry, verdict: Verdict) => void
  readonly say: (line: string) => void
}

const MIN_ACKNOWLEDGED = 1_000
const MAX_TRIES = 4
/** Events acknowledged after the last fault before a count. */
const AFTERMATH = 800
/** Fewer events leave more of the machine to everything else. */
const PRODUCT_PAUSE_MS = 250
const STRIKE_LIMIT_MS = 40_000
const PAUSE_LIMIT_MS = 60_000
const DRAIN_LIMIT_MS = 60_000
/** Jobs of dead processes wait for the end of their lease. */
const JOBS_LIMIT_MS = 150_000
const JOBS_LOOK_MS = 300
/** A part that had to be given up, with its output. */
const SLOW_STOP_MS = 10_000
const LAST_OUTPUT = 4_000
/** The counting harness looks this often whether something has happened, milliseconds. */
const LOOK_MS = 2

/**
 * Runs rounds until done or until a count finds something. Resolves with the last verdict. Throws if the
 * service breaks its contract in other ways, such as not ending or not catching up.
 */
export async function runChaos<S extends System>(options: RunOptions<S>): Promise<Verdict | undefined> {
  let verdict: Verdict | undefined
  const isOver = (round: number): boolean =>
    round >= options.to || Date.now() > (options.until ?? Number.POSITIVE_INFINITY)
  for (let round = options.from; !isOver(round); ) {
    const store = new StoreRun(options, round)
    try {
      do {
        const to = Math.min(options.to, round + options.countEvery)
        verdict = await store.rounds(round, to)
        round = to
      } while (isSound(verdict.count) && !isOver(round) && verdict.count.stored < options.renewAbove)
    } catch (error) {
      options.say(store.output().slice(-LAST_OUTPUT))
      throw error
    } finally {
      await store.close()
    }
    if (!isSound(verdict.count)) return verdict
  }
  return verdict
}

/** The rounds on one store. */
class StoreRun<S extends System> {
  private readonly truth: Truth
  private readonly system: S
  private readonly clients: Clients
  private readonly product: Product | undefined
  /** Acknowledged events when the last fault struck, and at the last count. */
  private atLastFault = 0
  private atLastCount = 0
  private storedAtLastCount = 0
  private writesAtLastCount = 0
  private jobsAtLastCount = 0

  constructor(
    private readonly options: RunOptions<S>,
    firstRound: number,
  ) {
    const seed = (Math.imul(options.seed, 65_537) + firstRound) >>> 0
    this.system = options.makeSystem()
    this.truth = new Truth(seed, this.system.clock)
    if (options.product) this.product = new Product(this.system, seed)
    this.clients = new Clients(
      this.truth,
      (client) => this.system.target(client),
      options.roles,
      options.pauseMs ?? (options.product ? PRODUCT_PAUSE_MS : undefined),
    )
  }

  async rounds(from: number, to: number): Promise<Verdict> {
    const faults: Record<string, number> = {}
    const uncounted: Record<string, number> = {}
    let round = from
    for (; round < to && Date.now() < (this.options.until ?? Number.POSITIVE_INFINITY); round++) {
      const fault = faultOf(this.options.seed, round, this.options.faults)
      for (let effort = 1; effort <= (this.options.tries ?? MAX_TRIES); effort++) {
        const random = seededRandom((this.options.seed * 7_919 + round * 31 + effort) >>> 0)
        const counts = await this.disturb(round, fault, random, effort)
        const book = counts ? faults : uncounted
        book[fault.name] = (book[fault.name] ?? 0) + 1
        if (counts) break
      }
    }
    const verdict = await this.count()
    const { acknowledged, stored, writes, jobs } = verdict.count
    const at = new Date().toISOString()
    const count = {
      ...verdict.count,
      acknowledged: acknowledged - this.atLastCount,
      stored: stored - this.storedAtLastCount,
      writes: writes - this.writesAtLastCount,
      jobs: jobs - this.jobsAtLastCount,
    }
    const system = this.system.name
    this.options.counted(
      { system, seed: this.options.seed, from, to: round, at, faults, uncounted, count },
      verdict,
    )
    this.atLastCount = acknowledged
    this.storedAtLastCount = stored
    this.writesAtLastCount = writes
    this.jobsAtLastCount = jobs
    return verdict
  }

  output(): string {
    return this.system.output()
  }

  async close(): Promise<void> {
    await this.system.close()
    await Promise.all([this.clients.loops.stop(), this.product?.stop()])
  }

  /** One fault. Returns whether it counts. */
  private async disturb(
    round: number,
    fault: Fault<S>,
    random: () => number,
    effort: number,
  ): Promise<boolean> {
    const { system, clients, truth } = this
    const point = fault.point?.(random, effort)
    if (point !== undefined && system.isRunning && system.arm === undefined) await this.stop()
    if (!system.isRunning) await this.start(point)
    else if (point !== undefined) await system.arm?.(point)
    const ready = (): boolean =>
      point === undefined
        ? this.acknowledgedSince() >= this.minAcknowledged && clients.inFlight > 0
        : system.hasStruck()
    const lull = point === undefined ? random() * 500 : 0
    const struck = await this.until(ready, lull)
    system.takeBack?.()
    if (struck) await fault.strike?.(system, random)
    const acknowledged = this.acknowledgedSince()
    const inFlight = clients.inFlightAt(Date.now()) + (this.product?.team.inFlight ?? 0)
    if (struck) this.atLastFault = truth.acknowledged
    const counts = struck && acknowledged >= this.minAcknowledged && inFlight > 0
    const facts = `${acknowledged} events acknowledged since the last, ${inFlight} requests in flight`
    this.options.say(
      `round ${round}: ${fault.name}${point === undefined ? '' : ` (${point})`}: ${counts ? 'counts' : struck ? 'does not count' : 'did not happen'}: ${facts}; answers so far: ${clients.summary()}${this.product?.summary() ?? ''}`,
    )
    if (struck) await fault.follow(system, random)
    return counts
  }

  private get minAcknowledged(): number {
    return this.options.minAcknowledged ?? MIN_ACKNOWLEDGED
  }

  private acknowledgedSince(): number {
    return this.truth.acknowledged - this.atLastFault
  }

  /** True once the condition holds, and again after a pause; false if it does not in time. */
  private async until(condition: () => boolean, pauseMs: number): Promise<boolean> {
    const end = Date.now() + (this.options.strikeLimitMs ?? STRIKE_LIMIT_MS)
    let from = Number.POSITIVE_INFINITY
    for (; Date.now() < end; await sleep(LOOK_MS)) {
      const failure = this.clients.loops.failure ?? this.product?.team.loops.failure
      if (failure !== undefined) throw failure
      if (!condition()) continue
      from = Math.min(from, Date.now() + pauseMs)
      if (Date.now() >= from) return true
    }
    return false
  }

  /**
   * Waits until everything rests, stops the service in good order, and compares the stores with the truth.
   */
  private async count(): Promise<Verdict> {
    const { system, clients, truth, product } = this
    if (!system.isRunning) await this.start()
    // Damage by a fault shows in the requests after it.
    await this.until(() => this.acknowledgedSince() >= Math.min(AFTERMATH, this.minAcknowledged), 0)
    await Promise.all([clients.loops.pause(PAUSE_LIMIT_MS), product?.team.loops.pause(JOBS_LIMIT_MS)])
    await system.drain(DRAIN_LIMIT_MS)
    const books = await system.books()
    const seen = await product?.atRest(JOBS_LIMIT_MS, JOBS_LOOK_MS, [...truth.eventNames()])
    if (!system.readsWhileRunning) await this.stop()
    const verifier = new Verifier(truth)
    const funnel = this.options.funnel ? new FunnelCheck() : undefined
    const summary = await system.readStore((rows) => {
      verifier.rows(rows)
      funnel?.rows(rows)
    })
    const compared = await funnel?.compare(system, books.links)
    if (compared !== undefined) this.options.say(`  ${compared.text}`)
    if (compared?.isEqual === false) verifier.find('links', compared.text)
    const verdict = verifier.finish(summary, books, seen)
    clients.loops.go()
    product?.team.loops.go()
    return verdict
  }

  private async start(point?: string): Promise<void> {
    const began = Date.now()
    await this.system.start(point)
    await this.product?.begin()
    this.options.say(`  started in ${Date.now() - began} ms`)
  }

  private async stop(): Promise<void> {
    const began = Date.now()
    const code = await this.system.stop()
    // A point that was given up may be reached after all.
    if (code !== 0 && !this.system.hasStruck())
      throw new Error(`the service ended with ${code} when asked to stop`)
    const took = Date.now() - began
    this.options.say(`  stopped in ${took} ms`)
    if (took > SLOW_STOP_MS) this.options.say(this.system.output().slice(-LAST_OUTPUT))
  }
}
