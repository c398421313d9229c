import { setTimeout as sleep } from 'node:timers/promises'
import { seededRandom } from '../../../bench/support/random.js'
import type { Status } from '../../../domain/lifecycle.js'
import type { Target } from '../clients/clients.js'
import { ContractError, Loops } from '../clients/loops.js'
import { exchange } from '../clients/wire.js'
import type { Random } from '../faults/faults.js'
import type { People } from './people.js'
import { type ManagementTruth, markOf, type Write } from './truth.js'

const MEMBERS = 8
/** Longer than the API waits for a pull request; the impatient ones give up before that. */
const HUNG_MS = 40_000
const IMPATIENT_MS = 700
const PAUSE_MS = 250
const RETRY_MS = 150
/** Experiments that are not over, at most. */
const MAX_LIVE = 14
const TARGET_EVENT = 'keyed.0'

interface Known {
  readonly id: string
  readonly key: string
  readonly status: Status
  /** Key of the variant that is not the control. */
  readonly variant: string | undefined
}

interface Answered {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

interface Request {
  readonly method: string
  readonly path: string
  readonly body?: unknown
}

type Step = readonly [action: string, body?: Readonly<Record<string, unknown>>]

/** Next steps that a member may request. Some come too late, since several members share an experiment. */
const NEXT: Readonly<Partial<Record<Status, readonly Step[]>>> = {
  proposed: [['approve', { acknowledgeOverlap: true }], ['dismiss'], ['update']],
  ready: [['start']],
  running: [['pause'], ['pause'], ['end', { conclude: false }], ['ship']],
  paused: [['resume'], ['resume'], ['end', { conclude: true }]],
  ended: [
    ['decide', { outcome: 'ship' }],
    ['decide', { outcome: 'reject' }],
    ['decide', { outcome: 'reject', force: true }],
    ['end', { conclude: true }],
  ],
}

/** People who manage experiments at the same time, over HTTP, and remember the outcome of each request. */
export class Team {
  private readonly experiments = new Map<string, Known>()
  private readonly funnels: string[] = []
  private readonly unfinished = new Map<number, string>()
  readonly loops = new Loops(() => [...this.unfinished.values()].join('; '))
  inFlight = 0
  /** Answers of 500 and the like, which should not be, by their text. */
  readonly failures = new Map<string, number>()

  constructor(
    private readonly truth: ManagementTruth,
    private readonly target: () => Target,
    private readonly people: People,
    private readonly seed: number,
  ) {
    for (let member = 0; member < MEMBERS; member++) {
      const random = seededRandom(seed * 103 + member)
      this.loops.add(async () => {
        await this.turn(member, random)
        await sleep(random() * PAUSE_MS)
      })
    }
  }

  private async turn(member: number, random: Random): Promise<void> {
    const chance = random()
    if (chance < 0.08) return this.lookAround(random)
    if (chance < 0.2) return this.mergeOne(random)
    if (chance < 0.24) return this.generate(random)
    if (chance < 0.42) return this.workOnFunnels(random)
    if (chance < 0.48) return this.reviewLearning(random)
    const live = this.live()
    if (member < 3 && live.length < MAX_LIVE && (live.length < 3 || random() < 0.3))
      return this.declare(random)
    return this.advance(random)
  }

  private live(): Known[] {
    return [...this.experiments.values()].filter(
      ({ status }) => NEXT[status] !== undefined || status === 'pr_open' || status === 'generating_pr',
    )
  }

  private async declare(random: Random): Promise<void> {
    const write = this.truth.begin('experiment.create', undefined, (number) => `chaos-${number}`)
    const mark = markOf(write.number)
    const key = write.creates ?? ''
    const answer = await this.carryOut(write, random, {
      method: 'POST',
      path: '/experiments',
      body: {
        key,
        name: mark,
        hypothesis: mark,
        notes: mark,
        variants: [
          { displayName: 'Control', trafficSplit: 50 },
          { displayName: 'Treatment', trafficSplit: 50 },
        ],
        conversionTargets: [{ eventName: TARGET_EVENT, name: mark }],
        changes: [{ path: `styles/${key}.css`, action: 'create', content: `/* ${mark} */\n` }],
      },
    })
    this.learn(answer?.body)
  }

