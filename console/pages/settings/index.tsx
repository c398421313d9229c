import type { ComponentType } from 'preact'
import { Link, useLocation } from 'wouter-preact'
import './settings.css'
import { useMe } from '../../client/identity'
import { Page } from '../../components/page'
import { AuditSection } from './audit'
import { KeysSection } from './keys'
import { MembersSection } from './members'
import { RepositorySection } from './repository'
import { SessionsSection } from './sessions'
import { WebhooksSection } from './webhooks'

const SECTIONS: readonly (readonly [path: string, name: string, section: ComponentType])[] = [
  ['/settings', 'API access', KeysSection],
  ['/settings/members', 'Members', MembersSection],
  ['/settings/sessions', 'Sessions', SessionsSection],
  ['/settings/repository', 'Repository', RepositorySection],
  ['/settings/webhooks', 'Webhooks', WebhooksSection],
  ['/settings/audit', 'Audit', AuditSection],
]

export default function SettingsPage() {
  const [path] = useLocation()
  const me = useMe()
  const [, , Section] = SECTIONS.find(([place]) => place === path) ?? []
  return (
    <Page
      title="Settings"
      lead={
        me === undefined
          ? 'Keys, members and what was done.'
          : `The workspace ${me.workspace.name}. You are ${me.person.name}${me.person.owner ? ', an owner' : ''}.`
      }
    >
      <nav class="sections" aria-label="Settings">
        <ul role="list">
          {SECTIONS.map(([place, name]) => (
            <li key={place}>
              <Link href={place} {...(place === path ? { 'aria-current': 'page' } : {})}>
                {name}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      {Section === undefined ? (
        <p>
          There are no settings at this address. <Link href="/settings">Go to API access</Link>
        </p>
      ) : (
        <Section />
      )}
    </Page>
  )
}
