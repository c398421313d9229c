import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import type { ISocketFactory, Mechanism } from 'kafkajs'
import { type KafkaPasswordLogin, type KafkaTls, readClientCertificate } from '../../../runtime/config.js'
import { Writer } from './codec.js'

/*
 * kafkajs makes the connections (TLS, SASL, framing, time-outs); the requests are ours. Its consumer is not
 * used: it returns records of overlapping aborted transactions, continues after an eviction, changes offsets
 * by itself, and rebalances the group whenever a leader changes.
 */

/** A request in kafkajs's form, with how its response is read. */
export interface Protocol<T> {
  readonly response: { readonly parse: (decoded: unknown) => Promise<T> }
  readonly requestTimeout?: number
}

/** A request that kafkajs does not know, or would copy. */
export interface OwnRequest<T> {
  readonly apiKey: number
  readonly apiVersion: number
  readonly apiName: string
  /** Whether the headers end with tagged fields. */
  readonly flexible?: boolean
  readonly body: Buffer
  readonly read: (payload: Buffer) => T
  readonly timeoutMs?: number
}

interface RawConnection {
  socket?: Socket
  readonly clientId: string
  /** Milliseconds for which the broker accepts the last login; 0 for ever. */
  readonly sessionLifetime: { toNumber(): number }
  readonly requestQueue: {
    push(request: {
      readonly entry: object
      readonly expectResponse: true
      readonly requestTimeout: number | null
      readonly sendRequest: () => void
    }): void
  }
  nextCorrelationId(): number
  connect(): Promise<unknown>
  isConnected(): boolean
  disconnect(): Promise<unknown>
  authenticate(): Promise<void>
  setVersions(versions: unknown): void
  setSupportAuthenticationProtocol(supported: boolean): void
  rejectRequests(error: Error): void
  send<T>(protocol: Protocol<T>): Promise<T>
}

interface RequestDefinitions {
  protocol(options: { readonly version: number }): (fields: object) => Protocol<never>
}

const require = createRequire(import.meta.url)
const Connection = require('kafkajs/src/network/connection') as new (options: object) => RawConnection
const { requests } = require('kafkajs/src/protocol/requests') as {
  requests: Readonly<Record<string, RequestDefinitions>>
}
const createSocketFactory = require('kafkajs/src/network/socketFactory') as () => unknown
const { createLogger } = require('kafkajs/src/loggers') as {
  createLogger(options: { level: number; logCreator: () => () => void }): unknown
}
const { createErrorFromCode } = require('kafkajs/src/protocol/error') as {
  createErrorFromCode(code: number): Error
}

const RequestQueue = require('kafkajs/src/network/requestQueue') as {
  prototype: { pending: readonly unknown[]; scheduleCheckPendingRequests(): void }
}
const { scheduleCheckPendingRequests } = RequestQueue.prototype
// kafkajs sets a timer in the past after each response that leaves no request waiting. Node 24 warns of it.
RequestQueue.prototype.scheduleCheckPendingRequests = function () {
  if (this.pending.length > 0) scheduleCheckPendingRequests.call(this)
}

const NO_TAGS = Buffer.alloc(1)
const silent = createLogger({ level: 0, logCreator: () => () => {} })

/** A request that kafkajs knows, in a fixed version. */
export function knownRequest<T>(name: string, version: number, fields: object): Protocol<T> {
  const definitions = requests[name]
  if (definitions === undefined) throw new RangeError(`there is no request ${name}`)
  return definitions.protocol({ version })(fields)
}

/** The error that kafkajs throws for a code of Kafka, with `type` and `retriable`. */
export function kafkaError(code: number): Error {
  return createErrorFromCode(code)
}

/** The `type` of a Kafka error, such as `REBALANCE_IN_PROGRESS`. Undefined for connection errors. */
export function kafkaErrorType(error: unknown): string | undefined {
  if (!(error instanceof Error && 'type' in error && typeof error.type === 'string')) return undefined
  return error.type
}

export interface ConnectionOptions {
  /** `host:port`. Any broker that answers names the others. */
  readonly brokers: readonly string[]
  readonly clientId: string
  /** @default false */
  readonly tls?: boolean | KafkaTls
  readonly sasl?: KafkaPasswordLogin | Mechanism
  /** For tests that intercept connections. */
  readonly socketFactory?: ISocketFactory
}

const CONNECT_MS = 1_500
const REQUEST_MS = 3_000
const REAUTHENTICATE_BEFORE_MS = 10_000

/** One connection to one broker. After an error, open another. */
export class BrokerConnection {
  private readonly connection: RawConnection

  private constructor(
    readonly address: string,
    options: ConnectionOptions,
  ) {
    const at = address.lastIndexOf(':')
    this.connection = new Connection({
      host: address.slice(0, at).replace(/^\[(.*)\]$/, '$1'),
      port: Number(address.slice(at + 1)),
      clientId: options.clientId,
      ssl: tlsOptions(options.tls),
      sasl: options.sasl ?? null,
      socketFactory: options.socketFactory ?? createSocketFactory(),
      connectionTimeout: CONNECT_MS,
      requestTimeout: REQUEST_MS,
      enforceRequestTimeout: true,
      logger: silent,
    })
    const { connection } = this
    // How long before its end kafkajs renews a session. Brokers refuse two logins within a second, which
    // would happen near the end of a token.
    Object.defineProperty(connection, 'reauthenticationThreshold', {
      get: () => Math.min(REAUTHENTICATE_BEFORE_MS, Math.floor(connection.sessionLifetime.toNumber() / 2)),
    })
  }

