import { useEffect } from 'preact/hooks'
import { toApiError } from '../client/api-error'
import { IdentityScope, useIdentity } from '../client/identity'
import { setSignedIn, useSignedIn } from '../client/session'
import { restoreSession, returnFromProvider, signIn, takeCredential } from '../client/sign-in'
import { Toasts } from '../components/toasts'
import { Navigation } from './navigation'
import { Pages } from './pages'
import { SignInPage } from './sign-in'

/** A sign-in link carries its code after `#`, which no server sees. Remove it from the address first. */
const credential = takeCredential()
returnFromProvider()

export function App() {
  const signedIn = useSignedIn()
  useEffect(() => {
    if (credential === null) void restoreSession()
    else signIn(credential).catch((thrown: unknown) => setSignedIn(false, toApiError(thrown).message))
  }, [])
  const identity = useIdentity(signedIn === true)

  return (
    <IdentityScope identity={identity.data}>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <div class="shell">
        <Navigation signedIn={signedIn === true} />
        <main id="content" class="page" tabIndex={-1}>
          {signedIn === undefined ? <p role="status">Signing in…</p> : signedIn ? <Pages /> : <SignInPage />}
        </main>
      </div>
      <Toasts />
    </IdentityScope>
  )
}
