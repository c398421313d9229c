import { createTwoFilesPatch } from 'diff'
import { stringify } from 'yaml'
import { type Definition, jsonEquals, omitDefaults, type StoredFunnel, toDefinition } from './definition.js'

export interface Change {
  readonly action: 'create' | 'update' | 'delete' | 'keep'
  readonly name: string
  /** Null until it is created. */
  readonly id: string | null
  /** Unified, of the funnel in YAML; empty where nothing changes. */
  readonly diff: string
}

const LINES_AROUND = 3

/** What makes the stored funnels those that are wanted, in the order of the file; those that nobody wants last. */
export function planChanges(
  stored: readonly StoredFunnel[],
  wanted: readonly Definition[],
  prune: boolean,
): Change[] {
  const names = new Set(wanted.map(({ name }) => name))
  return [
    ...wanted.map((definition): Change => {
      const { name } = definition
      const before = stored.find((funnel) => funnel.name === name)
      if (before === undefined)
        return { action: 'create', name, id: null, diff: diffOf(undefined, definition) }
      if (jsonEquals(toDefinition(before), definition))
        return { action: 'keep', name, id: before.id, diff: '' }
      return { action: 'update', name, id: before.id, diff: diffOf(toDefinition(before), definition) }
    }),
    ...stored
      .filter(({ name }) => !names.has(name))
      .map(
        (funnel): Change =>
          prune
            ? {
                action: 'delete',
                name: funnel.name,
                id: funnel.id,
                diff: diffOf(toDefinition(funnel), undefined),
              }
            : { action: 'keep', name: funnel.name, id: funnel.id, diff: '' },
      ),
  ]
}

function diffOf(before: Definition | undefined, after: Definition | undefined): string {
  const text = (definition: Definition | undefined): string =>
    definition === undefined ? '' : stringify(omitDefaults(definition))
  const patch = createTwoFilesPatch('workspace', 'file', text(before), text(after), '', '', {
    context: LINES_AROUND,
  })
  // From the first hunk on: which file is which is said around it.
  return patch.slice(Math.max(0, patch.indexOf('@@')))
}
