import { Link } from 'wouter-preact'
import { api, type Schema, unwrap } from '../../client/api'
import { useQueryParams } from '../../client/query-params'
import { useResource } from '../../client/resource'
import { Select } from '../../components/controls/select'
import { ResourceView } from '../../components/loading/resource-view'
import { BreakdownTable, StepBars } from '../funnels/results'
import '../../styles/funnels.css'

/** A saved funnel for each variant. The address keeps the choice. */
export function VariantFunnel(props: { readonly experiment: Schema<'ExperimentDetail'> }) {
  const { experiment } = props
  const [params, change] = useQueryParams()
  const funnels = useResource('funnels', async (signal) => {
    const { data } = await unwrap(api.GET('/funnel', { signal }))
    return data
  })
  const known = funnels.data ?? []
  const chosen = known.find(({ id }) => id === params.get('funnel')) ?? known[0]
  const figures = useResource(chosen === undefined ? null : `${chosen.id}${experiment.key}`, (signal) =>
    unwrap(
      api.POST('/funnel/{funnelId}/query', {
        params: { path: { funnelId: chosen?.id ?? '' } },
        body: {
          experiment: experiment.key,
          ...(experiment.startedAt === null ? {} : { from: experiment.startedAt }),
        },
        signal,
      }),
    ),
  )
  const byKey = (value: unknown): unknown =>
    experiment.variants.find(({ key }) => key === value)?.displayName ?? value
  return (
    <section class="section">
      <h2>A funnel for each variant</h2>
      {chosen === undefined ? (
        <p>
          <Link href={`/funnels?experiment=${experiment.key}`}>Build a funnel</Link> to see where each
          variant's persons go.
        </p>
      ) : (
        <>
          <div class="toolbar">
            <div class="wide">
              <Select
                label="Funnel"
                value={chosen.id}
                options={known.map(({ id, name }) => [id, name] as const)}
                onChange={(id) => change({ funnel: id })}
              />
            </div>
            <Link class="button quiet" href={`/funnels/${chosen.id}?experiment=${experiment.key}`}>
              Open in Funnels
            </Link>
          </div>
          <ResourceView of={figures} what="funnel">
            {(result) => {
              const named = {
                ...result,
                breakdown:
                  result.breakdown?.map((group) => ({ ...group, value: byKey(group.value) })) ?? null,
              }
              return (
                <>
                  <div class="card">
                    <StepBars result={named} />
                  </div>
                  <BreakdownTable result={named} by="variant" />
                </>
              )
            }}
          </ResourceView>
        </>
      )}
    </section>
  )
}
