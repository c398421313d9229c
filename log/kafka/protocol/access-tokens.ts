import { errorMessage } from '../../../runtime/errors.js'
import type { LogLogger } from '../../port.js'
import { type AccessToken, runTokenCommand } from './token-command.js'

const RETRY_MS = 5_000
/** A login with a token that ends sooner would have to be repeated at once. */
const MIN_LIFE_MS = 3_000

/**
 * The token of a program, for logins to Kafka. It is got again after half of its life, so that a connection
 * never waits for the program. A token whose end is unknown serves the logins that were waiting for it.
 */
export class AccessTokens {
  private token: AccessToken | undefined
  private failure: unknown
  private running: Promise<AccessToken> | undefined
  private timer: NodeJS.Timeout | undefined
  private closed = false

  constructor(
    private readonly command: readonly string[],
    private readonly logger: LogLogger | undefined,
  ) {}

  /** Rejects at once while the program fails or the brokers refuse its token; the timer tries again. */
  async get(): Promise<AccessToken> {
    const { expiresAt = 0 } = this.token ?? {}
    if (this.token !== undefined && expiresAt - MIN_LIFE_MS > Date.now()) return this.token
    if (this.failure !== undefined) throw this.failure
    return this.refresh()
  }

  /** For a token that a broker has refused. */
  reject(token: AccessToken, error: unknown): void {
    if (this.token !== token) return
    this.token = undefined
    this.failed(error)
  }

  close(): void {
    this.closed = true
    clearTimeout(this.timer)
  }

  private refresh(): Promise<AccessToken> {
    this.running ??= this.run().finally(() => {
      this.running = undefined
    })
    return this.running
  }

  private async run(): Promise<AccessToken> {
    try {
      const token = await runTokenCommand(this.command, this.logger)
      this.token = token
      this.failure = undefined
      if (token.expiresAt !== undefined)
        this.refreshIn(Math.max(RETRY_MS, (token.expiresAt - Date.now()) / 2))
      return token
    } catch (error) {
      this.failed(error)
      throw error
    }
  }

  private failed(error: unknown): void {
    this.failure = error
    this.logger?.warn({ reason: errorMessage(error) }, 'No token for Kafka; trying again in 5 s')
    this.refreshIn(RETRY_MS)
  }

  private refreshIn(ms: number): void {
    clearTimeout(this.timer)
    if (this.closed) return
    // `failed` has reported the error and set the timer again.
    this.timer = setTimeout(() => this.refresh().catch(() => {}), Math.min(ms, 2 ** 31 - 1)).unref()
  }
}
