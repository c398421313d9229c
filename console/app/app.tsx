import { useEffect, useState } from 'preact/hooks'
import { toApiError } from '../client/api-error'
import { IdentityProvider, useIdentity } from '../client/identity'
import { exchangeCode, takeCodeFromUrl } from '../client/one-time-code'
import { signIn, signOut, useToken } from '../client/session'
import { Toasts } from '../components/toasts'
import { Navigation } from './navigation'
import { Pages } from './pages'
import { SignIn } from './sign-in'

/** A sign-in link carries its code after `#`, which no server sees. Remove it from the address first. */
const code = takeCodeFromUrl()

export function App() {
  const token = useToken()
  const [exchanging, setExchanging] = useState(code !== null)
  useEffect(() => {
    if (code === null) return
    exchangeCode(code)
      .then(signIn, (thrown: unknown) => signOut(toApiError(thrown).message))
      .finally(() => setExchanging(false))
  }, [])
  const identity = useIdentity(token)

  return (
    <IdentityProvider identity={identity.data}>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <div class="shell">
        <Navigation signedIn={token !== null} />
        <main id="content" class="page" tabIndex={-1}>
          {token !== null ? <Pages /> : exchanging ? <p role="status">Signing in…</p> : <SignIn />}
        </main>
      </div>
      <Toasts />
    </IdentityProvider>
  )
}
