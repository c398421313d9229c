import { reachOf, servedText } from '../../../../domain/text/serving.js'
import type { Schema } from '../../../client/api'
import { Time } from '../../../components/text/time'

/** Says which variant visitors see now, and whether their pages can know it. */
export function ServingNote({ of }: { readonly of: Schema<'ExperimentDetail'> }) {
  if (of.startedAt === null) return null
  const reach = reachOf(of, Date.now())
  if (reach?.kind === 'silent')
    return (
      <p class="notice warn">
        Visitors see the control, because no relay has asked in the last hour. Check that the site’s server
        runs the relay.
      </p>
    )
  return (
    <>
      <p>
        Visitors see {servedText(of)}.{' '}
        {reach?.kind === 'soon' && <span class="muted">Newly loaded pages show it within ten seconds.</span>}
        {reach?.kind === 'known' && (
          <span class="muted">The site’s relays know this, so newly loaded pages show it.</span>
        )}
      </p>
      {reach?.kind === 'late' && (
        <p class="notice warn">
          <span>
            A relay has not asked since the last change, only at <Time at={reach.lastAskedAt} as="clock" />.
            Unless it was stopped, its pages may show what was served before until{' '}
            <Time at={reach.until} as="clock" />.
          </span>
        </p>
      )}
    </>
  )
}
