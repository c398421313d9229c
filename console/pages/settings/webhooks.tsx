import { useState } from 'preact/hooks'
import { capitalize } from '../../../domain/text/labels.js'
import { api, type Schema, unwrap } from '../../client/api'
import { useMe } from '../../client/identity'
import { useMutation } from '../../client/mutation'
import { useResource } from '../../client/resource'
import { Field } from '../../components/controls/field'
import { Select } from '../../components/controls/select'
import { DataTable } from '../../components/data-table'
import { Dialog } from '../../components/dialogs/dialog'
import { FormDialog } from '../../components/dialogs/form-dialog'
import { EmptyState } from '../../components/loading/empty-state'
import { ErrorMessage } from '../../components/loading/error-message'
import { ResourceView } from '../../components/loading/resource-view'
import { Breakable } from '../../components/text/breakable'
import { Time } from '../../components/text/time'
import { toast } from '../../components/toasts'
import { openCurrent } from './open-current'
import { Section } from './section'
import { ShownOnce } from './shown-once'

type Hook = Schema<'Hook'>
type HookAction = 'edit' | 'delete'
type Opened =
  | { readonly kind: 'create' }
  | { readonly kind: HookAction | 'deliveries'; readonly hook: Hook }
  | { readonly kind: 'secret'; readonly text: string }

const FORMATS = { svc: 'Signed JSON', slack: 'A message for Slack' } as const
const STATUS_STYLES = { pending: 'warn', delivered: 'good', failed: 'bad' } as const
const DELIVERIES_SHOWN = 25
const POLL_MS = 5_000

export function WebhooksSection() {
  const me = useMe()
  if (me === undefined) return null
  if (!me.person.owner)
    return (
      <Section title="Webhooks" lead="Posts what happens in this workspace to an address of yours.">
        <p class="text">Only owners of the workspace manage webhooks. Ask one of them.</p>
      </Section>
    )
  return <Webhooks />
}

function Webhooks() {
  const [opened, setOpened] = useState<Opened | null>(null)
  const hooks = useResource('hooks', (signal) => unwrap(api.GET('/hooks', { signal })))
  const close = (): void => setOpened(null)
  const open = (kind: HookAction, { id }: Hook): void =>
    openCurrent(unwrap(api.GET('/hooks/{id}', { params: { path: { id } } })), (hook) =>
      setOpened({ kind, hook }),
    )
  function reload(): void {
    hooks.reload()
    close()
  }
  return (
    <Section
      title="Webhooks"
      lead="Posts what happens in this workspace to an address of yours."
      action={
        <button type="button" class="button primary" onClick={() => setOpened({ kind: 'create' })}>
          Create webhook…
        </button>
      }
    >
      <ResourceView of={hooks} what="webhooks" calm>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState title="No webhooks">
              <p class="text">Create one to hear of results and decisions, in Slack or in a program.</p>
            </EmptyState>
          ) : (
            <HookTable
              hooks={data}
              open={open}
              showDeliveries={(hook) => setOpened({ kind: 'deliveries', hook })}
            />
          )
        }
      </ResourceView>
      {opened?.kind === 'create' && (
        <HookDialog
          title="Create a webhook"
          send="Create"
          submit={(body, headers) => unwrap(api.POST('/hooks', { body, headers }))}
          done={({ secret }) => {
            hooks.reload()
            setOpened({ kind: 'secret', text: secret })
          }}
          close={close}
        />
      )}
      {opened?.kind === 'edit' && <EditHook of={opened.hook} reload={reload} close={close} />}
      {opened?.kind === 'secret' && (
        <ShownOnce title="The secret of the webhook" text={opened.text} what="the secret" close={close}>
          <p class="text">It signs each delivery: check the header Svc-Signature with it.</p>
        </ShownOnce>
      )}
      {opened?.kind === 'delete' && <DeleteHook of={opened.hook} reload={reload} close={close} />}
      {opened?.kind === 'deliveries' && <Deliveries of={opened.hook} close={close} />}
    </Section>
  )
}

function HookTable(props: {
  readonly hooks: readonly Hook[]
  readonly open: (kind: HookAction, hook: Hook) => void
  readonly showDeliveries: (hook: Hook) => void
}) {
  return (
    <DataTable
      label="Webhooks"
      rows={props.hooks}
      keyOf={({ id }) => id}
      columns={[
        {
          title: 'Address',
          class: 'long',
          isHeading: true,
          cell: ({ url }) => {
            const { protocol, host, origin, pathname, search } = new URL(url)
            return (
              <>
                <Breakable text={protocol === 'https:' ? host : origin} />
                <div class="muted small">
                  <Breakable text={pathname + search} />
                </div>
              </>
            )
          },
        },
        {
          title: 'Kinds',
          class: 'long',
          cell: ({ kinds }) => (kinds.includes('*') ? 'Everything' : kinds.join(', ')),
        },
        { title: 'Form', class: 'nowrap', cell: ({ format }) => FORMATS[format] },
        {
          title: 'Actions',
          class: 'nowrap',
          cell: (hook) => (
            <div class="row">
              <button type="button" class="button small" onClick={() => props.showDeliveries(hook)}>
                Deliveries<span class="hidden-text"> to {hook.url}</span>
              </button>
              <button type="button" class="button small" onClick={() => props.open('edit', hook)}>
                Change…<span class="hidden-text"> {hook.url}</span>
              </button>
              <button type="button" class="button small danger" onClick={() => props.open('delete', hook)}>
                Delete…<span class="hidden-text"> {hook.url}</span>
              </button>
            </div>
          ),
        },
      ]}
    />
  )
}

