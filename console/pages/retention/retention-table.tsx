import './retention.css'
import type { ComponentChildren } from 'preact'
import { formatCount, formatPercent } from '../../../domain/text/format.js'
import type { Schema } from '../../client/api'
import { ScrollableTable } from '../../components/scrollable-table'
import { Time } from '../../components/text/time'
import type { CohortInterval } from '../insights/retention-draft'

type Result = Schema<'RetentionResult'>
type Cohort = Schema<'RetentionCohort'>

const PERIOD_NAMES: Readonly<Record<CohortInterval, string>> = { day: 'Day', week: 'Week', month: 'Month' }

/** Cohorts by period. The deeper the colour, the larger the share that came back. */
export function RetentionTable(props: {
  readonly result: Result
  readonly asPersons?: boolean
  /** Names the table if there are several on a page. */
  readonly name?: string
}) {
  const { result, asPersons = false } = props
  const { cohorts, interval } = result
  const periods = cohorts[0]?.returned.length ?? 0
  const shown = cohorts.filter(({ persons }) => persons > 0)
  return (
    <>
      {result.neverReceived.length > 0 && (
        <p class="notice warn" role="status">
          No event of this name was ever received: {result.neverReceived.join(', ')}
        </p>
      )}
      {shown.length === 0 ? (
        <p class="muted">No person did the first event in this time range.</p>
      ) : (
        <ScrollableTable label={props.name === undefined ? 'Retention' : `Retention of ${props.name}`}>
          <table class="retention">
            <thead>
              <tr>
                <th scope="col">{`${PERIOD_NAMES[interval]} (UTC)`}</th>
                <th scope="col" class="number">
                  Persons
                </th>
                {Array.from({ length: periods }, (_, at) => (
                  <th key={at} scope="col" class="number">
                    {PERIOD_NAMES[interval]} {at}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              <Row
                name="All"
                cohort={{ persons: sum(shown.map(({ persons }) => persons)), returned: [] }}
                shares={Array.from({ length: periods }, (_, at) => overall(shown, at))}
                asPersons={asPersons}
              />
              {shown.map((cohort) => (
                <Row
                  key={cohort.at}
                  name={<Time at={cohort.at} as="utc-day" />}
                  isCut={!cohort.complete}
                  cohort={cohort}
                  shares={cohort.returned.map((count) => ({ count, of: cohort.persons }))}
                  asPersons={asPersons}
                />
              ))}
            </tbody>
          </table>
        </ScrollableTable>
      )}
      <p class="hint">
        A person belongs to the {interval} of the first event in the range. Empty fields are periods that are
        not over. “partial”: the range cuts the {interval}, or it is not over.
      </p>
    </>
  )
}

interface Share {
  /** Null while the period is not over. */
  readonly count: number | null
  readonly of: number
}

/** Of all cohorts whose period is over. */
function overall(cohorts: readonly Cohort[], period: number): Share {
  const over = cohorts.filter(({ returned }) => returned[period] != null)
  if (over.length === 0) return { count: null, of: 0 }
  return {
    count: sum(over.map(({ returned }) => returned[period] ?? 0)),
    of: sum(over.map(({ persons }) => persons)),
  }
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

function Row(props: {
  readonly name: ComponentChildren
  readonly isCut?: boolean
  readonly cohort: Pick<Cohort, 'persons' | 'returned'>
  readonly shares: readonly Share[]
  readonly asPersons: boolean
}) {
  const { name, cohort, shares, asPersons } = props
  return (
    <tr>
      <th scope="row">
        {name}
        {props.isCut === true && <span class="muted small"> partial</span>}
      </th>
      <td class="number">{formatCount(cohort.persons)}</td>
      {shares.map(({ count, of }, period) => (
        <td
          key={period}
          class="number"
          data-shade={count === null || of === 0 ? undefined : Math.round((count / of) * 10)}
        >
          {count === null || of === 0 ? '' : asPersons ? formatCount(count) : formatPercent(count / of)}
        </td>
      ))}
    </tr>
  )
}
