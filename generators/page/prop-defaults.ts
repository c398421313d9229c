import { childOf, everyNode, listOf, type SourceNode, textOf } from '../../variants/script/syntax.js'

/** The default of a component's property. */
export interface PropDefault {
  name: string
  value: SourceNode
  /** it is the variable of that name itself */
  isVariable?: boolean
}

/**
 * Defaults of a component's properties: in Vue `withDefaults(defineProps<…>(), { … })`, `defineProps({ … })`
 * and `props: { … }`, in Svelte 4 `export let title = '…'`.
 */
export function* propDefaultsOf(program: SourceNode): Generator<PropDefault> {
  for (const { node } of everyNode(program)) {
    if (node.type === 'VariableDeclarator') {
      const name = textOf(childOf(node, 'id'), 'name')
      const init = childOf(node, 'init')
      if (name === undefined || init === undefined) continue
      for (const one of definedBy(init)) yield { ...one, name: `${name}.${one.name}` }
    } else if (node.type === 'CallExpression') yield* definedBy(node)
    else if (node.type === 'ExportDefaultDeclaration') yield* ofOptions(childOf(node, 'declaration'))
    else if (node.type === 'ExportNamedDeclaration') yield* ofExported(childOf(node, 'declaration'), program)
  }
}

/** `defineProps({ label: { default: '…' } })`, and the second argument of `withDefaults`. */
function* definedBy(call: SourceNode): Generator<PropDefault> {
  const callee = textOf(childOf(call, 'callee'), 'name')
  const [first, second] = listOf(call, 'arguments')
  if (callee === 'withDefaults') yield* propertiesOf(second)
  if (callee === 'defineProps') yield* declaredIn(first)
}

function* declaredIn(object: SourceNode | undefined): Generator<PropDefault> {
  for (const { name, value } of propertiesOf(object))
    for (const one of propertiesOf(value)) if (one.name === 'default') yield { name, value: one.value }
}

/** Of `export default { props }` and `export default defineComponent({ props })`. */
function* ofOptions(made: SourceNode | undefined): Generator<PropDefault> {
  const options = made?.type === 'CallExpression' ? listOf(made, 'arguments')[0] : made
  for (const { name, value } of propertiesOf(options)) if (name === 'props') yield* declaredIn(value)
}

/** An exported variable is a property, unless code assigns to it: then it is state. */
function* ofExported(declaration: SourceNode | undefined, program: SourceNode): Generator<PropDefault> {
  if (textOf(declaration, 'kind') !== 'let') return
  for (const one of listOf(declaration, 'declarations')) {
    const name = textOf(childOf(one, 'id'), 'name')
    const value = childOf(one, 'init')
    if (name !== undefined && value !== undefined && !isSetAnew(name, program))
      yield { name, value, isVariable: true }
  }
}

function isSetAnew(name: string, program: SourceNode): boolean {
  for (const { node } of everyNode(program))
    if (node.type === 'AssignmentExpression' && textOf(childOf(node, 'left'), 'name') === name) return true
  return false
}

function* propertiesOf(object: SourceNode | undefined): Generator<PropDefault> {
  if (object?.type !== 'ObjectExpression') return
  for (const property of listOf(object, 'properties')) {
    const key = childOf(property, 'key')
    const name = textOf(key, 'name') ?? textOf(key, 'value')
    const value = childOf(property, 'value')
    if (name !== undefined && value !== undefined && property.computed !== true) yield { name, value }
  }
}
