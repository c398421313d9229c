import { executeOperation, type Operation, type OperationHooks } from '../../management/operation.js'
import { type Credential, findCredential } from '../../postgres/tables/credentials.js'
import { QueueTimeoutError } from '../../runtime/concurrency/fair-queue.js'
import { withTimeout } from '../../runtime/concurrency/with-timeout.js'
import { checkScope, unauthenticated } from './authenticator.js'
import { checkIfMatch, withEtag } from './etag.js'
import type { Exchange } from './exchange.js'
import type { HandlerContext } from './handler-context.js'
import { HttpError } from './http-error.js'
import type { Claim } from './idempotency.js'
import { type RawResponse, type StoredResponse, toRawResponse, toStoredResponse } from './response.js'
import { type ApiRequest, acceptsApiKeys, type Route, type RouteResponse } from './route.js'
import type { ValidatedInput } from './validated-route.js'

/** How long a response waits to be recorded under its Idempotency-Key, after its operation was committed. */
const SETTLE_MS = 500
export const DEADLINE_MS = 5_000

/** One run of a route's handler for an authorised request with valid input. */
export class RouteRun {
  private readonly deadlineMs: number
  private answerBy: number
  private readonly overdue = new AbortController()
  private committed = false
  /** Ends the turn: the wait for a job burdens nothing. */
  private endTurn = (): void => {}
  private readonly written = new Promise<void>((resolve) => {
    this.endTurn = resolve
  })
  /** The response that the Idempotency-Key has recorded; a job may have been faster than this request. */
  private settled: StoredResponse | undefined
  private readonly request: ApiRequest<unknown, unknown, unknown>

  constructor(
    private readonly context: HandlerContext,
    private readonly exchange: Exchange,
    private readonly route: Route,
    private readonly credential: Credential,
    private readonly requestId: string,
    input: ValidatedInput,
    private readonly claim?: Claim,
  ) {
    this.deadlineMs = route.deadlineMs ?? DEADLINE_MS
    this.answerBy = performance.now() + this.deadlineMs
    const { overdue } = this
    this.request = {
      params: input.params,
      query: input.query,
      body: input.body,
      credential,
      workspaceId: credential.workspace.id,
      requestId,
      services: context.services,
      header: (name) => exchange.header(name),
      async reauthenticate() {
        await context.credentials.authenticate(exchange, () => {})
      },
      async inTurn(work) {
        for (;;)
          try {
            return await context.queries.run(credential.workspace.id, work, exchange)
          } catch (error) {
            if (!(error instanceof QueueTimeoutError)) throw error
          }
      },
      get signal() {
        return AbortSignal.any([exchange.signal, overdue.signal])
      },
      execute: (operation, input, answer) => this.execute(operation, input, answer),
    }
  }

  /**
   * Responds when the workspace has a turn, which is when the deadline begins. A turn ends with the work,
   * which may outlast the deadline. A response after the deadline is dropped, but its claim is settled.
   */
  async start(): Promise<RawResponse> {
    const { context, exchange, request, route } = this
    let begin: (response: Promise<RawResponse>) => void = () => {}
    const begun = new Promise<{ readonly response: Promise<RawResponse> }>((resolve) => {
      begin = (response) => resolve({ response })
    })
    const queue = route.heavy ? context.queries : context.requests
    const turn = queue.run(
      request.workspaceId,
      async () => {
        this.answerBy = performance.now() + this.deadlineMs
        const response = this.respond()
        begin(response)
        // The request handles the failure. Here it only ends the turn.
        await Promise.race([response.catch(() => {}), this.written])
      },
      exchange,
    )
    const first = await Promise.race([begun, turn.then(() => begun)]).catch((error: unknown) => {
      throw error instanceof QueueTimeoutError ? tooMuchAtWork(error) : error
    })
    return this.answerInTime(first.response)
  }

  private answerInTime(response: Promise<RawResponse>): Promise<RawResponse> {
    return withTimeout(this.deadlineMs, 'the request', response, (error) => this.overdue.abort(error))
  }

  private async respond(): Promise<RawResponse> {
    const { context, exchange, route, claim } = this
    try {
      const response = await route.handler(this.request)
      if (response.stream !== undefined || response.cookies !== undefined) return toRawResponse(response)
      const stored = this.settled ?? toStoredResponse(response)
      // Nothing was written, so there was no transaction to record the response in.
      if (!this.committed) await claim?.finish(context.services.sql, stored)
      return route.etag ? withEtag(stored, exchange.header('if-none-match'), response.state) : stored
    } catch (error) {
      // A claim that cannot be released expires by itself.
      if (!this.committed) await claim?.release().catch(() => {})
      throw error
    }
  }

  private async execute<OperationInput, Result, Prepared>(
    operation: Operation<OperationInput, Result, Prepared>,
    input: OperationInput,
    answer: (result: Result, now: number) => RouteResponse,
  ): Promise<RouteResponse> {
    const { context, credential, requestId, answerBy, overdue, claim, route } = this
    const { services } = context
    const { signal, workspaceId } = this.request
    const caller = { services, workspaceId, credential, requestId, signal, answerBy }
    let recorded: RouteResponse | undefined
    const result = await executeOperation(operation, caller, input, {
      ...this.precondition(),
      async authorize(tx) {
        const current = await findCredential(tx, credential.hash)
        if (current === undefined) throw unauthenticated('The key ended while the request was under way')
        checkScope(current, route)
        return current
      },
      async beforeCommit(tx, { result, awaits, subjectId }) {
        if (awaits === undefined) {
          recorded = answer(result, services.now())
          await claim?.finish(tx, toStoredResponse(recorded))
        } else await claim?.deferToJob(tx, { job: awaits, operationId: route.operationId, subjectId })
        // The client was answered 503 and may send the request again, so nothing may be committed.
        overdue.signal.throwIfAborted()
        context.faultPoint('api:written')
      },
      afterCommit: () => {
        this.committed = true
        this.endTurn()
        if (!acceptsApiKeys(route)) context.credentials.forget(workspaceId)
        context.faultPoint('api:committed')
      },
    })
    if (recorded !== undefined) return recorded
    const response = answer(result, services.now())
    if (claim !== undefined)
      // If this fails or takes too long, the job writes the response.
      this.settled = await withTimeout(
        SETTLE_MS,
        'Postgres, noting a response',
        claim.settle(toStoredResponse(response)),
      ).catch(() => undefined)
    return response
  }

  /** `If-Match`; nothing if it is not sent, or the route does not change one resource. */
  private precondition(): Pick<OperationHooks<never>, 'precondition'> {
    const { exchange, route, request, credential } = this
    const ifMatch = exchange.header('if-match')
    if (ifMatch === undefined || route.lockState === undefined) return {}
    return {
      async precondition(tx) {
        checkIfMatch(ifMatch, await route.lockState?.(tx, request.workspaceId, request.params, credential))
      },
    }
  }
}

export function tooMuchAtWork(cause: Error): HttpError {
  return new HttpError(
    'RATE_LIMITED',
    'This workspace has too many requests at work: wait for their answers, or ask for less at once',
    [],
    { 'Retry-After': '5' },
    { cause },
  )
}