  static async open(address: string, options: ConnectionOptions): Promise<BrokerConnection> {
    const link = new BrokerConnection(address, options)
    const { connection } = link
    try {
      await connection.connect()
      connection.socket?.setNoDelay(true)
      if (options.sasl !== undefined) {
        const { apiVersions } = await connection.send(
          knownRequest<{ apiVersions: readonly { readonly apiKey: number }[] }>('ApiVersions', 2, {}),
        )
        connection.setVersions(Object.fromEntries(apiVersions.map((version) => [version.apiKey, version])))
        connection.setSupportAuthenticationProtocol(true)
        await connection.authenticate()
      }
      return link
    } catch (error) {
      link.close()
      throw error
    }
  }

  get isOpen(): boolean {
    return this.connection.isConnected()
  }

  send<T>(request: Protocol<T> | OwnRequest<T>): Promise<T> {
    return 'body' in request ? this.sendOwn(request) : this.connection.send(request)
  }

  /** Does what `send` of kafkajs's connection does, without copying the body. */
  private async sendOwn<T>(request: OwnRequest<T>): Promise<T> {
    const { connection } = this
    const { apiKey, apiName, apiVersion, flexible = false, body, read, timeoutMs = null } = request
    // Only has an effect if a login is about to expire.
    await connection.authenticate()
    if (!connection.isConnected()) throw new Error(`the connection to ${this.address} was closed`)
    const correlationId = connection.nextCorrelationId()
    const header = new Writer()
      .int16(apiKey)
      .int16(apiVersion)
      .int32(correlationId)
      .string(connection.clientId)
      .bytes()
    const pieces = [header, ...(flexible ? [NO_TAGS] : []), body]
    const size = new Writer().int32(pieces.reduce((bytes, piece) => bytes + piece.length, 0)).bytes()
    const { payload } = await new Promise<{ readonly payload: Buffer }>((resolve, reject) =>
      connection.requestQueue.push({
        entry: { apiKey, apiName, apiVersion, correlationId, resolve, reject },
        expectResponse: true,
        requestTimeout: timeoutMs,
        sendRequest: () => {
          const { socket } = connection
          socket?.cork()
          for (const piece of [size, ...pieces]) socket?.write(piece)
          socket?.uncork()
        },
      }),
    )
    return read(flexible ? payload.subarray(NO_TAGS.length) : payload)
  }

  /** Requests under way reject at once. */
  close(): void {
    this.connection.rejectRequests(new Error(`the connection to ${this.address} was closed`))
    // The socket is destroyed anyway.
    this.connection.disconnect().catch(() => {})
    this.connection.socket?.destroy()
  }
}

/** In kafkajs's form. */
function tlsOptions(tls: ConnectionOptions['tls'] = false): object | null {
  if (typeof tls === 'boolean') return tls ? {} : null
  const { client, ...trust } = tls
  return client === undefined ? trust : { ...trust, ...readClientCertificate(client) }
}

/** Connections for one purpose, one for each broker, opened on demand and again after a failure. */
export class BrokerConnections {
  private readonly links = new Map<string, Promise<BrokerConnection>>()
  /** Brokers that failed last. They are tried after the others. */
  private readonly failing = new Set<string>()
  private turn = 0
  private closed = false

  constructor(
    private readonly options: ConnectionOptions,
    /** Brokers that metadata has named since. */
    private known: readonly string[] = [],
  ) {}

  /** Sends to a broker. A connection that fails is dropped. */
  async send<T>(address: string, protocol: Protocol<T> | OwnRequest<T>): Promise<T> {
    try {
      const link = await this.open(address)
      const answer = await link.send(protocol)
      this.failing.delete(address)
      return answer
    } catch (error) {
      // An error code of Kafka came over a sound connection.
      if (kafkaErrorType(error) === undefined) {
        this.failing.add(address)
        this.drop(address)
      }
      throw error
    }
  }

  /** Sends to any broker that answers, starting with another one each time. Rejects with the last error. */
  async sendToAny<T>(protocol: Protocol<T> | OwnRequest<T>): Promise<T> {
    const all = [...new Set([...this.known, ...this.options.brokers])]
    const first = this.turn++ % all.length
    const inTurn = [...all.slice(first), ...all.slice(0, first)]
    const isFailing = (address: string): number => (this.failing.has(address) ? 1 : 0)
    let failure: unknown
    for (const address of inTurn.sort((a, b) => isFailing(a) - isFailing(b))) {
      try {
        return await this.send(address, protocol)
      } catch (error) {
        failure = error
        if (this.closed) break
      }
    }
    throw failure
  }

  learn(addresses: readonly string[]): void {
    this.known = addresses
  }

  drop(address: string): void {
    const link = this.links.get(address)
    this.links.delete(address)
    // One that never opened has nothing to close.
    link?.then((open) => open.close()).catch(() => {})
  }

  close(): void {
    this.closed = true
    for (const address of [...this.links.keys()]) this.drop(address)
  }

  private async open(address: string): Promise<BrokerConnection> {
    if (this.closed) throw new Error('the log is closed')
    const existing = this.links.get(address)
    if (existing !== undefined) {
      // The opener handles the failure; this call opens another.
      const link = await existing.catch(() => undefined)
      if (link?.isOpen) return link
      if (this.links.get(address) === existing) this.links.delete(address)
      return this.open(address)
    }
    const opening = BrokerConnection.open(address, this.options)
    this.links.set(address, opening)
    return opening
  }
}
