import { correctTime } from '../../../domain/clamp.js'
import { TIMESTAMP_ADJUSTMENTS } from '../../../domain/event.js'
import { monthOf } from '../../../domain/month.js'
import { eventsOf, insertIdOf, type SentEvent } from '../clients/traffic.js'
import {
  type Attempt,
  mayBeStored,
  type Place,
  type SentRequest,
  type Truth,
  wasAccepted,
} from '../clients/truth.js'
import type { SeenProduct } from '../management/product.js'
import { verifyManagement } from '../management/verify-management.js'
import type { Books, StoredRow, StoreSummary } from '../systems/system.js'
import { compareLinks } from './verify-links.js'

/** The exact count: stored events against the answers that clients got. Counts named in FAULTY must be 0. */
export interface Count {
  /** Events in accepted requests. */
  readonly acknowledged: number
  readonly stored: number
  /** Acknowledged, and not stored. */
  readonly lost: number
  /** Rows beyond the allowed one. */
  readonly doubled: number
  /** Requests of which a part was recorded: some of their events, or events without their links. */
  readonly torn: number
  /**
   * Rows with other content or another time than sent, or by the wrong one of several senders; refused events
   * that are stored; books that disagree.
   */
  readonly wrong: number
  /**
   * Links that are missing, changed, or different between the stores; persons that are not counted by them.
   */
  readonly links: number
  /** Experiments in a state that no legal chain of audited transitions leads to. */
  readonly illegal: number
  /** Management requests that were answered as done. */
  readonly writes: number
  /** Jobs whose one result was found: runs, learnings, pull requests. */
  readonly jobs: number
}

export interface Verdict {
  readonly count: Count
  /** The first findings in words. */
  readonly findings: readonly string[]
  readonly books: Books
}

export const FAULTY = ['lost', 'doubled', 'torn', 'wrong', 'links', 'illegal'] as const
const MAX_FINDINGS = 25
/** An insertId counts once in each month: of so many months four bits each are counted. */
const MAX_MONTHS = 8
const BITS = 4

/** Compares rows as they are read, then the whole. */
export class Verifier {
  private readonly sums = { stored: 0, lost: 0, doubled: 0, torn: 0, wrong: 0, links: 0, illegal: 0 }
  private readonly findings: string[] = []
  /** By request and index, how often stored in each month of `months`. */
  private readonly times = new Map<number, Uint32Array>()
  private readonly months: number[] = []
  /** The log record of a request's events without insertIds: they stay together. */
  private readonly records = new Map<number, string>()
  /** By event name, before links. */
  private readonly persons = new Map<string, Set<string>>()
  private readonly rowsOfEvent = new Map<string, number>()
  private expected: { readonly request: number; readonly events: readonly SentEvent[] } | undefined

  constructor(private readonly truth: Truth) {}

  rows(batch: readonly StoredRow[]): void {
    for (const row of batch) this.row(row)
  }

  finish(summary: StoreSummary, books: Books, seen?: SeenProduct): Verdict {
    const { truth, sums } = this
    for (const request of truth.requests) if (request.kind !== 'alias') this.request(request)
    for (const [slot, places] of truth.shared) this.sharedSlot(slot, places)
    for (const name of new Set([...this.rowsOfEvent.keys(), ...summary.vocabulary.keys()])) {
      const [rows, counted] = [this.rowsOfEvent.get(name) ?? 0, summary.vocabulary.get(name) ?? 0]
      if (rows !== counted) this.find('wrong', `${name}: ${rows} rows, ${counted} in the vocabulary`)
    }
    this.compareBooks(books)
    compareLinks({
      truth,
      isStored: (place) => this.timesOf(place) > 0,
      inDatabase: books.links,
      inStore: summary.links,
      find: (kind, text) => this.find(kind, text),
    })
    let jobs = 0
    if (seen !== undefined) {
      jobs = verifyManagement({ ...seen, find: (kind, text) => this.find(kind, text) })
      this.comparePersons(seen.persons, books)
    }
    const writes = seen?.truth.done ?? 0
    return {
      count: { acknowledged: truth.acknowledged, ...sums, writes, jobs },
      findings: this.findings,
      books,
    }
  }

  private row(row: StoredRow): void {
    this.sums.stored++
    this.rowsOfEvent.set(row.event, (this.rowsOfEvent.get(row.event) ?? 0) + 1)
    const persons = this.persons.get(row.event) ?? new Set()
    this.persons.set(row.event, persons.add(row.userId === '' ? `a ${row.anonymousId}` : `u ${row.userId}`))
    const place = placeOf(row)
    const request = place === undefined ? undefined : this.truth.requests[place.request]
    const slot = place === undefined ? undefined : request?.slots[place.index]
    if (place === undefined || request === undefined || slot === undefined) {
      this.find('wrong', `a row that was never sent: ${JSON.stringify(row)}`)
      return
    }
    let times = this.times.get(place.request)
    if (times === undefined) {
      times = new Uint32Array(request.slots.length)
      this.times.set(place.request, times)
    }
    times[place.index] = (times[place.index] ?? 0) + 2 ** (BITS * this.monthIndex(monthOf(row.receivedAt)))
    if (slot < 0) this.sameRecord(request, row)
    const problem = this.contentProblem(request, place, slot, row)
    if (problem !== undefined) this.find('wrong', `${nameOf(request, place.index)}: ${problem}`)
  }

