import type { ApiError } from '../../client/api-error'

/** An error with the request id to find it in the log, and a button to retry. */
export function ErrorMessage(props: {
  readonly failure?: ApiError | undefined
  readonly message?: string
  readonly retry?: () => void
}) {
  const { failure, message, retry } = props
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

function headline(failure: ApiError | undefined): string {
  if (failure === undefined) return 'Something went wrong'
  if (failure.code === 'MISSING_PERMISSION') return 'You do not have the permission'
  if (failure.status === 0) return 'No answer'
  if (failure.status === 404) return 'Not found'
  if (failure.status >= 500) return 'The server has a problem'
  return 'The request was refused'
}
