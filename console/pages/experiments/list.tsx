import { Link, useLocation } from 'wouter-preact'
import { formatChange, formatCount, formatProbability } from '../../../domain/text/format.js'
import { capitalize } from '../../../domain/text/labels.js'
import { api, type Schema, unwrap } from '../../client/api'
import { useQueryParams } from '../../client/query-params'
import { useResource } from '../../client/resource'
import { PermissionButton } from '../../components/controls/permission-button'
import { EmptyState } from '../../components/loading/empty-state'
import { ListView } from '../../components/loading/list-view'
import { Page } from '../../components/page'
import { ScrollableTable } from '../../components/scrollable-table'
import { StatusBadge } from '../../components/text/status-badge'
import { Time } from '../../components/text/time'
import { hasFilters, ListFilters, listQuery, noFilters, SORTS } from './list-filters'
import { MIN_PERSONS } from './results/comparable.js'

const POLL_MS = 15_000

export default function ExperimentsPage() {
  const [, navigate] = useLocation()
  const address = useQueryParams()
  const [params, change] = address
  const query = listQuery(params)
  const page = useResource(
    JSON.stringify(query),
    (signal) => unwrap(api.GET('/experiments', { params: { query }, signal })),
    { refetchMs: POLL_MS },
  )
  return (
    <Page
      title="Experiments"
      lead="All experiments, from proposal to decision."
      actions={
        <PermissionButton
          scope="experiments.manage"
          tone="primary"
          onClick={() => navigate('/experiments/-/new')}
        >
          New experiment
        </PermissionButton>
      }
    >
      <ListFilters address={address} />
      <ListView
        of={page}
        what="experiments"
        change={change}
        empty={<NoExperiments filtered={hasFilters(params)} showAll={() => change(noFilters)} />}
      >
        {(experiments) => (
          <List
            experiments={experiments}
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
        )}
      </ListView>
    </Page>
  )
}

function NoExperiments(props: { readonly filtered: boolean; readonly showAll: () => void }) {
  if (props.filtered)
    return (
      <EmptyState title="No matches">
        <p>No experiment matches these filters.</p>
        <button type="button" class="button" onClick={props.showAll}>
          Show all
        </button>
      </EmptyState>
    )
  return (
    <EmptyState title="No experiments yet">
      <p class="text">
        An experiment shows two or more variants of a page and measures which one does better.{' '}
        <Link href="/experiments/-/new">Create one</Link>, or approve a{' '}
        <Link href="/proposals">proposal</Link>. On the command line, <code>svc experiments create FILE</code>{' '}
        does the same.
      </p>
    </EmptyState>
  )
}

function List(props: {
  readonly experiments: readonly Schema<'Experiment'>[]
  readonly sortBy: string
  readonly sortDir: 'asc' | 'desc'
  readonly sort: (by: string) => void
}) {
  const head = (by: (typeof SORTS)[number][0], className = '') => (
    <th
      scope="col"
      class={className}
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
    <ScrollableTable label="Experiments, scrollable">
      <table class="experiments">
        <caption class="hidden-text">Experiments</caption>
        <thead>
          <tr>
            {head('name')}
            <th scope="col">Status</th>
            {head('priority', 'wide-only')}
            {head('usersExposed', 'number wide-only')}
            {head('estimatedLift', 'number')}
            {head('confidence', 'number wide-only')}
            {head('startedAt', 'wide-only')}
            {head('createdAt', 'wide-only')}
          </tr>
        </thead>
        <tbody>
          {props.experiments.map((experiment) => (
            <tr key={experiment.id}>
              <th scope="row" class="long">
                <Link href={`/experiments/${experiment.key}`}>
                  <bdi>{experiment.name}</bdi>
                </Link>
                <div class="muted small wide-only">{experiment.key}</div>
              </th>
              <td>
                <StatusBadge status={experiment.status} />
              </td>
              <td class="wide-only">{capitalize(experiment.priority)}</td>
              <td class="number wide-only">
                {experiment.measurements?.usersExposed == null
                  ? '-'
                  : formatCount(experiment.measurements.usersExposed)}
              </td>
              <td class="number">{formatChange(comparable(experiment)?.estimatedLift)}</td>
              <td class="number wide-only">{formatProbability(comparable(experiment)?.confidence)}</td>
              <td class="nowrap wide-only">
                {experiment.startedAt === null ? '-' : <Time at={experiment.startedAt} as="day" />}
              </td>
              <td class="nowrap wide-only">
                <Time at={experiment.createdAt} as="day" />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollableTable>
  )
}

/** The measurements, unless they are of too few persons to compare two variants. */
function comparable({ measurements }: Schema<'Experiment'>): Schema<'Experiment'>['measurements'] {
  return (measurements?.usersExposed ?? 0) < 2 * MIN_PERSONS ? null : measurements
}
