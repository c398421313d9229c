import { setTimeout as sleep } from 'node:timers/promises'
import { seededRandom } from '../../bench/support/random.js'
import { type ClientRole, Clients } from './clients/clients.js'
import { Truth } from './clients/truth.js'
import { type Fault, faultOf } from './faults/faults.js'
import type { LedgerEntry } from './ledger.js'
import type { System } from './systems/system.js'
import { isSound, type Verdict, Verifier } from './verify/verify.js'

export interface RunOptions<S extends System> {
  readonly seed: number
  /** Rounds `from` up to `to`: each brings one fault that counts, or as many tries as it may have. */
  readonly from: number
  readonly to: number
  readonly faults: readonly Fault<S>[]
  readonly roles?: readonly ClientRole[]
  /** After so many rounds everything stored is compared. */
  readonly countEvery: number
  /** A store of more rows than this is replaced by an empty one after a count. */
  readonly renewAbove: number
  /** How often a fault is tried that strikes too early, or not in time, to count; and how long it is waited for, milliseconds. */
  readonly tries?: number
  readonly strikeLimitMs?: number
  /** Makes a system on an empty store. */
  readonly makeSystem: () => S
  /** After each count. */
  readonly counted: (entry: LedgerEntry, verdict: Verdict) => void
  readonly say: (line: string) => void
}

/** What a fault must meet to count. */
const MIN_ACKNOWLEDGED = 1_000
const MAX_TRIES = 4
/** Events acknowledged after the last fault before a count. */
const AFTERMATH = 800
const STRIKE_LIMIT_MS = 40_000
const PAUSE_LIMIT_MS = 60_000
const DRAIN_LIMIT_MS = 60_000
/** A part that had to be given up, and what it said. */
const SLOW_STOP_MS = 10_000
const LAST_OUTPUT = 4_000
/** The counting harness looks this often whether something has happened, milliseconds. */
const LOOK_MS = 2

/**
 * Runs rounds until done or until a count finds something. Resolves with the last verdict; throws where the service breaks its contract in other ways, such as
 * not ending or not catching up.
 */
export async function runChaos<S extends System>(options: RunOptions<S>): Promise<Verdict | undefined> {
  let verdict: Verdict | undefined
  for (let round = options.from; round < options.to; ) {
    const store = new StoreRun(options, round)
    try {
      do {
        const to = Math.min(options.to, round + options.countEvery)
        verdict = await store.rounds(round, to)
        round = to
      } while (isSound(verdict.count) && round < options.to && verdict.count.stored < options.renewAbove)
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
  /** Acknowledged events when the last fault struck, and at the last count. */
  private atLastFault = 0
  private atLastCount = 0
  private storedAtLastCount = 0

  constructor(
    private readonly options: RunOptions<S>,
    firstRound: number,
  ) {
    this.truth = new Truth((Math.imul(options.seed, 65_537) + firstRound) >>> 0)
    this.system = options.makeSystem()
    this.clients = new Clients(this.truth, (client) => this.system.target(client), options.roles)
  }

  async rounds(from: number, to: number): Promise<Verdict> {
    const faults: Record<string, number> = {}
    const uncounted: Record<string, number> = {}
    for (let round = from; round < to; round++) {
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
    const { acknowledged, stored } = verdict.count
    const at = new Date().toISOString()
    const count = {
      ...verdict.count,
      acknowledged: acknowledged - this.atLastCount,
      stored: stored - this.storedAtLastCount,
    }
    const system = this.system.name
    this.options.counted({ system, seed: this.options.seed, from, to, at, faults, uncounted, count }, verdict)
    this.atLastCount = acknowledged
    this.storedAtLastCount = stored
    return verdict
  }

  output(): string {
    return this.system.output()
  }

  async close(): Promise<void> {
    await this.system.close()
    await this.clients.stop()
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
        ? this.acknowledgedSince() >= MIN_ACKNOWLEDGED && clients.inFlight > 0
        : system.hasStruck()
    const lull = point === undefined ? random() * 500 : 0
    const struck = await this.until(ready, lull)
    if (struck) await fault.strike?.(system, random)
    const acknowledged = this.acknowledgedSince()
    const inFlight = clients.inFlightAt(Date.now())
    if (struck) this.atLastFault = truth.acknowledged
    const counts = struck && acknowledged >= MIN_ACKNOWLEDGED && inFlight > 0
    const facts = `${acknowledged} events acknowledged since the last, ${inFlight} requests in flight`
    this.options.say(
      `round ${round}: ${fault.name}${point === undefined ? '' : ` (${point})`}: ${counts ? 'counts' : struck ? 'does not count' : 'did not happen'}: ${facts}; answers so far: ${clients.summary()}`,
    )
    if (struck) await fault.follow(system, random)
    return counts
  }

  private acknowledgedSince(): number {
    return this.truth.acknowledged - this.atLastFault
  }

  /** True once the condition holds, and again after a pause; false where it does not in time. */
  private async until(condition: () => boolean, pauseMs: number): Promise<boolean> {
    const end = Date.now() + (this.options.strikeLimitMs ?? STRIKE_LIMIT_MS)
    let from = Number.POSITIVE_INFINITY
    for (; Date.now() < end; await sleep(LOOK_MS)) {
      if (this.clients.failure !== undefined) throw this.clients.failure
      if (!condition()) continue
      from = Math.min(from, Date.now() + pauseMs)
      if (Date.now() >= from) return true
    }
    return false
  }

  /** Lets everything come to rest, ends the service in good order, and compares all that is stored. */
  private async count(): Promise<Verdict> {
    const { system, clients, truth } = this
    if (!system.isRunning) await this.start()
    // What a fault leaves behind shows in what comes after it.
    await this.until(() => this.acknowledgedSince() >= AFTERMATH, 0)
    await clients.pause(PAUSE_LIMIT_MS)
    await system.drain(DRAIN_LIMIT_MS)
    const books = await system.books()
    if (!system.readsWhileRunning) await this.stop()
    const verifier = new Verifier(truth)
    const summary = await system.readStore((rows) => verifier.rows(rows))
    const verdict = verifier.finish(summary, books)
    clients.go()
    return verdict
  }

  private async start(point?: string): Promise<void> {
    const began = Date.now()
    await this.system.start(point)
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
