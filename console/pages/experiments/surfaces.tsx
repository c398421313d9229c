import type { Schema } from '../../client/api'

export function Surfaces(props: { readonly of: Schema<'Experiment'>['surfaces'] }) {
  if (props.of.length === 0) return null
  return (
    <div>
      <dt>Surfaces</dt>
      <dd>
        {props.of.map(({ path, anchor }) => (
          <div key={path + (anchor ?? '')}>
            <code>{path}</code>
            {anchor !== null && (
              <>
                {' '}
                <span class="muted small">at</span> <code>{anchor}</code>
              </>
            )}
          </div>
        ))}
      </dd>
    </div>
  )
}
