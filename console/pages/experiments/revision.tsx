import { useEffect, useRef } from 'preact/hooks'
import { api, type Schema, unwrap } from '../../client/api'
import { useResource } from '../../client/resource'
import { Time } from '../../components/text/time'

const ACTIVE_POLL_MS = 2_000
const isActive = (revision: Schema<'Refinement'> | null | undefined): boolean =>
  revision?.status === 'queued' || revision?.status === 'running'

const RECENT_MS = 20_000
/** The revision may have ended between the answers with the proposal and with the revision. */
const endedRecently = (revision: Schema<'Refinement'> | null | undefined): boolean =>
  revision?.finishedAt != null && Date.now() - Date.parse(revision.finishedAt) < RECENT_MS

/**
 * The latest revision of a proposal, polled while it runs.
 *
 * @param turn a new value reloads
 * @param done called when a revision ends
 */
export function Revision(props: {
  readonly id: string
  readonly reloadKey?: number
  readonly done: () => void
}) {
  const { id, reloadKey: turn = 0 } = props
  const revision = useResource(
    `${id} ${turn}`,
    (signal) => unwrap(api.GET('/experiments/{id}/refine', { params: { path: { id } }, signal })),
    { refetchMs: (latest) => (isActive(latest) ? ACTIVE_POLL_MS : undefined) },
  )
  const latest = revision.data
  const wasActive = useRef(false)
  useEffect(() => {
    if (isActive(latest)) wasActive.current = true
    else if (wasActive.current || endedRecently(latest)) {
      wasActive.current = false
      props.done()
    }
  }, [latest?.status])
  if (latest === null || latest === undefined) return null
  return (
    <div class={`notice ${latest.status === 'failed' ? 'bad' : latest.status === 'done' ? '' : 'warn'}`}>
      <p role="status">
        {isActive(latest) ? (
          'It is being rewritten…'
        ) : latest.status === 'failed' ? (
          <>Rewriting it failed: {latest.error ?? 'no reason was given'}</>
        ) : (
          <>
            Rewritten <Time at={latest.finishedAt ?? latest.createdAt} />
          </>
        )}
      </p>
      <p class="small text" dir="auto">
        “{latest.instructions}”
      </p>
    </div>
  )
}