type HookFields = Pick<Hook, 'url' | 'kinds' | 'format'>

function HookDialog<Saved>(props: {
  readonly title: string
  readonly send: string
  /** The webhook to change; left out for a new one. */
  readonly of?: Hook
  readonly submit: (fields: HookFields, headers: Record<string, string>) => Promise<Saved>
  readonly done: (saved: Saved) => void
  readonly reload?: () => void
  readonly close: () => void
}) {
  const { of } = props
  const [url, setUrl] = useState(of?.url ?? '')
  const [kinds, setKinds] = useState(of?.kinds.join(', ') ?? '*')
  const [format, setFormat] = useState(of?.format ?? 'svc')
  const body = { url: url.trim(), kinds: kinds.split(/[\s,]+/).filter((kind) => kind !== ''), format }
  return (
    <FormDialog
      title={props.title}
      send={props.send}
      of={of}
      missing={
        !/^https?:\/\/\S+$/.test(body.url)
          ? 'Enter an address that begins with https:// or http://'
          : body.kinds.length === 0 && 'Enter a kind of event'
      }
      intent={body}
      submit={(headers) => props.submit(body, headers)}
      done={props.done}
      reload={props.reload}
      close={props.close}
    >
      <Field
        label="Address"
        type="url"
        value={url}
        placeholder="https://"
        maxLength={2_048}
        onChange={setUrl}
      />
      <Field
        label="Kinds"
        value={kinds}
        hint="* is everything. Otherwise actions of the audit trail, and results.ready, results.broken_split, proposals.ready, dead_letters.appeared or erasure.done, separated by commas."
        onChange={setKinds}
      />
      <Select label="Form" value={format} options={FORMATS} onChange={setFormat} />
    </FormDialog>
  )
}

interface OpenHookProps {
  readonly of: Hook
  readonly reload: () => void
  readonly close: () => void
}

function EditHook(props: OpenHookProps) {
  const path = { id: props.of.id }
  return (
    <HookDialog
      {...props}
      title="Change this webhook"
      send="Save"
      submit={(body, headers) => unwrap(api.PATCH('/hooks/{id}', { params: { path }, body, headers }))}
      done={() => {
        toast('Saved the webhook')
        props.reload()
      }}
    />
  )
}

function DeleteHook(props: OpenHookProps) {
  const { id, url } = props.of
  return (
    <FormDialog
      title="Delete this webhook?"
      send="Delete"
      tone="danger"
      intent={id}
      of={props.of}
      submit={(headers) => unwrap(api.DELETE('/hooks/{id}', { params: { path: { id } }, headers }))}
      done={() => {
        toast('Deleted the webhook')
        props.reload()
      }}
      reload={props.reload}
      close={props.close}
    >
      <p class="text">Nothing more is posted to {url}.</p>
    </FormDialog>
  )
}

function Deliveries(props: { readonly of: Hook; readonly close: () => void }) {
  const { id, url } = props.of
  const query = { limit: DELIVERIES_SHOWN, offset: 0 }
  const deliveries = useResource(
    `deliveries ${id}`,
    (signal) => unwrap(api.GET('/hooks/{id}/deliveries', { params: { path: { id }, query }, signal })),
    { refetchMs: POLL_MS },
  )
  const { busy, failure, run } = useMutation()
  async function retry(deliveryId: string): Promise<void> {
    const path = { id, deliveryId }
    const outcome = await run(deliveryId, (headers) =>
      unwrap(api.POST('/hooks/{id}/deliveries/{deliveryId}/retry', { params: { path }, headers })),
    )
    if (outcome.ok) deliveries.reload()
  }
  return (
    <Dialog title={`Deliveries to ${url}`} close={props.close}>
      {failure !== undefined && <ErrorMessage failure={failure} />}
      <ResourceView of={deliveries} what="deliveries" calm>
        {({ data }) =>
          data.length === 0 ? (
            <p class="text">Nothing was posted yet.</p>
          ) : (
            <DataTable
              label="Deliveries, the newest first"
              rows={data}
              keyOf={(delivery) => delivery.id}
              columns={[
                { title: 'Kind', isHeading: true, cell: ({ kind }) => <code>{kind}</code> },
                { title: 'When', class: 'nowrap', cell: ({ at }) => <Time at={at} as="exact" /> },
                {
                  title: 'Status',
                  cell: ({ status, error, responseStatus }) => (
                    <>
                      <span class={`badge ${STATUS_STYLES[status]}`}>{capitalize(status)}</span>
                      {status !== 'delivered' && (
                        <div class="muted small">{error ?? responseStatus ?? 'Not tried yet'}</div>
                      )}
                    </>
                  ),
                },
                {
                  title: 'Actions',
                  class: 'nowrap',
                  cell: (delivery) => (
                    <button
                      type="button"
                      class="button small"
                      disabled={busy}
                      onClick={() => void retry(delivery.id)}
                    >
                      Send again<span class="hidden-text"> {delivery.kind}</span>
                    </button>
                  ),
                },
              ]}
            />
          )
        }
      </ResourceView>
      <div class="row end">
        <button type="button" class="button primary" onClick={props.close}>
          Done
        </button>
      </div>
    </Dialog>
  )
}
