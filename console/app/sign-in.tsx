import { useState } from 'preact/hooks'
import { toApiError } from '../client/api-error'
import { identityProvider, signOutReason } from '../client/session'
import { signIn, signInWithProvider } from '../client/sign-in'
import { Page } from '../components/page'

/** Shown in place of any page until there is a session. */
export function SignInPage() {
  const [token, setToken] = useState('')
  const [problem, setProblem] = useState<string | null>(signOutReason())
  const [busy, setBusy] = useState(false)
  const provider = identityProvider()

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    const entered = token.trim()
    setProblem(null)
    if (!/^[!-~]+$/.test(entered)) {
      setProblem('Enter a session token: it begins with tsk_sess_ and has no spaces.')
      return
    }
    await attempt(() => signIn(entered))
  }

  async function attempt(work: () => Promise<void>): Promise<void> {
    setProblem(null)
    setBusy(true)
    try {
      await work()
    } catch (thrown) {
      const failure = toApiError(thrown)
      setProblem(
        failure.requestId === null
          ? `${failure.message}.`
          : `${failure.message} (request ${failure.requestId}).`,
      )
      setBusy(false)
    }
  }

  return (
    <Page title="Sign in">
      {problem !== null && (
        <p role="alert" class="notice bad">
          {problem}
        </p>
      )}
      {provider !== null && (
        <p>
          <button
            type="button"
            class="button primary"
            disabled={busy}
            onClick={() => void attempt(signInWithProvider)}
          >
            Sign in with {provider}
          </button>
        </p>
      )}
      <form class="card sign-in" onSubmit={submit}>
        <div class="field">
          <label for="token">Session token</label>
          <input
            id="token"
            type="password"
            autocomplete="off"
            spellcheck={false}
            required
            value={token}
            aria-describedby="token-hint"
            onInput={(event) => setToken(event.currentTarget.value)}
          />
          <p class="hint" id="token-hint">
            You stay signed in until you sign out, for 30 days without use, and for 90 days at most.
          </p>
        </div>
        <div class="row">
          <button type="submit" class={provider === null ? 'button primary' : 'button'} disabled={busy}>
            {busy ? 'Signing in…' : 'Sign in'}
          </button>
        </div>
      </form>
      <section class="section">
        <h2>How to get a token</h2>
        <p class="text">
          The first start of svc prints a link that signs in once, and writes a <code>sessionToken</code> to{' '}
          <code>dev-keys.json</code> in its data directory. An administrator creates more with:
        </p>
        <pre tabIndex={0}>npx svc admin session create</pre>
      </section>
    </Page>
  )
}
