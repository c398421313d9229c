import type { ApiError } from '../../client/api-error'

/** An error with the request id to find it in the log, and a button to retry or to load what changed. */
export function ErrorMessage(props: {
  readonly failure?: ApiError | undefined
  readonly message?: string
  readonly retry?: () => void
  readonly reload?: (() => void) | undefined
}) {
  const { failure, message, retry, reload } = props
  if (failure?.isChanged === true) return <ChangedMessage reload={reload} />
  const denied = failure?.code === 'MISSING_PERMISSION'
  return (
    <div role="alert" class={denied ? 'state' : 'state failure'}>
      <strong>{headline(failure)}</strong>
      <p class="text">
        {message ?? failure?.message}
        {denied && '. An administrator can create a session of a person who has it'}
      </p>
      {!denied && failure !== undefined && failure.details.length > 0 && (
        <ul role="list" class="small">
          {failure.details.map(({ path, message }) => (
            <li key={path + message}>
              <code>{path}</code> {message}
            </li>
          ))}
        </ul>
      )}
      {failure?.requestId != null && (
        <p class="small">
          Request <code>{failure.requestId}</code>
        </p>
      )}
      {retry !== undefined && (
        <button type="button" class="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  )
}

function ChangedMessage({ reload }: { readonly reload: (() => void) | undefined }) {
  return (
    <div role="alert" class="state failure">
      <strong>Someone else has changed this in the meantime</strong>
      <p class="text">
        {reload === undefined
          ? 'Nothing was saved. The page now shows the new version. Repeat your change if you still want it.'
          : 'Nothing was saved. Load the new version, then repeat your change if you still want it.'}
      </p>
      {reload !== undefined && (
        <button type="button" class="button" onClick={reload}>
          Load again
        </button>
      )}
    </div>
  )
}

function headline(failure: ApiError | undefined): string {
  if (failure === undefined) return 'Something went wrong'
  if (failure.code === 'MISSING_PERMISSION') return 'You do not have the permission'
  if (failure.status === 0) return 'No answer'
  if (failure.status === 404) return 'Not found'
  if (failure.status >= 500) return 'The server has a problem'
  return 'The request was refused'
}