  private async advance(random: Random): Promise<void> {
    const live = this.live().filter(({ status }) => NEXT[status] !== undefined)
    const chosen = live[Math.floor(random() * live.length)]
    if (chosen === undefined) return this.lookAround(random)
    const steps = NEXT[chosen.status] ?? []
    const [action, body] = steps[Math.floor(random() * steps.length)] ?? ['end']
    const write = this.truth.begin(`experiment.${action}`, chosen.id)
    const mark = markOf(write.number)
    const fields = { name: mark, notes: mark, hypothesis: mark }
    const shipped = body?.outcome === 'ship' ? { variant: chosen.variant } : {}
    const answer = await this.carryOut(
      write,
      random,
      action === 'update'
        ? { method: 'PATCH', path: `/experiments/${chosen.id}`, body: fields }
        : {
            method: 'POST',
            path: `/experiments/${chosen.id}/${action}`,
            body: action === 'dismiss' ? { reasons: ['other'], note: mark } : { ...body, ...shipped },
          },
    )
    if (answer !== undefined && answer.status < 300) this.learn(answer.body)
    else await this.look(chosen.id)
  }

  private async generate(random: Random): Promise<void> {
    const write = this.truth.begin('experiment.generate', undefined)
    const body = { count: 1 + Math.floor(random() * 4), replace: random() < 0.5 }
    const request = { method: 'POST', path: '/experiments/generate', body }
    await this.carryOut(write, random, request, 'runId')
  }

  private async workOnFunnels(random: Random): Promise<void> {
    const id = this.funnels[Math.floor(random() * this.funnels.length)]
    const chance = random()
    if (id === undefined || chance < 0.4) {
      const write = this.truth.begin('funnel.create', undefined, (number) => `funnel ${number}`)
      const body = funnelOf(write.creates ?? '', write.number)
      const answer = await this.carryOut(write, random, { method: 'POST', path: '/funnel', body })
      if (typeof answer?.body.id === 'string') this.funnels.push(answer.body.id)
    } else if (chance < 0.85) {
      const write = this.truth.begin('funnel.update', id)
      const { name: _, ...body } = funnelOf('', write.number)
      await this.carryOut(write, random, { method: 'PATCH', path: `/funnel/${id}`, body })
    } else {
      this.funnels.splice(this.funnels.indexOf(id), 1)
      const write = this.truth.begin('funnel.delete', id)
      await this.carryOut(write, random, { method: 'DELETE', path: `/funnel/${id}` })
    }
  }

  private async reviewLearning(random: Random): Promise<void> {
    const learnings = listOf(await this.read('/learnings?limit=20'))
    const chosen = learnings[Math.floor(random() * learnings.length)]
    if (typeof chosen?.id !== 'string') return
    const write = this.truth.begin('learning.update', chosen.id)
    const body = { interpretation: markOf(write.number), reviewStatus: random() < 0.5 ? 'approved' : 'draft' }
    await this.carryOut(write, random, { method: 'PATCH', path: `/learnings/${chosen.id}`, body })
  }

  /** Reads the experiments again: host and clock change them, and generators add some. */
  private async lookAround(random: Random): Promise<void> {
    const status = random() < 0.5 ? '' : '&status=proposed'
    for (const row of listOf(await this.read(`/experiments?limit=60${status}`))) this.learn(row)
  }

  private async look(id: string): Promise<void> {
    this.learn((await this.read(`/experiments/${id}`))?.body)
  }

  /** People merge most branches, and delete some. */
  private async mergeOne(random: Random): Promise<void> {
    const open = [...this.experiments.values()].filter(({ status }) => status === 'pr_open')
    const chosen = open[Math.floor(random() * open.length)]
    if (chosen === undefined) return this.lookAround(random)
    const branch = `svc/${chosen.key}`
    if (random() < 0.1) await this.people.close(branch).catch(() => {})
    else await this.people.merge(branch)
    await this.look(chosen.id)
  }

