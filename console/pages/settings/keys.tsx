import { useState } from 'preact/hooks'
import { api, type Schema, unwrap } from '../../client/api'
import { type Permission, useMe, usePermissions } from '../../client/identity'
import { useResource } from '../../client/resource'
import { Checkbox } from '../../components/controls/checkbox'
import { Field } from '../../components/controls/field'
import { GuardedButton } from '../../components/controls/guarded-button'
import { Select } from '../../components/controls/select'
import { DataTable } from '../../components/data-table'
import { FormDialog } from '../../components/dialogs/form-dialog'
import { EmptyState } from '../../components/loading/empty-state'
import { ResourceView } from '../../components/loading/resource-view'
import { Time } from '../../components/text/time'
import { toast } from '../../components/toasts'
import { KeyLedgerDialog } from '../events/key-ledger'
import { RefusedDialog } from '../events/refused-events'
import { openCurrent } from './open-current'
import { PermissionChoices, permissionsText } from './permission-choices'
import { Section } from './section'
import { ShownOnce } from './shown-once'

type Key = Schema<'Key'>
type KeyType = Key['type']
type KeyAction = 'rotate' | 'revoke' | 'refused' | 'ledger'
type Opened =
  | { readonly kind: 'create' }
  | { readonly kind: KeyAction; readonly key: Key }
  | { readonly kind: 'issued'; readonly name: string; readonly text: string }

const POLL_MS = 15_000
const TYPES = {
  api: 'API: reads and changes this workspace',
  server: 'Server: sends events',
  publishable: 'Browser: sends events from pages',
} as const
type Range = readonly [min: number, max: number]
const DAYS: Range = [1, 3_650]
const GRACE_HOURS: Range = [0, 720]

export function KeysSection() {
  const [opened, setOpened] = useState<Opened | null>(null)
  const [ended, setEnded] = useState(false)
  const me = useMe()
  const keys = useResource('keys', (signal) => unwrap(api.GET('/keys', { signal })), { refetchMs: POLL_MS })
  const close = (): void => setOpened(null)
  const open = (kind: KeyAction, { id }: Key): void =>
    openCurrent(unwrap(api.GET('/keys/{id}', { params: { path: { id } } })), (key) =>
      setOpened({ kind, key }),
    )
  function reload(): void {
    keys.reload()
    close()
  }
  function issued({ name, key }: { name: string; key: string }): void {
    keys.reload()
    setOpened({ kind: 'issued', name, text: key })
  }
  return (
    <Section
      title="API access"
      lead={
        me?.person.owner === true
          ? 'All keys of the workspace. Each acts as the person who made it.'
          : 'Your keys. Each acts as you, with at most your permissions. Owners see all keys, and make those that send events.'
      }
      action={
        <button type="button" class="button primary" onClick={() => setOpened({ kind: 'create' })}>
          Create key…
        </button>
      }
    >
      <ResourceView of={keys} what="keys" calm>
        {({ data }) => {
          const shown = data.filter((key) => ended || stateOf(key) === undefined)
          return (
            <>
              {data.some((key) => stateOf(key) !== undefined) && (
                <Checkbox checked={ended} onChange={setEnded}>
                  Show keys that have ended
                </Checkbox>
              )}
              {shown.length === 0 ? (
                <EmptyState title="No keys">
                  <p class="text">
                    Create one to send events, or to automate what this console does with <code>svc</code> or{' '}
                    <code>curl</code>.
                  </p>
                </EmptyState>
              ) : (
                <KeyTable keys={shown} open={open} />
              )}
            </>
          )
        }}
      </ResourceView>
      {opened?.kind === 'create' && <CreateKey done={issued} close={close} />}
      {opened?.kind === 'rotate' && <RotateKey of={opened.key} done={issued} reload={reload} close={close} />}
      {opened?.kind === 'revoke' && <RevokeKey of={opened.key} reload={reload} close={close} />}
      {opened?.kind === 'ledger' && <KeyLedgerDialog of={opened.key} close={close} />}
      {opened?.kind === 'refused' && (
        <RefusedDialog
          title={`Refused events of the key ${opened.key.name}`}
          keyId={opened.key.id}
          close={close}
        />
      )}
      {opened?.kind === 'issued' && (
        <ShownOnce title={`The key ${opened.name}`} text={opened.text} what="the key" close={close} />
      )}
    </Section>
  )
}

/** How it has ended; undefined for a key that works. */
function stateOf({ revokedAt, expiresAt }: Key): 'Revoked' | 'Expired' | undefined {
  if (revokedAt !== null && Date.parse(revokedAt) <= Date.now()) return 'Revoked'
  return expiresAt !== null && Date.parse(expiresAt) <= Date.now() ? 'Expired' : undefined
}

