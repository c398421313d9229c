import { setTimeout as after } from 'node:timers/promises'
import { AssignerProtocol } from 'kafkajs'
import { backoffMs } from '../../../runtime/backoff.js'
import { pause } from '../../../runtime/concurrency/pause.js'
import { withTimeout } from '../../../runtime/concurrency/with-timeout.js'
import type { LogLogger } from '../../port.js'
import { requestAnyBroker } from '../protocol/any-broker.js'
import {
  type BrokerConnections,
  kafkaErrorType,
  knownRequest,
  type Protocol,
} from '../protocol/connections.js'
import { findCoordinator, GROUP } from '../protocol/coordinator.js'
import { assignPartitions, type Member } from './assignor.js'

export interface MembershipOptions {
  readonly links: BrokerConnections
  readonly groupId: string
  readonly topic: string
  readonly partitions: number
  readonly timing: MembershipTiming
  readonly logger: LogLogger | undefined
  /** Called with this member's partitions. Returns a promise for the end of those it lost, if any. */
  readonly assign: (partitions: ReadonlySet<number>) => Promise<void> | undefined
}

export interface MembershipTiming {
  /** A member that is silent for so long is removed from the group. */
  readonly sessionMs: number
  readonly heartbeatMs: number
  /** How long the others wait for a member that does not join again. */
  readonly rebalanceMs: number
}

interface Joined {
  readonly generationId: number
  readonly leaderId: string
  readonly memberId: string
  readonly members: readonly { readonly memberId: string; readonly memberMetadata: Buffer }[]
}

const PROTOCOL = 'svc-sticky'
const JOIN_VERSION = 5
const SYNC_VERSION = 3
const HEARTBEAT_VERSION = 3
const LEAVE_VERSION = 1
const PAUSES = { initialIntervalMs: 100, maxIntervalMs: 2_000 } as const
const LEAVE_MS = 1_000
const CONFIRM_MS = 50
/** After this a lost partition counts as released even if its batch runs on. The lease fences it. */
const LET_GO_MS = 10_000

/**
 * Membership in a consumer group, independent of reading: heartbeats continue however long a batch takes, and
 * partitions that stay are worked on through every rebalance.
 *
 * A member that was removed (frozen, or cut off for longer than the session) learns it from its next
 * heartbeat, gives up its partitions and joins as a new one. Until then it is a zombie, and leases fence it.
 */
export class Membership {
  private memberId = ''
  private generation = -1
  private owned: ReadonlySet<number> = new Set()
  private coordinator: string | undefined
  /** When the last request was sent that the group accepted from a member. */
  private heardAt = performance.now()
  private failures = 0
  private joining = false

