import { Link } from 'wouter-preact'
import { checkLabel } from '../../../domain/text/labels.js'
import '../events/events.css'
import { api, type Schema, unwrap } from '../../client/api'
import { useResource } from '../../client/resource'
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
            <Beginning ingestUrl={ready.ingestUrl} />
          </>
        )}
      </ResourceView>
      <p class="text">
        Keys and members are in the <Link href="/settings">settings</Link>.
      </p>
      <p class="muted small">svc {SVC_VERSION}</p>
    </Page>
  )
}

/** The first steps, folded once the workspace has a funnel and an experiment. */
function Beginning(props: { readonly ingestUrl: string | null }) {
  const milestones = useResource(
    'milestones',
    async (signal) => {
      const [funnels, experiments] = await Promise.all([
        unwrap(api.GET('/funnel', { signal })),
        unwrap(api.GET('/experiments', { params: { query: { limit: 1 } }, signal })),
      ])
      return { funnel: funnels.data.length > 0, experiment: experiments.pagination.total > 0 }
    },
    { refetchMs: POLL_MS },
  )
  return (
    <ResourceView of={milestones} what="first steps" calm>
      {(done) => {
        const steps = <FirstSteps ingestUrl={props.ingestUrl} done={done} />
        if (!done.funnel || !done.experiment) return steps
        return (
          <details class="card">
            <summary>All first steps are done. Show them again</summary>
            {steps}
          </details>
        )
      }}
    </ResourceView>
  )
}

function headline({ canGenerate, canRun }: Schema<'Readiness'>): string {
  if (canGenerate && canRun) return 'Everything is ready'
  if (canRun) return 'Experiments can be run and measured'
  return 'Not ready yet'
}
