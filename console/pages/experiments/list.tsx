import { Link } from 'wouter-preact'
import { useAddress } from '../../client/address'
import { answer, api, type Schema } from '../../client/api'
import { useResource } from '../../client/resource'
import { Pager } from '../../parts/controls/pager'
import { Empty } from '../../parts/loading/empty'
import { Loaded } from '../../parts/loading/loaded'
import { Page } from '../../parts/page'
import { TableFrame } from '../../parts/table-frame'
import { asChange, asShare, asWhole, asWords } from '../../parts/text/format'
import { StatusBadge } from '../../parts/text/status-badge'
import { Time } from '../../parts/text/time'
import { isNarrowed, ListFilters, listQuery, SORTS, unfiltered } from './list-filters'

const FRESH_MS = 15_000

export default function Experiments() {
  const address = useAddress()
  const [params, change] = address
  const query = listQuery(params)
  const page = useResource(
    JSON.stringify(query),
    (signal) => answer(api.GET('/experiments', { params: { query }, signal })),
    { everyMs: FRESH_MS },
  )
  return (
    <Page title="Experiments" lead="Everything that was proposed, declared, run and decided.">
      <ListFilters address={address} />
      <Loaded of={page} what="experiments" lines={8} calm>
        {({ data, pagination }) =>
          data.length > 0 ? (
            <>
              <List
                experiments={data}
                sortBy={query.sortBy}
                sortDir={query.sortDir}
                sort={(sortBy) =>
                  change({
                    sortBy: sortBy === 'createdAt' ? null : sortBy,
                    sortDir: sortBy === query.sortBy && query.sortDir === 'desc' ? 'asc' : null,
                    offset: null,
                  })
                }
              />
              <Pager
                page={pagination}
                what="experiments"
                go={(offset) => {
                  change({ offset: offset === 0 ? null : String(offset) })
                  window.scrollTo(0, 0)
                }}
              />
            </>
          ) : isNarrowed(params) || pagination.total > 0 ? (
            <Empty title="Nothing fits">
              <p>No experiment is like that.</p>
              <button type="button" class="button" onClick={() => change(unfiltered)}>
                Show all
              </button>
            </Empty>
          ) : (
            <Empty title="No experiments yet">
              <p class="text">
                An experiment is declared with <code>svc experiments create FILE</code> or{' '}
                <code>POST /v1/experiments</code>, or comes from a <Link href="/proposals">proposal</Link>{' '}
                that is approved.
              </p>
            </Empty>
          )
        }
      </Loaded>
    </Page>
  )
}

function List(props: {
  readonly experiments: readonly Schema<'Experiment'>[]
  readonly sortBy: string
  readonly sortDir: 'asc' | 'desc'
  readonly sort: (by: string) => void
}) {
  const head = (by: (typeof SORTS)[number][0], numeric = false) => (
    <th
      scope="col"
      class={numeric ? 'number' : ''}
      {...(props.sortBy === by
        ? { 'aria-sort': props.sortDir === 'asc' ? ('ascending' as const) : ('descending' as const) }
        : {})}
    >
      <button type="button" class="sort" onClick={() => props.sort(by)}>
        {SORTS.find(([name]) => name === by)?.[1]}
        <span aria-hidden="true">{props.sortBy === by ? (props.sortDir === 'asc' ? ' ↑' : ' ↓') : ''}</span>
      </button>
    </th>
  )
  return (
    <TableFrame label="Experiments, scrollable">
      <table class="experiments">
        <caption class="hidden-text">Experiments</caption>
        <thead>
          <tr>
            {head('name')}
            <th scope="col">Status</th>
            {head('priority')}
            {head('usersExposed', true)}
            {head('estimatedLift', true)}
            {head('confidence', true)}
            {head('startedAt')}
            {head('createdAt')}
          </tr>
        </thead>
        <tbody>
          {props.experiments.map((experiment) => (
            <tr key={experiment.id}>
              <th scope="row" class="long">
                <Link href={`/experiments/${experiment.key}`}>
                  <bdi>{experiment.name}</bdi>
                </Link>
                <div class="muted small">{experiment.key}</div>
              </th>
              <td>
                <StatusBadge status={experiment.status} />
              </td>
              <td>{asWords(experiment.priority)}</td>
              <td class="number">
                {experiment.measurements?.usersExposed == null
                  ? '–'
                  : asWhole(experiment.measurements.usersExposed)}
              </td>
              <td class="number">{asChange(experiment.measurements?.estimatedLift)}</td>
              <td class="number">{asShare(experiment.measurements?.confidence)}</td>
              <td class="nowrap">
                {experiment.startedAt === null ? '–' : <Time at={experiment.startedAt} as="day" />}
              </td>
              <td class="nowrap">
                <Time at={experiment.createdAt} as="day" />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  )
}
