import { useEffect, useState } from 'preact/hooks'
import { failureOf } from '../client/failure'
import { IdentityProvider, useIdentity } from '../client/identity'
import { exchangeCode, takeCode } from '../client/one-time-code'
import { signIn, signOut, useToken } from '../client/session'
import { Toasts } from '../parts/toasts'
import { Navigation } from './navigation'
import { Pages } from './pages'
import { SignIn } from './sign-in'

/** A link that signs in once carries its code behind `#`, which no server sees; it is taken out of the address before anything else. */
const code = takeCode()

export function App() {
  const token = useToken()
  const [exchanging, setExchanging] = useState(code !== null)
  useEffect(() => {
    if (code === null) return
    exchangeCode(code)
      .then(signIn, (thrown: unknown) => signOut(failureOf(thrown).message))
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
