import { useState } from 'preact/hooks'
import { toApiError } from '../client/api-error'
import { identityProvider, signOutReason } from '../client/session'
import { signIn, signInWithProvider } from '../client/sign-in'
import { Page } from '../components/page'

/** Shown in place of any page until there is a session. */
export function SignInPage() {
  const [problem, setProblem] = useState<string | null>(signOutReason())
  const [busy, setBusy] = useState(false)
  const provider = identityProvider()

  async function attempt(work: () => Promise<void>): Promise<void> {
    setProblem(null)
    setBusy(true)
    try {
      await work()
    } catch (thrown) {
      const { message, requestId } = toApiError(thrown)
      setProblem(requestId === null ? `${message}.` : `${message} (request ${requestId}).`)
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
      <TokenForm
        isPrimary={provider === null}
        busy={busy}
        refuse={setProblem}
        submit={(token) => void attempt(() => signIn(token))}
      />
      <TokenHelp />
    </Page>
  )
}

function TokenForm(props: {
  readonly isPrimary: boolean
  readonly busy: boolean
  readonly refuse: (problem: string) => void
  readonly submit: (token: string) => void
}) {
  const { isPrimary, busy, refuse } = props
  const [token, setToken] = useState('')
  function submit(event: Event): void {
    event.preventDefault()
    const entered = token.trim()
    if (/^[!-~]+$/.test(entered)) props.submit(entered)
    else refuse('Enter a session token: it begins with tsk_sess_ and has no spaces.')
  }
  return (
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
        <button type="submit" class={isPrimary ? 'button primary' : 'button'} disabled={busy}>
          {busy ? 'Signing in…' : 'Sign in'}
        </button>
      </div>
    </form>
  )
}

function TokenHelp() {
  return (
    <section class="section">
      <h2>How to get a token</h2>
      <p class="text">
        The first start of svc prints a link that signs in once, and writes a <code>sessionToken</code> to{' '}
        <code>dev-keys.json</code> in its data directory. An administrator creates more with:
      </p>
      <pre tabIndex={0}>npx svc admin session create</pre>
    </section>
  )
}