  /** Describes the first field of a row that is not as sent. */
  private contentProblem(
    request: SentRequest,
    place: Place,
    slot: number,
    row: StoredRow,
  ): string | undefined {
    if (this.expected?.request !== request.id)
      this.expected = { request: request.id, events: eventsOf(this.truth.seed, request) }
    const sent = this.expected.events[place.index]
    if (sent === undefined) return 'it was never sent'
    const original = sent.timestamp === undefined ? undefined : Date.parse(sent.timestamp)
    const { timestamp, adjustment } = correctTime(original, row.receivedAt, request.sentAt)
    const pairs: ReadonlyArray<readonly [string, unknown, unknown]> = [
      ['event', row.event, sent.event],
      ['userId', row.userId, sent.userId ?? ''],
      ['anonymousId', row.anonymousId, sent.anonymousId ?? ''],
      ['insertId', row.insertId, slot < 0 ? '' : insertIdOf(slot)],
      ['sdkVersion', row.sdkVersion, sent.sdkVersion ?? ''],
      ['properties', row.properties, JSON.stringify(sent.properties)],
      ['index', row.index, place.index],
      ['timestamp', row.timestamp, timestamp],
      ['adjustment', TIMESTAMP_ADJUSTMENTS[row.adjustment], adjustment],
      ['hasTimestamp', row.hasTimestamp, original === undefined ? 0 : 1],
      ['originalTimestamp', row.originalTimestamp, original ?? 0],
    ]
    for (const [name, stored, right] of pairs)
      if (stored !== right) return `${name} is ${JSON.stringify(stored)}, not ${JSON.stringify(right)}`
    const wasUnderWay = request.attempts.some(
      ({ outcome, startedAt, endedAt }) =>
        outcome !== 'refused' && this.truth.clock.mayShow(row.receivedAt, startedAt, endedAt),
    )
    return wasUnderWay ? undefined : `received at ${row.receivedAt}, when it was not being sent`
  }

  private sameRecord(request: SentRequest, row: StoredRow): void {
    const record = `${row.partition}:${row.offset}`
    const first = this.records.get(request.id)
    if (first === undefined) this.records.set(request.id, record)
    else if (first !== record)
      this.find('torn', `request ${request.id} (${request.kind}) is in the records ${first} and ${record}`)
  }

  /** The events that only this request sent. */
  private request(request: SentRequest): void {
    const accepted = wasAccepted(request)
    let present = 0
    let missing = 0
    request.slots.forEach((slot, index) => {
      if (slot >= 0 && this.truth.shared.has(slot)) return
      const times = this.timesOf({ request: request.id, index })
      if (times > 0) present++
      else missing++
      this.doubles(nameOf(request, index), slot, [times])
    })
    if (present > 0 && !mayBeStored(request))
      this.find('wrong', `request ${request.id} (${request.kind}) was refused and is stored`)
    request.slots.forEach((slot, index) => {
      if (slot >= 0 && !this.truth.shared.has(slot))
        this.eachMonth(nameOf(request, index), [{ request: request.id, index }])
    })
    if (accepted && missing > 0)
      this.find('lost', `${missing} of ${missing + present} events of ${nameOf(request)}`, missing)
    if (present > 0 && missing > 0)
      this.find('torn', `${missing} of ${missing + present} events of ${nameOf(request)} are missing`)
  }

  /**
   * An insertId that was sent at several places must be stored at one of them, and at the first if that is
   * known.
   */
  private sharedSlot(slot: number, places: readonly Place[]): void {
    const requests = places.map((place) => this.truth.requests[place.request] as SentRequest)
    const times = places.map((place) => this.timesOf(place))
    const label = `insertId "${insertIdOf(slot)}", sent in ${places.length} places`
    this.doubles(label, slot, times)
    if (times.every((n) => n === 0)) {
      if (requests.some(wasAccepted)) this.find('lost', label)
      return
    }
    this.eachMonth(label, places)
    places.forEach((place, i) => {
      if (times[i] === 0) return
      const request = requests[i] as SentRequest
      const began = Math.min(...request.attempts.map(({ startedAt }) => startedAt))
      const stored = this.months.filter((month) => this.timesIn(place, month) > 0)
      const earlier = places.some(
        (other, j) =>
          (other.request === place.request && other.index < place.index) ||
          requests[j]?.attempts.some(
            (attempt) => attempt.endedAt < began && stored.includes(this.acceptedIn(attempt) ?? -1),
          ),
      )
      if (earlier)
        this.find('wrong', `${label}: stored as in ${nameOf(request, place.index)}, which was not the first`)
      if (!mayBeStored(request))
        this.find('wrong', `${label}: stored as in ${nameOf(request)}, which was refused`)
    })
  }

