import { api, unwrap } from '../../client/api'
import { useResource } from '../../client/resource'
import { CopyBlock } from '../../components/copy-block'
import { ResourceView } from '../../components/loading/resource-view'
import { InlineCode } from '../../components/text/inline-code'
import { Section } from './section'

const POLL_MS = 10_000
const COMMANDS = [
  ['Connect a repository on the machine of svc', 'npx svc admin repository connect --local /path/to/site'],
  [
    'Connect a repository on GitHub',
    'npx svc admin repository connect --github owner/site --token-file token.txt',
  ],
  ['See what is connected', 'npx svc admin repository status'],
] as const

export function RepositorySection() {
  const readiness = useResource('readiness', (signal) => unwrap(api.GET('/readiness', { signal })), {
    refetchMs: POLL_MS,
  })
  return (
    <Section title="Repository" lead="The code of your site, to which experiments become pull requests.">
      <ResourceView of={readiness} what="the repository" calm lines={3}>
        {({ checks }) => {
          const check = checks.find(({ code }) => code === 'repository')
          if (check === undefined) return null
          return (
            <div class="card">
              <div class="row">
                <span class={`badge ${check.ok ? 'good' : 'warn'}`}>
                  {check.ok ? 'Connected' : 'Not ready'}
                </span>
              </div>
              <p dir="auto">{check.message}</p>
              {check.fix !== '' && (
                <p class="muted">
                  <InlineCode text={check.fix} />
                </p>
              )}
            </div>
          )
        }}
      </ResourceView>
      <p class="text">
        A repository is connected on the machine where svc runs, with <code>SVC_DATA_DIR</code> or{' '}
        <code>SVC_POSTGRES_URL</code> set as for svc itself, so that its token never passes through a browser.
        Connecting another one takes the place of this one; pull requests that are open stay as they are.
      </p>
      {COMMANDS.map(([what, command]) => (
        <div key={command} class="stack tight">
          <h3>{what}</h3>
          <CopyBlock text={command} what={`the command: ${what}`} />
        </div>
      ))}
    </Section>
  )
}
