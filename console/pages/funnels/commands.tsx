import { COMPARISON_SIGNS } from '../../../domain/text/filter.js'
import type { Schema } from '../../client/api'
import { CopyBlock } from '../../components/copy-block'
import { type FunnelDraft, queryOf, stepsOf } from '../insights/funnel-draft'

/** Quotes a text as one shell word. */
const quoted = (text: string): string =>
  /^[A-Za-z0-9_./:=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

/** The query as commands for curl and svc. */
export function Commands(props: {
  readonly draft: FunnelDraft
  readonly funnel: Schema<'Funnel'> | undefined
}) {
  const { draft, funnel } = props
  return (
    <details class="card">
      <summary>The same from a shell</summary>
      <div class="stack">
        <div class="stack tight">
          <h3>curl</h3>
          <CopyBlock text={curlOf(draft, funnel)} what="the curl command" />
        </div>
        <div class="stack tight">
          <h3>svc</h3>
          <CopyBlock text={cliOf(draft, funnel)} what="the svc command" />
          {funnel === undefined && (
            <p class="hint">The command asks for a funnel by its name: save this one first.</p>
          )}
        </div>
      </div>
    </details>
  )
}

function curlOf(draft: FunnelDraft, funnel: Schema<'Funnel'> | undefined): string {
  const query = queryOf(draft, Date.now())
  const path = funnel === undefined ? '/v1/funnel/query' : `/v1/funnel/${funnel.id}/query`
  const body = JSON.stringify(funnel === undefined ? { steps: stepsOf(draft), ...query } : query)
  return [
    `curl -s ${window.location.origin}${path} \\`,
    `  -H "Authorization: Bearer $SVC_API_KEY" -H 'Content-Type: application/json' \\`,
    `  -d ${quoted(body)}`,
  ].join('\n')
}

function cliOf(draft: FunnelDraft, funnel: Schema<'Funnel'> | undefined): string {
  const query = queryOf(draft, Date.now())
  const options = [
    ...(draft.from === '' ? (draft.days === 30 ? [] : [`--from ${draft.days}d`]) : [`--from ${draft.from}`]),
    ...(query.to === undefined ? [] : [`--to ${query.to}`]),
    ...(query.windowSeconds === undefined || query.windowSeconds === funnel?.windowSeconds
      ? []
      : [`--window ${query.windowSeconds}`]),
    ...(query.order === undefined ? [] : [`--order ${query.order}`]),
    ...(query.breakdown === undefined || query.breakdown === null
      ? []
      : [
          `--breakdown ${quoted(query.breakdown.property)}`,
          ...(query.breakdown.limit === undefined ? [] : [`--breakdown-limit ${query.breakdown.limit}`]),
        ]),
    ...(query.experiment === undefined ? [] : [`--experiment ${quoted(query.experiment)}`]),
    ...(query.interval === undefined ? [] : [`--interval ${query.interval}`]),
    ...draft.filters
      .filter(({ property }) => property !== '')
      .map(({ property, operator, value }) =>
        quoted(
          operator === 'exists' || operator === 'not_exists'
            ? `${property} ${operator}`
            : `${property} ${COMPARISON_SIGNS[operator] ?? operator} ${value}`,
        ),
      )
      .map((condition) => `--where ${condition}`),
    ...(query.exclusions ?? []).map(
      ({ eventName, fromStep, toStep }) => `--exclude ${eventName}:${fromStep}:${toStep}`,
    ),
  ]
  return [`npx svc funnels query ${quoted(funnel?.name ?? 'NAME')}`, ...options].join(' \\\n  ')
}
