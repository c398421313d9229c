import { reachOf, servedText } from '../../../../domain/text/serving.js'
import type { Schema } from '../../../client/api'
import { Time } from '../../../components/text/time'

/** Says which variant visitors see now, and whether their pages can know it. */
export function ServingNote({ of }: { readonly of: Schema<'ExperimentDetail'> }) {
  if (of.startedAt === null) return null
  const reach = reachOf(of, Date.now())
  return (
    <>
      <p>
        Visitors see {servedText(of)}.{' '}
        {reach?.kind === 'soon' && <span class="muted">Newly loaded pages show it within ten seconds.</span>}
        {reach?.kind === 'known' && (
          <span class="muted">The site’s relays have asked since, so newly loaded pages show it.</span>
        )}
      </p>
      {reach?.kind === 'silent' && (
        <p class="notice warn">
          No relay has asked in the last hour, so pages show the control. Does the site’s server run the
          relay?
        </p>
      )}
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