  private learn(row: Readonly<Record<string, unknown>> | undefined): void {
    const { id, key, status, variants } = row ?? {}
    if (typeof id !== 'string' || typeof key !== 'string' || typeof status !== 'string') return
    const [, second] = (variants ?? []) as { readonly key: string }[]
    const variant = second?.key ?? this.experiments.get(id)?.variant
    this.experiments.set(id, { id, key, status: status as Status, variant })
  }

  /** Undefined if no answer comes. */
  private async read(path: string): Promise<Answered | undefined> {
    const { api, apiKey } = this.target()
    if (api === undefined) return undefined
    const options = { method: 'GET', bytes: undefined, headers: {}, timeoutMs: 10_000 }
    const answer = await exchange(`${api}/v1${path}`, apiKey, options)
    if (answer.kind !== 'answer' || answer.status !== 200) return undefined
    return { status: 200, body: JSON.parse(answer.body) as Answered['body'] }
  }

  /** Sends a request until it is answered, or gives it up after a connection that broke. */
  private async carryOut(
    write: Write,
    random: Random,
    request: Request,
    idField = 'id',
  ): Promise<Answered | undefined> {
    const givesUp = random() < 0.1
    const timeoutMs = random() < 0.15 ? IMPATIENT_MS : HUNG_MS
    const bytes = request.body === undefined ? undefined : Buffer.from(JSON.stringify(request.body))
    const headers = { 'idempotency-key': `chaos-${this.seed}-${write.number}` }
    // Only a POST is carried out once however often it is sent.
    for (let attempt = 1; ; await sleep(RETRY_MS * (0.5 + random()))) {
      const { api, apiKey } = this.target()
      if (this.loops.isOver) return undefined
      if (api === undefined) continue
      this.inFlight++
      const answer = await exchange(`${api}/v1${request.path}`, apiKey, {
        method: request.method,
        bytes,
        headers,
        // A request that is repeated for ever would keep the run from being counted.
        timeoutMs: attempt > 3 ? HUNG_MS : timeoutMs,
      })
      this.inFlight--
      if (answer.kind === 'unsent') continue
      attempt++
      this.unfinished.set(write.number, `${write.action} ${write.number}: ${JSON.stringify(answer)}`)
      const isRetried = answer.kind === 'broken' ? !givesUp : this.isRetried(answer.status, answer.body)
      if (isRetried && request.method !== 'POST') write.repeats++
      if (isRetried) continue
      this.unfinished.delete(write.number)
      if (answer.kind === 'broken') return undefined
      const body = (answer.body === '' ? {} : JSON.parse(answer.body)) as Answered['body']
      const resource = typeof body[idField] === 'string' ? body[idField] : undefined
      if (answer.status < 300) this.truth.settle(write, 'done', resource)
      else if (answer.status < 500) this.refused(write, attempt, answer.status, answer.body)
      else throw new ContractError(`${write.action} was answered ${answer.status} ${answer.body}`)
      return { status: answer.status, body }
    }
  }

  /** An earlier attempt may have been carried out, and forgotten after a step of the clock. */
  private refused(write: Write, attempts: number, status: number, body: string): void {
    if (status === 400 || status === 401 || status === 422)
      throw new ContractError(`${write.action} was answered ${status} ${body}`)
    const isForgotten =
      write.repeats > 0 || (attempts > 1 && this.truth.clock.steppedBetween(write.startedAt, Date.now()))
    this.truth.settle(write, isForgotten ? 'unknown' : 'refused')
  }

  private isRetried(status: number, body: string): boolean {
    if (status === 500) {
      const text = body.replace(/"requestId":"[^"]*"/, '')
      this.failures.set(text, (this.failures.get(text) ?? 0) + 1)
    }
    return status >= 500 || status === 429 || (status === 409 && body.includes('IDEMPOTENCY_IN_FLIGHT'))
  }
}

function funnelOf(name: string, number: number): Readonly<Record<string, unknown>> {
  const mark = markOf(number)
  return { name, description: mark, steps: [{ name: mark, eventName: TARGET_EVENT }] }
}

function listOf(answer: Answered | undefined): readonly Readonly<Record<string, unknown>>[] {
  return (answer?.body.data ?? []) as readonly Readonly<Record<string, unknown>>[]
}
