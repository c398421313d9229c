import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Test {
  teardown(fn: () => unknown): unknown
}

export interface TestIdentityProvider {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** The person who signs in next. */
  person: { readonly email: string; readonly email_verified: boolean; readonly name?: string }
  /** Begins to answer. @param redirectUris where browsers may be sent back to */
  serve(redirectUris: readonly string[]): Promise<void>
}

const ID_TOKEN_SECONDS = 30

/** A real OpenID Connect provider over HTTP, which signs `person` in without asking. */
export async function openIdentityProvider(t: Test): Promise<TestIdentityProvider> {
  let answer: RequestListener = (_request, response) => response.writeHead(503).end()
  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const opened: TestIdentityProvider = {
    // Another site than the service's address, so that cookies behave as they do between sites.
    issuer: `http://localhost:${(server.address() as AddressInfo).port}`,
    clientId: 'svc',
    clientSecret: 'a secret of the test',
    person: { email: 'owner@example.com', email_verified: true },
    async serve(redirectUris) {
      answer = await answersOf(opened, redirectUris)
    },
  }
  return opened
}

async function answersOf(
  of: TestIdentityProvider,
  redirectUris: readonly string[],
): Promise<RequestListener> {
  // The package warns of Node 20 and of its development settings.
  console.warn = () => {}
  console.info = () => {}
  const { default: Provider } = await import('oidc-provider')
  const scopes = { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] }
  const provider = new Provider(of.issuer, {
    clients: [{ client_id: of.clientId, client_secret: of.clientSecret, redirect_uris: redirectUris }],
    claims: scopes,
    cookies: { keys: ['a key of the test'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    pkce: { required: () => true },
    ttl: { IdToken: ID_TOKEN_SECONDS },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id, ...of.person }) }),
    async loadExistingGrant({ oidc }) {
      const { clientId } = oidc.client
      const grant = new oidc.provider.Grant({ clientId, accountId: oidc.session.accountId })
      grant.addOIDCScope(Object.keys(scopes).join(' '))
      await grant.save()
      return grant
    },
  })
  const respond = provider.callback()
  return (request, response) =>
    request.url?.startsWith('/interaction/') === true
      ? provider.interactionFinished(request, response, { login: { accountId: of.person.email } })
      : respond(request, response)
}
