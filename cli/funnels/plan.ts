import { createTwoFilesPatch } from 'diff'
import { stringify } from 'yaml'
import { foldName } from '../../domain/name.js'
import { type Definition, jsonEquals, omitDefaults, type StoredFunnel, toDefinition } from './definition.js'

export interface FunnelChange {
  readonly action: 'create' | 'update' | 'delete' | 'keep'
  readonly name: string
  /** Null for a new funnel. */
  readonly id: string | null
  /** Unified diff of the funnel in YAML; empty if nothing changes. */
  readonly diff: string
}

const LINES_AROUND = 3

/** The changes that make the stored funnels match the file. Funnels that are not in it come last. */
export function planChanges(
  stored: readonly StoredFunnel[],
  wanted: readonly Definition[],
  prune: boolean,
): FunnelChange[] {
  const names = new Set(wanted.map(({ name }) => foldName(name)))
  return [
    ...wanted.map((definition): FunnelChange => {
      const { name } = definition
      const before = stored.find((funnel) => foldName(funnel.name) === foldName(name))
      if (before === undefined)
        return { action: 'create', name, id: null, diff: diffOf(undefined, definition) }
      if (jsonEquals(toDefinition(before), definition))
        return { action: 'keep', name, id: before.id, diff: '' }
      return { action: 'update', name, id: before.id, diff: diffOf(toDefinition(before), definition) }
    }),
    ...stored
      .filter(({ name }) => !names.has(foldName(name)))
      .map(
        (funnel): FunnelChange =>
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
  // Without the file header, which says nothing here.
  return patch.slice(Math.max(0, patch.indexOf('@@')))
}
