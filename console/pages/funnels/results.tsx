import { useEffect, useRef } from 'preact/hooks'
import { formatCount, formatPercent, pluralize } from '../../../domain/text/format.js'
import type { Schema } from '../../client/api'
import { DataTable } from '../../components/data-table'
import { valueLabel } from '../../components/query/value-label'
import { Breakable } from '../../components/text/breakable'
import { Fact } from '../../components/text/fact'
import { formatSeconds } from '../../components/text/format'

type Result = Schema<'FunnelDraftResult'>
type Group = Schema<'FunnelBreakdownGroup'>

export const MAX_GROUPS_DRAWN = 8

/** A bar. Its width is set from code, because the content security policy allows no inline styles. */
export function Bar(props: { readonly share: number; readonly series?: number; readonly ghost?: number }) {
  const bar = useRef<HTMLSpanElement>(null)
  const ghost = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    bar.current?.style.setProperty('width', `${Math.min(1, props.share) * 100}%`)
    ghost.current?.style.setProperty('width', `${Math.min(1, props.ghost ?? 0) * 100}%`)
  }, [props.share, props.ghost])
  return (
    <span class="bar" aria-hidden="true">
      {props.ghost !== undefined && <span ref={ghost} class="bar-ghost" />}
      <span ref={bar} class={`bar-fill series-${((props.series ?? 0) % 8) + 1}`} />
    </span>
  )
}

export function Summary(props: { readonly result: Result }) {
  const { result } = props
  return (
    <dl class="facts figures">
      <Fact name="Entered" class="big">
        {formatCount(result.entered)}
      </Fact>
      <Fact name="Completed" class="big">
        {formatCount(result.completed)}
      </Fact>
      <Fact name="Conversion rate" class="big">
        {formatPercent(result.conversionRate)}
      </Fact>
    </dl>
  )
}

export function QueryCost(props: { readonly result: Result }) {
  const { rowsRead, elapsedMs } = props.result.query
  return (
    <p class="muted small number">
      {rowsRead === 0 ? 'From an earlier answer' : `Computed from ${pluralize(rowsRead, 'event')}`} in{' '}
      {formatCount(elapsedMs)} ms
    </p>
  )
}

/** A bar for each step; the hatched part dropped off since the previous step. */
export function StepBars(props: {
  readonly result: Result
  /** Names no event was ever received with. */
  readonly unknown?: ReadonlySet<string>
}) {
  const { steps, entered, breakdown } = props.result
  const groups = breakdown?.slice(0, MAX_GROUPS_DRAWN) ?? []
  return (
    <ol role="list" class="bars">
      {steps.map((step, index) => {
        const before = steps[index - 1]
        return (
          <li key={step.index}>
            <div class="bar-head">
              <span class="bar-name">
                <span class="muted number">{index + 1}</span> {step.name}
              </span>
              <span class="number">
                {step.count === 0 && props.unknown?.has(step.eventName) ? (
                  <span class="badge warn">No event of this name was ever received</span>
                ) : (
                  <>
                    <strong>{formatPercent(step.conversionFromStart)}</strong>{' '}
                    <span class="muted">{pluralize(step.count, 'person', 'persons')}</span>
                  </>
                )}
              </span>
            </div>
            {groups.length === 0 ? (
              <Bar
                share={entered === 0 ? 0 : step.count / entered}
                ghost={entered === 0 ? 0 : (before ?? step).count / entered}
              />
            ) : (
              <BreakdownBars groups={groups} index={index} />
            )}
            {before !== undefined && (
              <p class="bar-note muted small number">
                {before.count === 0
                  ? 'No person did the step before'
                  : `${formatPercent(step.conversionFromPrevious)} of the previous step, ${formatCount(step.dropOff)} dropped off`}
                {step.medianSecondsFromPrevious !== null &&
                  ` · median ${formatSeconds(step.medianSecondsFromPrevious)}, p90 ${formatSeconds(step.p90SecondsFromPrevious)}`}
              </p>
            )}
          </li>
        )
      })}
    </ol>
  )
}

function BreakdownBars(props: { readonly groups: readonly Group[]; readonly index: number }) {
  return (
    <ul role="list" class="group-bars">
      {props.groups.map((group, at) => {
        const step = group.steps[props.index]
        return (
          <li key={JSON.stringify(group.value)}>
            <span class="group-name small">{valueLabel(group.value)}</span>
            <Bar share={step?.conversionFromStart ?? 0} series={at} />
            <span class="number small">{formatPercent(step?.conversionFromStart)}</span>
          </li>
        )
      })}
    </ul>
  )
}

/** @param props.funnelId the saved funnel whose persons can be downloaded */
export function StepTable(props: { readonly result: Result; readonly funnelId: string | undefined }) {
  const { result, funnelId } = props
  const persons = (count: number, step: number, outcome: 'reached' | 'lost') =>
    funnelId === undefined || count === 0 ? (
      formatCount(count)
    ) : (
      <a
        href={`/v1/funnel/${funnelId}/persons?${new URLSearchParams({ step: String(step), outcome, from: result.from, to: result.to, format: 'csv' })}`}
        download={`persons-${step + 1}-${outcome}.csv`}
        title="Download these persons as CSV"
      >
        {formatCount(count)}
      </a>
    )
  return (
    <DataTable
      label="Figures by step"
      caption="Steps and persons"
      rows={result.steps}
      keyOf={({ index }) => index}
      columns={[
        {
          title: 'Step',
          class: 'long',
          isHeading: true,
          cell: ({ name, eventName }) => (
            <>
              <Breakable text={name} />
              {name !== eventName && <div class="muted small">{eventName}</div>}
            </>
          ),
        },
        { title: 'Persons', class: 'number', cell: ({ count, index }) => persons(count, index, 'reached') },
        { title: 'Of previous', class: 'number', cell: (step) => formatPercent(step.conversionFromPrevious) },
        { title: 'Of first', class: 'number', cell: (step) => formatPercent(step.conversionFromStart) },
        {
          title: 'Dropped off',
          class: 'number',
          cell: ({ dropOff, index }) => persons(dropOff, index - 1, 'lost'),
        },
        { title: 'Median', class: 'number', cell: (step) => formatSeconds(step.medianSecondsFromPrevious) },
        { title: 'p90', class: 'number', cell: (step) => formatSeconds(step.p90SecondsFromPrevious) },
      ]}
    />
  )
}

/** A row for each value of the breakdown, with its persons in each step. */
export function BreakdownTable(props: { readonly result: Result; readonly by: string }) {
  const { breakdown, steps } = props.result
  if (breakdown === null) return null
  return (
    <section class="section">
      <h2>Breakdown by {props.by}</h2>
      <DataTable
        label={`Breakdown by ${props.by}`}
        caption="Persons of each value by step"
        rows={breakdown}
        keyOf={({ value }) => JSON.stringify(value)}
        columns={[
          {
            title: props.by,
            class: 'long',
            isHeading: true,
            cell: ({ value }, at) => (
              <>
                {at < MAX_GROUPS_DRAWN && <span class={`dot series-${(at % 8) + 1}`} />}
                {valueLabel(value)}
              </>
            ),
          },
          ...steps.map(({ name }, at) => ({
            title: name,
            class: 'number' as const,
            cell: (group: Group) => formatCount(group.steps[at]?.count ?? 0),
          })),
          {
            title: 'Conversion rate',
            class: 'number',
            cell: ({ conversionRate }) => formatPercent(conversionRate),
          },
        ]}
      />
    </section>
  )
}
