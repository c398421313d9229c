/** The part of the package, which has no types, that tests use. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  class Grant {
    constructor(of: { readonly clientId: string; readonly accountId: string })
    addOIDCScope(scope: string): void
    save(): Promise<string>
  }

  interface Context {
    readonly oidc: {
      readonly provider: { readonly Grant: typeof Grant }
      readonly client: { readonly clientId: string }
      readonly session: { readonly accountId: string }
    }
  }

  export default class Provider {
    constructor(
      issuer: string,
      configuration: {
        readonly clients: readonly object[]
        readonly claims: Readonly<Record<string, readonly string[]>>
        readonly cookies: { readonly keys: readonly string[] }
        readonly features: Readonly<Record<string, { readonly enabled: boolean }>>
        readonly interactions: { url(context: Context, interaction: { readonly uid: string }): string }
        readonly pkce: { required(): boolean }
        readonly ttl: Readonly<Record<string, number>>
        findAccount(context: Context, id: string): { readonly accountId: string; claims(): object }
        loadExistingGrant(context: Context): Promise<Grant>
      },
    )
    callback(): (request: IncomingMessage, response: ServerResponse) => void
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: { readonly login: { readonly accountId: string } },
    ): Promise<void>
  }
}
