import { checkLabel } from '../../../domain/text/labels.js'
import '../events/events.css'
import { api, type Schema, unwrap } from '../../client/api'
import { useMe } from '../../client/identity'
import { useResource } from '../../client/resource'
import { CopyBlock } from '../../components/copy-block'
import { ResourceView } from '../../components/loading/resource-view'
import { Page } from '../../components/page'
import { InlineCode } from '../../components/text/inline-code'
import { FirstSteps } from './first-steps'

/** Of the build. Vite replaces it. */
declare const SVC_VERSION: string

const POLL_MS = 10_000

export default function SetupPage() {
  const readiness = useResource('readiness', (signal) => unwrap(api.GET('/readiness', { signal })), {
    refetchMs: POLL_MS,
  })
  return (
    <Page title="Setup" lead="What is connected, what is missing, and what to do about it.">
      <ResourceView of={readiness} what="readiness" calm>
        {(ready) => (
          <>
            <section class="card" aria-label="Readiness">
              <h2>{headline(ready)}</h2>
              <ul role="list" class="checks">
                {ready.checks.map((check) => (
                  <li key={check.code}>
                    <span class={`badge ${check.ok ? 'good' : 'warn'}`}>{check.ok ? 'Ready' : 'To do'}</span>
                    <div class="stack tight">
                      <strong>{checkLabel(check.code)}</strong>
                      <p dir="auto">{check.message}</p>
                      {check.fix !== '' && (
                        <p class="muted">
                          <InlineCode text={check.fix} />
                        </p>
                      )}
                    </div>
                  </li>
                ))}
              </ul>
            </section>
            <FirstSteps ingestUrl={ready.ingestUrl} />
          </>
        )}
      </ResourceView>
      <Keys />
      <p class="muted small">svc {SVC_VERSION}</p>
    </Page>
  )
}

function headline({ canGenerate, canRun }: Schema<'Readiness'>): string {
  if (canGenerate && canRun) return 'Everything is ready'
  if (canRun) return 'Experiments can be run and measured'
  return 'Not ready yet'
}

const KEYS = [
  ['Sends events from a server', 'npx svc admin key create --type server --name "My server"'],
  [
    'Automates what this page does',
    'npx svc admin key create --type api --name "CI" --scopes experiments.manage,funnels.manage',
  ],
  ['Lets another person in here', 'npx svc admin person create --name "Ada" --email ada@example.com'],
  ['Creates a session token for them', 'npx svc admin session create --person ID'],
  ['Ends a key at once', 'npx svc admin key revoke ID'],
] as const

function Keys() {
  const me = useMe()
  return (
    <section class="section" aria-label="Keys">
      <h2>Keys</h2>
      <p class="text">
        Create keys on the machine where svc runs, with <code>SVC_DATA_DIR</code> or{' '}
        <code>SVC_POSTGRES_URL</code> set as for svc itself. Each is shown once. A key cannot create keys, and
        neither can this page.
        {me !== undefined && ` You are signed in as ${me.person.name} in the workspace ${me.workspace.name}.`}
      </p>
      {KEYS.map(([what, command]) => (
        <div key={what} class="stack tight">
          <h3>{what}</h3>
          <CopyBlock text={command} what={`the command: ${what.toLowerCase()}`} />
        </div>
      ))}
    </section>
  )
}
