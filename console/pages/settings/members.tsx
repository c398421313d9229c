import { useState } from 'preact/hooks'
import { api, type Schema, unwrap } from '../../client/api'
import { type Permission, useMe, usePermissions } from '../../client/identity'
import { useResource } from '../../client/resource'
import { Checkbox } from '../../components/controls/checkbox'
import { Field } from '../../components/controls/field'
import { GuardedButton } from '../../components/controls/guarded-button'
import { DataTable } from '../../components/data-table'
import { FormDialog } from '../../components/dialogs/form-dialog'
import { ResourceView } from '../../components/loading/resource-view'
import { Breakable } from '../../components/text/breakable'
import { Time } from '../../components/text/time'
import { toast } from '../../components/toasts'
import { openCurrent } from './open-current'
import { PermissionChoices, permissionsText } from './permission-choices'
import { Section } from './section'
import { ShownOnce } from './shown-once'

type Person = Schema<'Person'>
type Invitation = Schema<'Invitation'>
type MemberAction = 'edit' | 'invite' | 'remove'
type Opened =
  | { readonly kind: 'add' }
  | { readonly kind: MemberAction; readonly person: Person }
  | { readonly kind: 'link'; readonly name: string; readonly invitation: Invitation }

const POLL_MS = 15_000
/** The API checks addresses closely. */
const EMAIL = /^\S+@\S+$/

export function MembersSection() {
  const me = useMe()
  const permissions = usePermissions()
  if (me === undefined) return null
  if (!me.person.owner)
    return (
      <Section title="Members" lead="Only owners of the workspace see and manage its members.">
        <p class="text">
          You are {me.person.name} ({me.person.email}). What you may do:{' '}
          <strong>{permissionsText(permissions)}</strong>. Ask an owner for more.
        </p>
      </Section>
    )
  return <Members me={me.person.id} />
}

function Members(props: { readonly me: string }) {
  const [opened, setOpened] = useState<Opened | null>(null)
  const people = useResource('people', (signal) => unwrap(api.GET('/people', { signal })), {
    refetchMs: POLL_MS,
  })
  const close = (): void => setOpened(null)
  const open = (kind: MemberAction, { id }: Person): void =>
    openCurrent(unwrap(api.GET('/people/{id}', { params: { path: { id } } })), (person) =>
      setOpened({ kind, person }),
    )
  function reload(): void {
    people.reload()
    close()
  }
  function invited(name: string, invitation: Invitation): void {
    people.reload()
    setOpened({ kind: 'link', name, invitation })
  }
  function changed(text: string): void {
    toast(text)
    reload()
  }
  return (
    <Section
      title="Members"
      lead="Who may sign in, and what they may change."
      action={
        <button type="button" class="button primary" onClick={() => setOpened({ kind: 'add' })}>
          Invite a person…
        </button>
      }
    >
      <ResourceView of={people} what="members" calm>
        {({ data }) => <MemberTable people={data} me={props.me} open={open} />}
      </ResourceView>
      {opened?.kind === 'add' && <AddMember done={invited} close={close} />}
      {opened?.kind === 'edit' && (
        <EditMember of={opened.person} done={changed} reload={reload} close={close} />
      )}
      {opened?.kind === 'invite' && (
        <FormDialog
          title={`A new link for ${opened.person.name}`}
          send="Make a link"
          intent={opened.person.id}
          submit={(headers) =>
            unwrap(
              api.POST('/people/{id}/invitation', { params: { path: { id: opened.person.id } }, headers }),
            )
          }
          done={(invitation) => invited(opened.person.name, invitation)}
          close={close}
        >
          <p class="text">
            The link signs {opened.person.name} in, once, within seven days. An earlier link ends.
          </p>
        </FormDialog>
      )}
      {opened?.kind === 'remove' && (
        <RemoveMember of={opened.person} done={changed} reload={reload} close={close} />
      )}
      {opened?.kind === 'link' && (
        <ShownOnce
          title={`The link for ${opened.name}`}
          text={opened.invitation.url}
          what="the link"
          close={close}
        >
          <p class="text">
            Send it to {opened.name}. It signs in once, until <Time at={opened.invitation.expiresAt} />.
          </p>
        </ShownOnce>
      )}
    </Section>
  )
}

