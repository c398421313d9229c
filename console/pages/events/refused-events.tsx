import { useState } from 'preact/hooks'
import { pluralize } from '../../../domain/text/format.js'
import { api, type Schema, unwrap } from '../../client/api'
import { useResource } from '../../client/resource'
import { DataTable } from '../../components/data-table'
import { Dialog } from '../../components/dialogs/dialog'
import { EmptyState } from '../../components/loading/empty-state'
import { ResourceView } from '../../components/loading/resource-view'
import { Time } from '../../components/text/time'

type Problem = Schema<'IngestProblem'>

const POLL_MS = 5_000
const RECENT_MS = 300_000
const SHOWN = 2
const ALL = 100

/** Why events of the last five minutes were refused; nothing if none was. */
export function RefusedNotice() {
  const [opened, setOpened] = useState(false)
  const { data } = useRefused({ limit: SHOWN })
  const recent = (data?.data ?? []).filter(({ lastAt }) => Date.now() - Date.parse(lastAt) < RECENT_MS)
  return (
    <>
      <div role="status" class="stack tight">
        {recent.map((problem) => (
          <div key={keyOf(problem)} class="notice warn">
            <p>
              <strong>{pluralize(problem.times, partOf(problem))} refused</strong>, the last at{' '}
              <Time at={problem.lastAt} as="clock" />, sent with the key{' '}
              <span dir="auto">{problem.keyName}</span>
            </p>
            <p dir="auto">{reasonOf(problem)}</p>
          </div>
        ))}
      </div>
      {recent.length > 0 && (
        <p>
          <button type="button" class="button small" onClick={() => setOpened(true)}>
            Show refused events
          </button>
        </p>
      )}
      {opened && <RefusedDialog title="Refused events" close={() => setOpened(false)} />}
    </>
  )
}

/** The refusals of the last seven days: of one key, or of all. */
export function RefusedDialog(props: {
  readonly title: string
  readonly keyId?: string
  readonly close: () => void
}) {
  const { keyId } = props
  const refused = useRefused({ limit: ALL, ...(keyId === undefined ? {} : { keyId }) })
  return (
    <Dialog title={props.title} close={props.close}>
      <ResourceView of={refused} what="refused events" calm>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState title="No event was refused in the last seven days">
              <p class="text">
                Requests with an unknown key are not listed, because they belong to no workspace.
              </p>
            </EmptyState>
          ) : (
            <RefusedTable problems={data} withKey={keyId === undefined} />
          )
        }
      </ResourceView>
      <div class="row end">
        <button type="button" class="button" onClick={props.close}>
          Close
        </button>
      </div>
    </Dialog>
  )
}

function RefusedTable(props: { readonly problems: readonly Problem[]; readonly withKey: boolean }) {
  return (
    <DataTable
      label="Refused events"
      rows={props.problems}
      keyOf={keyOf}
      columns={[
        {
          title: 'Reason',
          class: 'long',
          isHeading: true,
          cell: (problem) => (
            <>
              <span dir="auto">{reasonOf(problem)}</span>
              <div class="muted small">
                {problem.status} {problem.code}
                {props.withKey && (
                  <>
                    , key <span dir="auto">{problem.keyName}</span>
                  </>
                )}
              </div>
            </>
          ),
        },
        { title: 'Event', cell: ({ eventName }) => <span dir="auto">{eventName ?? ''}</span> },
        {
          title: 'Refused',
          class: 'nowrap',
          cell: (problem) => (
            <>
              {pluralize(problem.times, partOf(problem))}
              <div class="muted small">
                <Time at={problem.lastAt} as="clock" />
              </div>
            </>
          ),
        },
      ]}
    />
  )
}

function useRefused(query: { readonly limit: number; readonly keyId?: string }) {
  return useResource(
    `refused ${query.keyId ?? ''}`,
    (signal) =>
      unwrap(api.GET('/events/problems', { params: { query: { ...query, outcome: 'refused' } }, signal })),
    { refetchMs: POLL_MS },
  )
}

function keyOf({ keyId, code, field, message }: Problem): string {
  return `${keyId} ${code} ${field ?? ''} ${message}`
}

/** Of a batch in another product's format, the good events are accepted. */
function partOf({ status }: Problem): 'event' | 'request' {
  return status === 200 ? 'event' : 'request'
}

function reasonOf({ message, value }: Problem): string {
  return value === null ? message : `${message} (it was ${value})`
}
