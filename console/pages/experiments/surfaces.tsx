import type { Schema } from '../../client/api'
import { Fact } from '../../components/text/fact'

export function Surfaces(props: { readonly of: Schema<'Experiment'>['surfaces'] }) {
  if (props.of.length === 0) return null
  return (
    <Fact name="Surfaces">
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
    </Fact>
  )
}