function MemberTable(props: {
  readonly people: readonly Person[]
  readonly me: string
  readonly open: (kind: MemberAction, person: Person) => void
}) {
  const owners = props.people.filter(({ owner }) => owner).length
  return (
    <DataTable
      label="Members"
      rows={props.people}
      keyOf={({ id }) => id}
      columns={[
        {
          title: 'Name',
          class: 'long',
          isHeading: true,
          cell: (person) => (
            <>
              <span dir="auto">{person.name}</span>
              {person.id === props.me && <span class="muted"> (you)</span>}
              <div class="muted small">
                <Breakable text={person.email} />
              </div>
            </>
          ),
        },
        {
          title: 'May',
          cell: ({ owner, permissions }) =>
            owner ? <span class="badge accent">Owner</span> : permissionsText(permissions),
        },
        {
          title: 'Since',
          class: 'nowrap',
          cell: ({ createdAt, invitationExpiresAt }) => (
            <>
              <Time at={createdAt} as="day" />
              {invitationExpiresAt !== null && (
                <div class="muted small">
                  Invited until <Time at={invitationExpiresAt} as="day" />
                </div>
              )}
            </>
          ),
        },
        {
          title: 'Actions',
          class: 'nowrap',
          cell: (person) => (
            <div class="row">
              <button type="button" class="button small" onClick={() => props.open('edit', person)}>
                Change…<span class="hidden-text"> {person.name}</span>
              </button>
              <button type="button" class="button small" onClick={() => props.open('invite', person)}>
                New link…<span class="hidden-text"> for {person.name}</span>
              </button>
              <GuardedButton
                small
                tone="danger"
                reason={person.owner && owners === 1 ? 'A workspace keeps at least one owner' : undefined}
                onClick={() => props.open('remove', person)}
              >
                Remove…<span class="hidden-text"> {person.name}</span>
              </GuardedButton>
            </div>
          ),
        },
      ]}
    />
  )
}

function AddMember(props: {
  readonly done: (name: string, invitation: Invitation) => void
  readonly close: () => void
}) {
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [permissions, setPermissions] = useState<readonly Permission[]>([])
  const body = { name: name.trim(), email: email.trim(), permissions: [...permissions] }
  return (
    <FormDialog
      title="Invite a person"
      send="Invite"
      missing={body.name === '' ? 'Enter a name' : !EMAIL.test(body.email) && 'Enter an e-mail address'}
      intent={body}
      submit={(headers) => unwrap(api.POST('/people', { body, headers }))}
      done={(person) => props.done(person.name, person.invitation)}
      close={props.close}
    >
      <Field label="Name" value={name} maxLength={200} onChange={setName} />
      <Field
        label="Email"
        type="email"
        value={email}
        maxLength={254}
        hint="Nothing is sent: you get a link to pass on."
        onChange={setEmail}
      />
      <PermissionChoices legend="What they may do" value={permissions} onChange={setPermissions} />
    </FormDialog>
  )
}

interface MemberDialogProps {
  readonly of: Person
  readonly done: (text: string) => void
  readonly reload: () => void
  readonly close: () => void
}

function RemoveMember(props: MemberDialogProps) {
  const { id, name } = props.of
  return (
    <FormDialog
      title={`Remove ${name}?`}
      send="Remove"
      tone="danger"
      intent={id}
      of={props.of}
      submit={(headers) => unwrap(api.DELETE('/people/{id}', { params: { path: { id } }, headers }))}
      done={() => props.done(`Removed ${name}`)}
      reload={props.reload}
      close={props.close}
    >
      <p class="text">
        Their sessions and open pages end within a second, and so do all keys that act as them, also those of
        servers that send events. What they did stays in the audit trail.
      </p>
    </FormDialog>
  )
}

function EditMember(props: MemberDialogProps) {
  const { id, owner: wasOwner, permissions: before } = props.of
  const [name, setName] = useState(props.of.name)
  const [owner, setOwner] = useState(wasOwner)
  const [permissions, setPermissions] = useState<readonly Permission[]>(before)
  const body = {
    name: name.trim(),
    ...(owner === wasOwner ? {} : { owner }),
    ...(owner ? {} : { permissions: [...permissions] }),
  }
  return (
    <FormDialog
      title={`Change ${props.of.name}`}
      send="Save"
      missing={body.name === '' && 'Enter a name'}
      intent={body}
      of={props.of}
      submit={(headers) => unwrap(api.PATCH('/people/{id}', { params: { path: { id } }, body, headers }))}
      done={(person) => props.done(`Saved ${person.name}`)}
      reload={props.reload}
      close={props.close}
    >
      <Field label="Name" value={name} maxLength={200} onChange={setName} />
      <Checkbox checked={owner} onChange={setOwner}>
        Owner: may do everything, and manages members and keys
      </Checkbox>
      {!owner && (
        <PermissionChoices legend="What they may do" value={permissions} onChange={setPermissions} />
      )}
      <p class="hint">Open pages, sessions and keys obey within a second.</p>
    </FormDialog>
  )
}
