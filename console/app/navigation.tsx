import { Link, useLocation } from 'wouter-preact'
import { useMe } from '../client/identity'
import { signOut } from '../client/sign-in'
import { toast } from '../components/toasts'
import { isActivePath, NAV_ITEMS } from './nav-items'

export function Navigation(props: { readonly signedIn: boolean }) {
  const [path] = useLocation()
  const me = useMe()
  return (
    <header class="side">
      <div class="brand">
        <svg width="22" height="22" viewBox="0 0 32 32" aria-hidden="true">
          <rect width="32" height="32" rx="7" fill="var(--accent)" />
          <path
            d="M7 9h18M10.5 16h11M14 23h4"
            stroke="var(--accent-ink)"
            stroke-width="3.4"
            stroke-linecap="round"
          />
        </svg>
        svc
      </div>
      <nav class="main-nav" aria-label="Main">
        <ul role="list">
          {NAV_ITEMS.map((place) => (
            <li key={place.path}>
              <Link href={place.path} {...(isActivePath(path, place.path) ? { 'aria-current': 'page' } : {})}>
                {place.name}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      {props.signedIn && (
        <div class="whoami">
          {me !== undefined && (
            <div>
              <strong>{me.workspace.name}</strong>
              <div class="muted email">{me.key?.name ?? me.person.name}</div>
            </div>
          )}
          <button
            type="button"
            class="button small"
            onClick={() =>
              void signOut().catch(() => toast('Not signed out: the server did not answer. Try again.'))
            }
          >
            Sign out
          </button>
        </div>
      )}
    </header>
  )
}
