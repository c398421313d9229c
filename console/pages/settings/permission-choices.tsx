import { capitalize } from '../../../domain/text/labels.js'
import { type Permission, usePermissions } from '../../client/identity'
import { Checkbox } from '../../components/controls/checkbox'
import { PERMISSION_TEXTS } from '../../components/controls/permission-button'

const ALL = Object.keys(PERMISSION_TEXTS) as Permission[]

/** Permissions of a person or key. A person cannot grant a permission they do not have. */
export function PermissionChoices(props: {
  readonly legend: string
  readonly value: readonly Permission[]
  readonly onChange: (value: readonly Permission[]) => void
}) {
  const { value, onChange } = props
  const granted = usePermissions()
  return (
    <fieldset class="choices">
      <legend class="legend">{props.legend}</legend>
      {ALL.map((name) => {
        const denied = !granted.includes(name)
        return (
          <Checkbox
            key={name}
            checked={value.includes(name)}
            disabled={denied}
            onChange={(on) => onChange(ALL.filter((each) => (each === name ? on : value.includes(each))))}
          >
            <span>
              {capitalize(PERMISSION_TEXTS[name])}
              {denied && <span class="muted">: you do not have this permission</span>}
            </span>
          </Checkbox>
        )
      })}
      <p class="hint">Everybody can read. These allow changes.</p>
    </fieldset>
  )
}

/** Such as "manage funnels, review proposals". */
export function permissionsText(permissions: readonly string[]): string {
  if (permissions.length === ALL.length) return 'Everything'
  if (permissions.length === 0) return 'Read only'
  return capitalize(permissions.map((name) => PERMISSION_TEXTS[name as Permission] ?? name).join(', '))
}
