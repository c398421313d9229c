import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { formatCount, formatPercent } from '../../../domain/text/format.js'
import { api, unwrap } from '../../client/api'
import { useResource } from '../../client/resource'
import { CopyBlock } from '../../components/copy-block'
import { DataTable } from '../../components/data-table'
import { ResourceView } from '../../components/loading/resource-view'
import { EventDialog } from '../events/event-dialog'
import { EventTable } from '../events/event-table'
import { RefusedNotice } from '../events/refused-events'
import { useLive } from '../live/use-live'

const VIEWED = 'first_page_viewed'
const SIGNED_UP = 'first_signed_up'
const SHOWN = 5
const WAITING_POLL_MS = 2_000
const POLL_MS = 10_000

/** Whether the workspace has its first funnel and its first experiment. */
export interface Milestones {
  readonly funnel: boolean
  readonly experiment: boolean
}

export function FirstSteps(props: { readonly ingestUrl: string | null; readonly done: Milestones }) {
  const live = useLive('', false)
  const [opened, setOpened] = useState<string | null>(null)
  const url = props.ingestUrl ?? 'http://127.0.0.1:8080'
  const arrived = live.events.slice(0, SHOWN)
  return (
    <section class="section" aria-label="First steps">
      <h2>First steps</h2>
      <ol role="list" class="steps-list">
        <li class="card">
          <h3>Send two events</h3>
          <p class="text">
            In a terminal, in the folder where svc was started. The first line reads the server key that the
            first start of svc wrote into <code>SVC_DATA_DIR</code> (<code>data</code> if it is not set). If
            svc runs on another machine, put a server key there instead.
          </p>
          <CopyBlock text={commandOf(url)} what="the command that sends two events" />
        </li>
        <li class="card">
          <h3>See them arrive</h3>
          <p role="status" class={`badge ${arrived.length > 0 ? 'good' : ''}`}>
            {arrived.length > 0 ? 'Events are here' : 'Waiting for the first event'}
          </p>
          <RefusedNotice />
          {arrived.length > 0 && <EventTable events={arrived} label="The newest events" open={setOpened} />}
        </li>
        <li class="card">
          <h3>See a funnel</h3>
          <FirstFunnel />
        </li>
        <li class="card">
          <h3>Save a funnel of your own events</h3>
          <Milestone isDone={props.done.funnel} done="A funnel is saved" open="No funnel is saved yet" />
          <p class="text">
            Pick the steps that matter in your product, and save them: <Link href="/funnels">Funnels</Link>
          </p>
        </li>
        <li class="card">
          <h3>Try a change on half of your visitors</h3>
          <Milestone
            isDone={props.done.experiment}
            done="There is an experiment"
            open="There is no experiment yet"
          />
          <p class="text">
            Describe the change and what should improve: <Link href="/experiments">Experiments</Link>. Or let
            svc propose changes from your repository and funnels: <Link href="/runs">Runs</Link>
          </p>
        </li>
      </ol>
      {opened !== null && (
        <EventDialog
          id={opened}
          known={live.events.find(({ id }) => id === opened)}
          close={() => setOpened(null)}
        />
      )}
    </section>
  )
}

function Milestone(props: { readonly isDone: boolean; readonly done: string; readonly open: string }) {
  return <p class={`badge ${props.isDone ? 'good' : ''}`}>{props.isDone ? props.done : props.open}</p>
}

/** The events have no timestamp, so that they count as new even if the command is run tomorrow. */
function commandOf(url: string): string {
  return `SVC_SERVER_KEY=$(node -p "JSON.parse(fs.readFileSync((process.env.SVC_DATA_DIR || 'data') + '/dev-keys.json')).serverKey")
curl -X POST ${url}/v1/events \\
  -H "Authorization: Bearer $SVC_SERVER_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{ "events": [
    { "event": "${VIEWED}", "userId": "ada", "properties": { "path": "/" } },
    { "event": "${SIGNED_UP}", "userId": "ada", "properties": { "plan": "free" } }
  ] }'`
}

function FirstFunnel() {
  const steps = [{ eventName: VIEWED }, { eventName: SIGNED_UP }]
  const figures = useResource(
    'first funnel',
    (signal) => unwrap(api.POST('/funnel/query', { body: { steps }, signal })),
    { refetchMs: (latest) => (latest === undefined || latest.entered === 0 ? WAITING_POLL_MS : POLL_MS) },
  )
  return (
    <ResourceView of={figures} what="funnel" calm lines={2}>
      {(result) =>
        result.entered === 0 ? (
          <p class="text muted">
            The share of persons who saw a page and signed up shows here once the two events have arrived.
          </p>
        ) : (
          <>
            <DataTable
              label="Funnel"
              rows={result.steps}
              keyOf={({ index }) => index}
              columns={[
                { title: 'Step', isHeading: true, cell: ({ name }) => name },
                { title: 'Persons', class: 'number', cell: ({ count }) => formatCount(count) },
                {
                  title: 'Of the first step',
                  class: 'number',
                  cell: (step) => formatPercent(step.conversionFromStart),
                },
              ]}
            />
            <p>
              <Link href={`/funnels?step=${VIEWED}&step=${SIGNED_UP}`}>Open it in the funnel builder</Link>
            </p>
          </>
        )
      }
    </ResourceView>
  )
}