  private doubles(label: string, slot: number, times: readonly number[]): void {
    const inMonths = this.months.map((_, month) =>
      times.reduce((sum, counts) => sum + inMonth(counts, month), 0),
    )
    const beyondOne = (n: number): number => Math.max(0, n - 1)
    const all = inMonths.reduce((sum, n) => sum + n, 0)
    const doubled = slot < 0 ? beyondOne(all) : inMonths.reduce((sum, n) => sum + beyondOne(n), 0)
    if (doubled > 0) this.find('doubled', `${label}: ${doubled} more than once`, doubled)
  }

  /** An insertId that was accepted in a second month is stored in that one too. */
  private eachMonth(label: string, places: readonly Place[]): void {
    // Stored nowhere, which is already a finding.
    if (places.every((place) => this.timesOf(place) === 0)) return
    for (const { request } of places)
      for (const attempt of this.truth.requests[request]?.attempts ?? []) {
        const month = this.acceptedIn(attempt)
        if (month === undefined || month === this.months[0]) continue
        if (!places.some((place) => this.timesIn(place, month) > 0))
          this.find('lost', `${label}: not stored in the month ${month}, in which it was accepted again`)
      }
  }

  /** The month by the machine's clock of an accepted attempt; undefined if it is not certain. */
  private acceptedIn({ outcome, startedAt, endedAt }: Attempt): number | undefined {
    if (outcome !== 'accepted') return undefined
    const { clock } = this.truth
    const [from, to] = [clock.shownAt(startedAt), clock.shownAt(endedAt)]
    if (from === undefined || to === undefined || monthOf(from) !== monthOf(to)) return undefined
    return monthOf(from)
  }

  private timesIn(place: Place, month: number): number {
    const index = this.months.indexOf(month)
    return index < 0 ? 0 : inMonth(this.timesOf(place), index)
  }

  private monthIndex(month: number): number {
    const known = this.months.indexOf(month)
    if (known >= 0) return known
    if (this.months.length === MAX_MONTHS) throw new RangeError(`rows of more than ${MAX_MONTHS} months`)
    return this.months.push(month) - 1
  }

  /** The persons of each event, by the links, are those that the product counts. */
  private comparePersons(counted: ReadonlyMap<string, number>, { links }: Books): void {
    const userOf = new Map(links.map(({ anonymousId, userId }) => [`a ${anonymousId}`, `u ${userId}`]))
    for (const [name, count] of counted) {
      const persons = new Set([...(this.persons.get(name) ?? [])].map((id) => userOf.get(id) ?? id))
      if (persons.size !== count)
        this.find('links', `${persons.size} persons of ${name}, and the product counts ${count}`)
    }
  }

  private compareBooks(books: Books): void {
    const { stored, duplicates, dead, appended, outbox } = books
    if (stored !== this.sums.stored)
      this.find('wrong', `${this.sums.stored} rows, and the checkpoint counts ${stored}`)
    if (dead > 0) this.find('lost', `${dead} dead letters`, dead)
    if (outbox > 0) this.find('links', `${outbox} links are still in the outbox`, outbox)
    if (appended !== undefined && appended !== stored + duplicates + dead)
      this.find(
        'wrong',
        `${appended} events in the log, but ${stored} stored, ${duplicates} duplicates and ${dead} dead`,
      )
  }

  private timesOf(place: Place): number {
    return this.times.get(place.request)?.[place.index] ?? 0
  }

  find(kind: (typeof FAULTY)[number], text: string, by = 1): void {
    this.sums[kind] += by
    if (this.findings.length < MAX_FINDINGS) this.findings.push(`${kind}: ${text}`)
  }
}

function inMonth(counts: number, index: number): number {
  return (counts >>> (BITS * index)) & (2 ** BITS - 1)
}

export function isSound(count: Count): boolean {
  return FAULTY.every((kind) => count[kind] === 0)
}

function placeOf(row: StoredRow): Place | undefined {
  try {
    const { q, i } = JSON.parse(row.properties) as { q?: unknown; i?: unknown }
    return typeof q === 'number' && typeof i === 'number' ? { request: q, index: i } : undefined
  } catch {
    return undefined
  }
}

function nameOf(request: SentRequest, index?: number): string {
  const told = (['ambiguous', 'refused', 'accepted'] as const)
    .map((kind) => [request.attempts.filter(({ outcome }) => outcome === kind).length, kind] as const)
    .filter(([times]) => times > 0)
    .map(([times, kind]) => `${times} ${kind}`)
    .join(', ')
  return `${index === undefined ? '' : `event ${index} of `}request ${request.id} (${request.kind}: ${told})`
}
