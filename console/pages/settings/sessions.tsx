import { useState } from 'preact/hooks'
import { api, type Schema, unwrap } from '../../client/api'
import { useQueryParams } from '../../client/query-params'
import { useResource } from '../../client/resource'
import { setSignedIn } from '../../client/session'
import { DataTable } from '../../components/data-table'
import { FormDialog } from '../../components/dialogs/form-dialog'
import { ListView } from '../../components/loading/list-view'
import { Time } from '../../components/text/time'
import { toast } from '../../components/toasts'
import { Section } from './section'

type Session = Schema<'OwnSession'>

const PAGE_SIZE = 25
const POLL_MS = 15_000

export function SessionsSection() {
  const [params, change] = useQueryParams()
  const [ending, setEnding] = useState<Session | null>(null)
  const query = { limit: PAGE_SIZE, offset: Number(params.get('offset') ?? 0) }
  const sessions = useResource(
    `sessions ${query.offset}`,
    (signal) => unwrap(api.GET('/sessions', { params: { query }, signal })),
    { refetchMs: POLL_MS },
  )
  return (
    <Section
      title="Sessions"
      lead="Where you are signed in. A session of a browser ends after 30 days without use, and after 90 days at the latest."
    >
      <ListView of={sessions} what="sessions" change={change} empty={null}>
        {(rows) => (
          <DataTable
            label="Sessions"
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              {
                title: 'Where',
                class: 'long',
                isHeading: true,
                cell: (session) => (
                  <>
                    <span dir="auto">{placeOf(session)}</span>{' '}
                    {session.current && <span class="badge good">This one</span>}
                  </>
                ),
              },
              { title: 'Signed in', class: 'nowrap', cell: ({ createdAt }) => <Time at={createdAt} /> },
              {
                title: 'Last used',
                class: 'nowrap',
                cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'Never' : <Time at={lastUsedAt} />),
              },
              { title: 'Ends', class: 'nowrap', cell: ({ expiresAt }) => <Time at={expiresAt} as="day" /> },
              {
                title: 'Actions',
                class: 'nowrap',
                cell: (session) => (
                  <button type="button" class="button small danger" onClick={() => setEnding(session)}>
                    {session.current ? 'Sign out…' : 'End…'}
                    <span class="hidden-text"> {placeOf(session)}</span>
                  </button>
                ),
              },
            ]}
          />
        )}
      </ListView>
      {ending !== null && (
        <FormDialog
          title={ending.current ? 'Sign out here?' : 'End this session?'}
          send={ending.current ? 'Sign out' : 'End'}
          tone="danger"
          intent={ending.id}
          submit={(headers) =>
            unwrap(
              api.DELETE('/sessions/{sessionId}', { params: { path: { sessionId: ending.id } }, headers }),
            )
          }
          done={() => {
            if (ending.current) return setSignedIn(false)
            toast('The session has ended')
            sessions.reload()
            setEnding(null)
          }}
          close={() => setEnding(null)}
        >
          <p class="text">{placeOf(ending)} is signed out within a second, with every open page.</p>
        </FormDialog>
      )}
    </Section>
  )
}

/** Most specific first: browsers also name those that they resemble. */
const BROWSERS = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const
const SYSTEMS = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Mac OS X', 'macOS'],
  ['Windows', 'Windows'],
  ['Linux', 'Linux'],
] as const

/** Such as "Firefox on Linux". */
function placeOf({ userAgent }: Pick<Session, 'userAgent'>): string {
  if (userAgent === null) return 'A token for scripts'
  const nameIn = (list: readonly (readonly [string, string])[]) =>
    list.find(([mark]) => userAgent.includes(mark))?.[1]
  const browser = nameIn(BROWSERS)
  const system = nameIn(SYSTEMS)
  if (browser === undefined) return userAgent.slice(0, 60)
  return system === undefined ? browser : `${browser} on ${system}`
}