function KeyTable(props: {
  readonly keys: readonly Key[]
  readonly open: (kind: KeyAction, key: Key) => void
}) {
  const owner = useMe()?.person.owner === true
  const reasonAgainst = ({ type }: Key): string | undefined =>
    owner || type === 'api' ? undefined : 'Only owners manage keys that send events'
  return (
    <DataTable
      label="Keys"
      rows={props.keys}
      keyOf={({ id }) => id}
      columns={[
        {
          title: 'Name',
          class: 'long',
          isHeading: true,
          cell: (key) => (
            <>
              <span dir="auto">{key.name}</span>
              <div class="muted small">
                {key.platform === 'Api' ? 'API' : key.platform} …{key.last4}
              </div>
            </>
          ),
        },
        { title: 'May', cell: mayText },
        { title: 'Acts as', cell: ({ personName }) => <span dir="auto">{personName}</span> },
        {
          title: 'Last used',
          class: 'nowrap',
          cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'Never' : <Time at={lastUsedAt} />),
        },
        { title: 'Ends', class: 'nowrap', cell: endOf },
        {
          title: 'Actions',
          class: 'nowrap',
          cell: (key) => (
            <div class="row">
              {key.type !== 'api' && (
                <button type="button" class="button small" onClick={() => props.open('ledger', key)}>
                  Arrived events<span class="hidden-text"> of {key.name}</span>
                </button>
              )}
              {key.type === 'server' && (
                <button type="button" class="button small" onClick={() => props.open('refused', key)}>
                  Refused events<span class="hidden-text"> of {key.name}</span>
                </button>
              )}
              {stateOf(key) === undefined && (
                <>
                  <GuardedButton small reason={reasonAgainst(key)} onClick={() => props.open('rotate', key)}>
                    Rotate…<span class="hidden-text"> {key.name}</span>
                  </GuardedButton>
                  <GuardedButton
                    small
                    tone="danger"
                    reason={reasonAgainst(key)}
                    onClick={() => props.open('revoke', key)}
                  >
                    Revoke…<span class="hidden-text"> {key.name}</span>
                  </GuardedButton>
                </>
              )}
            </div>
          ),
        },
      ]}
    />
  )
}

function mayText({ type, scopes }: Key): string {
  if (type === 'api') return permissionsText(scopes)
  return scopes.length === 0 ? 'Send events' : 'Send exposures'
}

function endOf(key: Key) {
  const { revokedAt, expiresAt } = key
  const state = stateOf(key)
  if (state !== undefined) return <span class="badge bad">{state}</span>
  // A rotated key goes on until then.
  const at = [revokedAt, expiresAt].filter((time) => time !== null).sort()[0]
  return at === undefined ? 'Never' : <Time at={at} />
}

function CreateKey(props: { readonly done: (key: Schema<'IssuedKey'>) => void; readonly close: () => void }) {
  const owner = useMe()?.person.owner === true
  const granted = usePermissions()
  const [name, setName] = useState('')
  const [type, setType] = useState<KeyType>('api')
  const [scopes, setScopes] = useState<readonly Permission[]>([])
  const [days, setDays] = useState('')
  const body = {
    name: name.trim(),
    type,
    ...(type === 'api' ? { scopes: scopes.filter((scope) => granted.includes(scope)) } : {}),
    ...(days === '' ? {} : { expiresInDays: Number(days) }),
  }
  return (
    <FormDialog
      title="Create a key"
      send="Create"
      missing={
        body.name === ''
          ? 'Enter a name'
          : days !== '' && !inRange(days, DAYS) && 'Enter from 1 to 3,650 days, or none'
      }
      intent={body}
      submit={(headers) => unwrap(api.POST('/keys', { body, headers }))}
      done={props.done}
      close={props.close}
    >
      <Field label="Name" value={name} maxLength={200} hint="What the key is for." onChange={setName} />
      {owner ? (
        <Select label="Kind" value={type} options={TYPES} onChange={setType} />
      ) : (
        <p class="hint">An API key. Ask an owner of the workspace for a key that sends events.</p>
      )}
      {type === 'api' && <PermissionChoices legend="What it may do" value={scopes} onChange={setScopes} />}
      <NumberField
        label="Days until it expires"
        value={days}
        range={DAYS}
        optional
        hint="Empty: it does not expire."
        onChange={setDays}
      />
    </FormDialog>
  )
}

function RevokeKey(props: { readonly of: Key; readonly reload: () => void; readonly close: () => void }) {
  const { id, name } = props.of
  return (
    <FormDialog
      title={`Revoke the key ${name}?`}
      send="Revoke"
      tone="danger"
      intent={id}
      of={props.of}
      submit={(headers) => unwrap(api.DELETE('/keys/{id}', { params: { path: { id } }, headers }))}
      done={() => {
        toast(`Revoked ${name}`)
        props.reload()
      }}
      reload={props.reload}
      close={props.close}
    >
      <p class="text">
        Requests with it are refused within a second, and its open streams end. This cannot be undone.
      </p>
    </FormDialog>
  )
}

function RotateKey(props: {
  readonly of: Key
  readonly done: (key: Schema<'IssuedKey'>) => void
  readonly reload: () => void
  readonly close: () => void
}) {
  const { id, name } = props.of
  const [hours, setHours] = useState('24')
  const body = { graceHours: Number(hours) }
  return (
    <FormDialog
      title={`Rotate the key ${name}`}
      send="Rotate"
      missing={!inRange(hours, GRACE_HOURS) && 'Enter from 0 to 720 hours'}
      intent={body}
      of={props.of}
      submit={(headers) => unwrap(api.POST('/keys/{id}/rotate', { params: { path: { id } }, body, headers }))}
      done={props.done}
      reload={props.reload}
      close={props.close}
    >
      <p class="text">
        You get a new key that may do the same. The old one goes on for a while, so that you can replace it
        everywhere.
      </p>
      <NumberField
        label="Hours until the old key ends"
        value={hours}
        range={GRACE_HOURS}
        hint="0 ends it at once."
        onChange={setHours}
      />
    </FormDialog>
  )
}

/** A whole number within a range. */
function NumberField(props: {
  readonly label: string
  readonly value: string
  readonly range: Range
  readonly optional?: boolean
  readonly hint: string
  readonly onChange: (value: string) => void
}) {
  const { range, optional, ...field } = props
  const fits = (optional === true && props.value === '') || inRange(props.value, range)
  return (
    <Field
      {...field}
      type="number"
      problem={fits ? undefined : `A whole number from ${range[0]} to ${range[1]}`}
    />
  )
}

function inRange(text: string, [min, max]: Range): boolean {
  const number = Number(text)
  return text.trim() !== '' && Number.isInteger(number) && number >= min && number <= max
}
