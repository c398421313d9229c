import { useState } from 'preact/hooks'
import { formatCount, pluralize } from '../../../domain/text/format.js'
import { api, type Schema, unwrap } from '../../client/api'
import { useResource } from '../../client/resource'
import { Select } from '../../components/controls/select'
import { DataTable } from '../../components/data-table'
import { Dialog } from '../../components/dialogs/dialog'
import { EmptyState } from '../../components/loading/empty-state'
import { ResourceView } from '../../components/loading/resource-view'
import { Time } from '../../components/text/time'

type Ledger = Schema<'KeyLedger'>
type Row = Omit<Ledger['hours'][number], 'settled'>

const POLL_MS = 5_000
const HOUR_MS = 3_600_000
const RANGES = { '24': 'The last 24 hours', '168': 'The last 7 days', '744': 'The last 31 days' } as const

/** Outcomes of the events of a key, by the hour of receipt. */
export function KeyLedgerDialog(props: {
  readonly of: { readonly id: string; readonly name: string }
  readonly close: () => void
}) {
  const { id, name } = props.of
  const [hours, setHours] = useState<keyof typeof RANGES>('24')
  const ledger = useResource(
    `ledger ${id} ${hours}`,
    (signal) => {
      const from = new Date(Date.now() - Number(hours) * HOUR_MS).toISOString()
      return unwrap(api.GET('/events/ledger', { params: { query: { key: id, from } }, signal }))
    },
    { refetchMs: POLL_MS },
  )
  return (
    <Dialog title={`Arrived events of the key ${name}`} close={props.close}>
      <Select label="Received in" value={hours} options={RANGES} onChange={setHours} />
      <ResourceView of={ledger} what="ledger" calm>
        {(body) => <LedgerTable ledger={body} />}
      </ResourceView>
      <div class="row end">
        <button type="button" class="button" onClick={props.close}>
          Close
        </button>
      </div>
    </Dialog>
  )
}

function LedgerTable(props: { readonly ledger: Ledger }) {
  const { hours, total, settledUntil, waiting } = props.ledger
  if (hours.length === 0)
    return (
      <EmptyState title="No event arrived">
        <p class="text">A key's refused events are listed separately.</p>
      </EmptyState>
    )
  const figure = (title: string, name: keyof Ledger['total']) => ({
    title,
    class: 'number' as const,
    cell: (row: Row) => formatCount(row[name]),
  })
  return (
    <>
      <DataTable
        label="Arrived events by hour"
        low
        rows={[{ ...total, at: '' }, ...[...hours].reverse()]}
        keyOf={({ at }) => at}
        columns={[
          { title: 'Hour (UTC)', class: 'nowrap', isHeading: true, cell: ({ at }) => hourText(at) },
          figure('Accepted', 'accepted'),
          figure('Stored', 'stored'),
          figure('Duplicates', 'deduplicated'),
          figure('Dead letters', 'deadLettered'),
          figure('Erased', 'erased'),
        ]}
      />
      <p class="hint">
        {settledUntil !== null && (
          <>
            Everything received before <Time at={settledUntil} as="clock" /> is counted.
          </>
        )}
        {waiting !== null && waiting > 0 && ` ${pluralize(waiting, 'event')} of all keys still to process.`}
        {total.erasedOfAnyKey > 0 &&
          ` ${pluralize(total.erasedOfAnyKey, 'stored event')} of hours with several keys erased since.`}
      </p>
    </>
  )
}

const hourText = (at: string): string => (at === '' ? 'All' : `${at.slice(0, 10)}\u00a0${at.slice(11, 16)}`)