  constructor(private readonly options: MembershipOptions) {}

  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.joining && this.hangUp(), { once: true })
    while (!signal.aborted) {
      try {
        this.joining = true
        const given = await this.join()
        this.joining = false
        this.failures = 0
        await this.stay(this.options.assign(given), signal)
      } catch (error) {
        this.joining = false
        if (signal.aborted) break
        await this.recover(error, signal)
      }
    }
    await this.leave()
  }

  /** Resolves when the group has just confirmed this member, as it must after a freeze, or on abort. */
  async confirm(signal: AbortSignal): Promise<void> {
    const { heartbeatMs } = this.options.timing
    while (!signal.aborted && performance.now() - this.heardAt > 2 * heartbeatMs)
      await pause(CONFIRM_MS, signal)
  }

  private async join(): Promise<ReadonlySet<number>> {
    const { groupId, topic, timing } = this.options
    const claim = Buffer.from(JSON.stringify({ generation: this.generation, owned: [...this.owned] }))
    const metadata = AssignerProtocol.MemberMetadata.encode({ version: 1, topics: [topic], userData: claim })
    const request = () =>
      knownRequest<Joined>('JoinGroup', JOIN_VERSION, {
        groupId,
        sessionTimeout: timing.sessionMs,
        rebalanceTimeout: timing.rebalanceMs,
        memberId: this.memberId,
        protocolType: 'consumer',
        groupProtocols: [{ name: PROTOCOL, metadata }],
      })
    let joined: Joined
    try {
      joined = await this.send(request())
    } catch (error) {
      // The broker sends a new member its id first, so that one whose answer is lost does not count.
      if (!(error instanceof Error && 'memberId' in error && typeof error.memberId === 'string')) throw error
      this.memberId = error.memberId
      joined = await this.send(request())
    }
    this.memberId = joined.memberId
    const isLeader = joined.leaderId === joined.memberId
    const askedAt = performance.now()
    const { memberAssignment } = await this.send(
      knownRequest<{ readonly memberAssignment: Buffer }>('SyncGroup', SYNC_VERSION, {
        groupId,
        generationId: joined.generationId,
        memberId: joined.memberId,
        groupAssignment: isLeader ? this.divide(joined) : [],
      }),
    )
    this.heardAt = askedAt
    const partitions = AssignerProtocol.MemberAssignment.decode(memberAssignment)?.assignment[topic] ?? []
    this.generation = joined.generationId
    this.owned = new Set(partitions)
    this.options.logger?.info(
      { groupId, generation: this.generation, partitions, members: joined.members.length || undefined },
      'Partitions assigned',
    )
    return this.owned
  }

  private divide({ members }: Joined): { memberId: string; memberAssignment: Buffer }[] {
    const { topic, partitions } = this.options
    const assignment = assignPartitions(partitions, members.map(readMember))
    return [...assignment].map(([memberId, own]) => ({
      memberId,
      memberAssignment: AssignerProtocol.MemberAssignment.encode({
        version: 1,
        assignment: { [topic]: [...own] },
        userData: Buffer.alloc(0),
      }),
    }))
  }

  /** Returns when it is time to join again. */
  private async stay(letGo: Promise<void> | undefined, signal: AbortSignal): Promise<void> {
    const { heartbeatMs } = this.options.timing
    const released =
      letGo === undefined ? undefined : Promise.race([letGo, after(LET_GO_MS, undefined, { ref: false })])
    while (!signal.aborted) {
      const beat = pause(heartbeatMs, signal).then(() => 'beat' as const)
      const turn = await (released === undefined
        ? beat
        : Promise.race([beat, released.then(() => 'released')]))
      if (signal.aborted) return
      await this.heartbeat(signal)
      if (turn === 'released') return
    }
  }

  /** Rejects if the group removed this member or rebalances, or if the coordinator is lost for a session. */
  private async heartbeat(signal: AbortSignal): Promise<void> {
    const { groupId, timing } = this.options
    for (;;) {
      const askedAt = performance.now()
      try {
        await this.send(
          knownRequest('Heartbeat', HEARTBEAT_VERSION, {
            groupId,
            groupGenerationId: this.generation,
            memberId: this.memberId,
          }),
        )
        this.heardAt = askedAt
        return
      } catch (error) {
        if (kafkaErrorType(error) === 'REBALANCE_IN_PROGRESS') this.heardAt = askedAt
        if (!isCoordinatorGone(error) || performance.now() - this.heardAt > timing.sessionMs) throw error
        await pause(PAUSES.initialIntervalMs, signal)
        if (signal.aborted) return
      }
    }
  }

  private async recover(error: unknown, signal: AbortSignal): Promise<void> {
    const { groupId, logger, timing } = this.options
    const type = kafkaErrorType(error)
    if (type === 'REBALANCE_IN_PROGRESS') return
    const out = type === 'UNKNOWN_MEMBER_ID' || type === 'ILLEGAL_GENERATION'
    if (type === 'UNKNOWN_MEMBER_ID') this.memberId = ''
    if (out || performance.now() - this.heardAt > timing.sessionMs) this.loseAll()
    const pauseMs = backoffMs(PAUSES, this.failures)
    this.failures++
    logger?.warn({ err: error, groupId, pauseMs }, 'Left the consumer group; joining again')
    await pause(pauseMs, signal)
  }

  private hangUp(): void {
    if (this.coordinator !== undefined) this.options.links.drop(this.coordinator)
  }

  private loseAll(): void {
    if (this.owned.size === 0) return
    this.owned = new Set()
    this.generation = -1
    // The partitions are lost either way; each one logs its own failures.
    this.options.assign(this.owned)?.catch(() => {})
  }

  private async leave(): Promise<void> {
    if (this.memberId === '') return
    const { groupId } = this.options
    const leaving = this.send(knownRequest('LeaveGroup', LEAVE_VERSION, { groupId, memberId: this.memberId }))
    // A failure does no harm: the session expires by itself.
    await withTimeout(LEAVE_MS, 'Kafka', leaving).catch(() => {})
  }

  private async send<T>(protocol: Protocol<T>): Promise<T> {
    const { links, groupId } = this.options
    try {
      this.coordinator ??= await requestAnyBroker(() => findCoordinator(links, groupId, GROUP))
      return await links.send(this.coordinator, protocol)
    } catch (error) {
      if (isCoordinatorGone(error)) this.coordinator = undefined
      throw error
    }
  }
}

/** Whether another broker may answer: failed connections, and a coordinator that moved or is starting. */
function isCoordinatorGone(error: unknown): boolean {
  if (error instanceof Error && 'memberId' in error) return false
  const type = kafkaErrorType(error)
  return (
    type === undefined ||
    type === 'NOT_COORDINATOR_FOR_GROUP' ||
    type === 'GROUP_COORDINATOR_NOT_AVAILABLE' ||
    type === 'GROUP_LOAD_IN_PROGRESS'
  )
}

function readMember({ memberId, memberMetadata }: Joined['members'][number]): Member {
  try {
    const metadata = AssignerProtocol.MemberMetadata.decode(memberMetadata)
    const { generation, owned } = JSON.parse(metadata?.userData.toString() ?? '') as Omit<Member, 'id'>
    if (Number.isInteger(generation) && Array.isArray(owned)) return { id: memberId, generation, owned }
  } catch {
    // A member whose claim cannot be read owns nothing.
  }
  return { id: memberId, generation: -1, owned: [] }
}
