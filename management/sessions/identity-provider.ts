import * as oidc from 'openid-client'
import { errorMessage } from '../../runtime/errors.js'
import type { Logger } from '../../runtime/logger.js'
import { seal, UnsealError, unseal } from '../../runtime/sealed-secret.js'
import { unavailable } from '../domain-errors.js'

/** How long a person may take at the provider. */
export const PENDING_MS = 600_000
/** Accepted difference between the clocks of the provider and of this machine. */
const CLOCK_TOLERANCE_SECONDS = 60
const TIMEOUT_SECONDS = 4
const PURPOSE = 'sign-in at the identity provider'

/** The settings of `SVC_OIDC_…`. */
export interface IdentityProviderSettings {
  /** `https`, or `http` on this machine. */
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** Whether a person whom no workspace knows is refused or becomes a member, who may read. */
  readonly unknown: 'refuse' | 'member'
  /** Needed if there are several workspaces. */
  readonly workspaceId: string | undefined
}

/** A person as the provider describes them. Their email address is verified. */
export interface VerifiedIdentity {
  readonly email: string
  readonly name: string | undefined
}

/** Why someone was not signed in; the console has a sentence for each. */
export type SignInRefusal = 'failed' | 'unverified' | 'unknown' | 'ambiguous'

/** A sign-in between the two visits of the browser. */
interface PendingSignIn {
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
  readonly redirectUri: string
  readonly expiresAt: number
}

/**
 * Signs people in with OpenID Connect: authorization code, PKCE, state and nonce. State to be remembered
 * between the two visits is sealed and kept by the browser, so that any process can finish the sign-in, also
 * after a restart.
 */
export class IdentityProvider {
  /** For people: the host of the issuer. */
  readonly name: string
  private discovered: Promise<oidc.Configuration> | undefined

  constructor(
    readonly settings: IdentityProviderSettings,
    private readonly options: {
      readonly secretKey: Uint8Array
      /** Milliseconds since 1970. */
      readonly now: () => number
      readonly logger: Logger
    },
  ) {
    this.name = new URL(settings.issuer).host
  }

  /**
   * @param redirectUri where the provider sends the browser back to
   * @returns where to send the browser, and what it must bring back
   * @throws DomainError UNAVAILABLE if the provider does not answer
   */
  async begin(redirectUri: string): Promise<{ readonly url: string; readonly pending: string }> {
    const configuration = await this.discover()
    const codeVerifier = oidc.randomPKCECodeVerifier()
    const state = oidc.randomState()
    const nonce = oidc.randomNonce()
    const url = oidc.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: 'openid email profile',
      code_challenge: await oidc.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
      state,
      nonce,
    })
    const expiresAt = this.options.now() + PENDING_MS
    const pending: PendingSignIn = { state, nonce, codeVerifier, redirectUri, expiresAt }
    const sealed = seal(this.options.secretKey, PURPOSE, JSON.stringify(pending))
    return { url: url.href, pending: sealed.toString('base64url') }
  }

  /**
   * @param pending what `begin` gave the browser
   * @param query of the address at which the browser came back
   * @returns who it is, and whether the browser reached this service over https; or why that is not known
   */
  async finish(
    pending: string,
    query: string,
  ): Promise<{ readonly identity: VerifiedIdentity; readonly isSecure: boolean } | SignInRefusal> {
    try {
      const begun = this.open(pending)
      if (begun === undefined) return 'failed'
      const claims = await this.claimsOf(begun, query)
      if (typeof claims.email !== 'string' || claims.email_verified !== true) return 'unverified'
      const name = typeof claims.name === 'string' ? claims.name : undefined
      return {
        identity: { email: claims.email, name },
        isSecure: begun.redirectUri.startsWith('https:'),
      }
    } catch (error) {
      this.options.logger.warn(
        { error: errorMessage(error), issuer: this.settings.issuer },
        'Sign-in with the identity provider failed',
      )
      return 'failed'
    }
  }

  private async claimsOf(
    { state, nonce, codeVerifier, redirectUri }: PendingSignIn,
    query: string,
  ): Promise<Readonly<Record<string, unknown>>> {
    const configuration = await this.discover()
    const tokens = await oidc.authorizationCodeGrant(configuration, new URL(`${redirectUri}?${query}`), {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: codeVerifier,
      idTokenExpected: true,
    })
    const claims = tokens.claims()
    if (claims === undefined) throw new Error('the provider sent no ID token')
    const hasUserInfo = configuration.serverMetadata().userinfo_endpoint !== undefined
    // Many providers put the email address only there.
    return claims.email === undefined && hasUserInfo
      ? await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub)
      : claims
  }

  /** Undefined if it is too old, or was not made by this service. */
  private open(pending: string): PendingSignIn | undefined {
    try {
      const text = unseal(this.options.secretKey, PURPOSE, Buffer.from(pending, 'base64url'))
      const begun = JSON.parse(text) as PendingSignIn
      return begun.expiresAt > this.options.now() ? begun : undefined
    } catch (error) {
      if (error instanceof UnsealError) return undefined
      throw error
    }
  }

  /** Once; after a failure again at the next call. */
  private discover(): Promise<oidc.Configuration> {
    this.discovered ??= this.askForMetadata().catch((error: unknown) => {
      this.discovered = undefined
      this.options.logger.warn(
        { error: errorMessage(error), issuer: this.settings.issuer },
        'Identity provider not reached',
      )
      throw unavailable('The identity provider does not answer', { cause: error })
    })
    return this.discovered
  }

  private askForMetadata(): Promise<oidc.Configuration> {
    const { issuer, clientId, clientSecret } = this.settings
    const url = new URL(issuer)
    return oidc.discovery(
      url,
      clientId,
      {
        [oidc.clockTolerance]: CLOCK_TOLERANCE_SECONDS,
        [oidc.clockSkew]: Math.round((this.options.now() - Date.now()) / 1_000),
      },
      authenticationOf(clientSecret),
      // The configuration accepts http only for this machine.
      { timeout: TIMEOUT_SECONDS, execute: url.protocol === 'http:' ? [oidc.allowInsecureRequests] : [] },
    )
  }
}

/** Basic, which is the standard's default, unless the provider accepts only the body of the request. */
function authenticationOf(clientSecret: string): oidc.ClientAuth {
  const basic = oidc.ClientSecretBasic(clientSecret)
  const post = oidc.ClientSecretPost(clientSecret)
  return (server, ...request) => {
    const methods = server.token_endpoint_auth_methods_supported
    const chosen = methods === undefined || methods.includes('client_secret_basic') ? basic : post
    return chosen(server, ...request)
  }
}
