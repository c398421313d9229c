import type { Result } from '../client/api.js'
import { refusedError } from '../command-error.js'
import type { CommonOptions, Context } from '../context.js'
import { readText } from '../files/document.js'
import { printJson } from '../output.js'

interface TypesOptions extends CommonOptions {
  readonly check?: string
  readonly python?: boolean
}

type Property = Result<'listEventProperties'>['data'][number]

/** A property with those inside it, which have the rest of its path as names. */
interface Shape {
  readonly types: readonly string[]
  /** Every event has it. */
  readonly isRequired: boolean
  readonly inner: ReadonlyMap<string, Shape>
}

type Events = ReadonlyMap<string, ReadonlyMap<string, Shape>>

const MAX_NAMES = 1_000
const MAX_SHOWN = 20
const INTRODUCTION = 'Written by `svc events types` from the received events.'

/** Prints the types of the workspace's events, or compares a file with them. */
export async function eventTypes(context: Context, options: TypesOptions): Promise<void> {
  const { check } = options
  const isPython = options.python ?? check?.endsWith('.py') ?? false
  const events = await readEvents(context)
  const text = isPython ? pythonOf(events) : typeScriptOf(events)
  if (check === undefined) {
    if (options.json) printJson(context.terminal, { events: events.size, types: text })
    else context.terminal.out(text)
    return
  }
  const differences = differenceOf(await readText(context, check), text)
  if (options.json) printJson(context.terminal, { file: check, differences })
  if (differences.length > 0)
    throw refusedError(`${check} differs from the received events`, 'TYPES_DIFFER', [
      ...differences.slice(0, MAX_SHOWN),
      ...(differences.length > MAX_SHOWN ? [`and ${differences.length - MAX_SHOWN} more lines`] : []),
      `write it again: svc events types${isPython ? ' --python' : ''} > ${check}`,
    ])
  if (!options.json) context.terminal.out(`${check} agrees with the received events.\n`)
}

/** The names that are not hidden, without svc's own, in the order of the alphabet. */
async function readEvents(context: Context): Promise<Events> {
  const api = await context.api()
  const { body } = await api.call('listEventNames', { query: { limit: MAX_NAMES } })
  const names = body.data.map(({ eventName }) => eventName).filter((name) => !name.startsWith('$'))
  const events = new Map<string, ReadonlyMap<string, Shape>>()
  for (const eventName of names.sort()) {
    const answer = await api.call('listEventProperties', {
      path: { eventName },
      query: { hidden: 'include' },
    })
    events.set(eventName, shapesOf(answer.body.data))
  }
  return events
}

/** @param prefix a path with a dot at its end, for the properties directly below it */
export function shapesOf(
  properties: readonly Pick<Property, 'property' | 'types' | 'share'>[],
  prefix = '',
): ReadonlyMap<string, Shape> {
  const below = properties.filter(({ property }) => property.startsWith(prefix))
  const objects = new Set(
    below.filter(({ types }) => types.includes('object')).map(({ property }) => property),
  )
  // A name may have a dot itself: then no object has the part before it.
  const isInside = (path: string): boolean =>
    [...path.slice(prefix.length).matchAll(/\./g)].some(({ index }) =>
      objects.has(path.slice(0, prefix.length + index)),
    )
  const whole = properties.find(({ property }) => `${property}.` === prefix)?.share ?? 1
  const direct = below.filter(({ property }) => !isInside(property))
  const shapes = direct.map(({ property, types, share }): [string, Shape] => [
    property.slice(prefix.length),
    {
      types: [...types].sort(),
      isRequired: share >= whole,
      inner: types.includes('object') ? shapesOf(properties, `${property}.`) : new Map(),
    },
  ])
  return new Map(shapes.sort(([a], [b]) => (a < b ? -1 : 1)))
}

export function typeScriptOf(events: Events): string {
  const scalars: Readonly<Record<string, string>> = { array: 'unknown[]', object: 'Record<string, unknown>' }
  const fields = (shapes: ReadonlyMap<string, Shape>, indent: string): string =>
    [...shapes]
      .map(([name, { types, isRequired, inner }]) => {
        const one = (type: string): string =>
          type === 'object' && inner.size > 0
            ? `{\n${fields(inner, `${indent}  `)}${indent}}`
            : (scalars[type] ?? type)
        const union = [...types.map(one), ...(isRequired ? [] : ['null'])].join(' | ')
        return `${indent}${keyOf(name)}${isRequired ? '' : '?'}: ${union}\n`
      })
      .join('')
  const body = [...events].map(([name, shapes]) => {
    const inner = fields(shapes, '    ')
    return `  ${keyOf(name)}: ${inner === '' ? '{}' : `{\n${inner}  }`}\n`
  })
  return `// ${INTRODUCTION}\n// new SvcEvents<Events>() accepts these events only.\nexport type Events = {\n${body.join('')}}\n`
}

export function pythonOf(events: Events): string {
  const scalars: Readonly<Record<string, string>> = {
    array: 'List[Any]',
    boolean: 'bool',
    number: 'float',
    object: 'Dict[str, Any]',
    string: 'str',
  }
  const taken = new Set<string>()
  const declarations: string[] = []
  const declare = (wanted: string, shapes: ReadonlyMap<string, Shape>): string => {
    let name = wanted
    for (let n = 2; taken.has(name); n++) name = `${wanted}${n}`
    taken.add(name)
    const fields = [...shapes].map(([key, { types, isRequired, inner }]) => {
      const one = (type: string): string =>
        type === 'object' && inner.size > 0
          ? declare(name + pascalCase(key), inner)
          : (scalars[type] ?? 'Any')
      const all = [...types.map(one), ...(isRequired ? [] : ['None'])]
      return `    ${JSON.stringify(key)}: ${all.length === 1 ? all[0] : `Union[${all.join(', ')}]`},\n`
    })
    declarations.push(`${name} = TypedDict("${name}", {\n${fields.join('')}}, total=False)\n`)
    return name
  }
  for (const [name, shapes] of events) declare(pascalCase(name), shapes)
  const names = [...events.keys()].map((name) => `    ${JSON.stringify(name)},\n`).join('')
  return [
    `# ${INTRODUCTION}\n# The properties of each event, as in: properties: OrderPaid = {"total": 49}\n`,
    'from typing import Any, Dict, List, Literal, TypedDict, Union\n\n',
    ...declarations.map((text) => `${text}\n`),
    `EventName = Literal[\n${names}]\n`,
  ].join('')
}

function keyOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)
}

function pascalCase(name: string): string {
  const words = name.split(/[^A-Za-z0-9]+/).map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
  const joined = words.join('')
  return /^[A-Za-z]/.test(joined) ? joined : `Event${joined}`
}

/** Lines of one text alone: `-` of the file, `+` of the received events. */
function differenceOf(file: string, received: string): string[] {
  const linesOf = (text: string): string[] => text.split(/\r?\n/)
  const [before, after] = [linesOf(file), linesOf(received)]
  if (before.join('\n') === after.join('\n')) return []
  const only = (lines: readonly string[], others: readonly string[], mark: string): string[] =>
    lines.filter((line) => !others.includes(line)).map((line) => `${mark} ${line.trim()}`)
  const found = [...only(before, after, '-'), ...only(after, before, '+')]
  return found.length > 0 ? found : ['the lines are in another order']
}
