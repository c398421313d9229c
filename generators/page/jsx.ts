import {
  childOf,
  everyNode,
  isNode,
  listOf,
  programOf,
  type SourceNode,
  syntaxOf,
  textOf,
} from '../../variants/script/syntax.js'
import { setOf } from '../lexicon/words.js'
import {
  type Constants,
  constantsOf,
  constantsWhenAsked,
  itemsOf,
  listNamesOf,
  literalOf,
  nameOf,
  within,
} from './constants.js'
import {
  type Attribute,
  addSaid,
  addShown,
  addText,
  collapsed,
  elementAt,
  given,
  has,
  type KeyedTexts,
  type PageElement,
  type PageTree,
} from './tree.js'

const NAMES: Readonly<Record<string, string>> = { className: 'class', htmlFor: 'for' }
const UNREAD = setOf('script style svg code pre textarea title')

/** Elements that the components of a file show, `null` if it has no markup. */
export function jsxPage(path: string, text: string, words: KeyedTexts): PageTree | null {
  if (/\.tsx?$/i.test(path) && !/<\/|\/>/.test(text)) return null
  const program = programOf(text, syntaxOf(path))
  const root = elementAt('', { start: 0, end: text.length }, null)
  let known: ReadonlyMap<string, string> | null = null
  const namespaces = (): ReadonlyMap<string, string> => {
    known ??= namespacesOf(program)
    return known
  }
  const constants: Known = {
    ...constantsWhenAsked(() => constantsOf(program)),
    wording: (node) => wordingOf(node, words, namespaces),
    textOfKey: (key) => {
      words.asked = true
      return words.of(key)
    },
  }
  gather(program, root, text, constants)
  return root.children.length === 0 ? null : { path, text, dialect: 'jsx', root, lang: null }
}

/** Adds the topmost markup below a node of code. */
function gather(node: SourceNode, parent: PageElement, text: string, constants: Known): void {
  // Most time is spent here, because most of a file is code: no generators, and types are skipped.
  for (const key in node) {
    if (NO_MARKUP.has(key)) continue
    const value = node[key]
    if (typeof value !== 'object' || value === null) continue
    if (Array.isArray(value)) {
      for (const one of value as unknown[]) if (isNode(one)) gatherOne(one, parent, text, constants)
    } else if (isNode(value)) gatherOne(value, parent, text, constants)
  }
}

const NO_MARKUP = setOf(
  'loc extra leadingComments trailingComments innerComments comments errors tokens typeAnnotation typeParameters typeArguments returnType directives',
)

function gatherOne(node: SourceNode, parent: PageElement, text: string, constants: Known): void {
  if (node.type === 'JSXElement' || node.type === 'JSXFragment') add(node, parent, text, constants)
  else if (!/^(TS(Type|Interface)|Import|StringLiteral|Identifier|NumericLiteral)/.test(node.type))
    gather(node, parent, text, constants)
}

function add(node: SourceNode, parent: PageElement, text: string, constants: Known): void {
  const opening = childOf(node, 'openingElement')
  const name = childOf(opening, 'name')
  const tag = name === undefined ? '' : text.slice(name.start, name.end)
  const element = elementAt(tag, node, parent)
  element.attributes = listOf(opening, 'attributes').flatMap((one) => attributeOf(one, text, constants))
  parent.children.push(element)
  if (UNREAD.has(tag)) return
  if (tag === 'Trans') {
    addTranslated(node, element, constants)
    return
  }
  addShown(element)
  // Markup in properties, as `icon={<Arrow />}`, may be shown anywhere.
  for (const one of listOf(opening, 'attributes')) {
    const code = elementAt('#code', one, element)
    gather(one, code, text, constants)
    if (code.children.length > 0) element.children.push(code)
  }
  for (const child of listOf(node, 'children')) {
    if (child.type === 'JSXText') addText(element, textOf(child, 'value') ?? '', text, child)
    else if (child.type === 'JSXElement' || child.type === 'JSXFragment') add(child, element, text, constants)
    else if (child.type === 'JSXExpressionContainer') addExpression(child, element, text, constants)
    else element.hasCode = true
  }
}

function addExpression(container: SourceNode, parent: PageElement, text: string, constants: Known): void {
  const node = childOf(container, 'expression')
  if (node === undefined || node.type === 'JSXEmptyExpression') return
  const said = saidBy(node, constants)
  if (said !== undefined) {
    addSaid(parent, said, container)
    return
  }
  const code = elementAt('#code', container, parent)
  parent.children.push(code)
  if (addItems(node, code, text, constants)) return
  code.hasCode = !addBranches(node, code, constants)
  gather(container, code, text, constants)
}

/** The text of a string, of a constant, or of a key; `undefined` if code computes it. */
function saidBy(node: SourceNode, constants: Known): string | undefined {
  const name = nameOf(node)
  return literalOf(node) ?? (name === null ? undefined : constants.get(name)) ?? constants.wording(node)
}

/** `features.map((feature) => <Card>{feature.title}</Card>)` of a known list: what each object shows. */
function addItems(node: SourceNode, code: PageElement, text: string, constants: Known): boolean {
  const callee = childOf(node, 'callee')
  if (node.type !== 'CallExpression' || textOf(childOf(callee, 'property'), 'name') !== 'map') return false
  const list = childOf(callee, 'object')
  const [shown] = listOf(node, 'arguments')
  const body = childOf(shown, 'body')
  if (list === undefined || body === undefined) return false
  const name = nameOf(list)
  const items =
    list.type === 'ArrayExpression' ? itemsOf(list) : name === null ? undefined : constants.list(name)
  if (items === undefined || items.length === 0) return false
  const names = listNamesOf(listOf(shown, 'params')[0])
  // The markup is written once, however often it is shown.
  for (const item of items) gatherOne(body, code, text, { ...constants, ...within(constants, item, names) })
  return true
}

/** `<Trans i18nKey="key">Text</Trans>`, or with the text as its own key. */
function addTranslated(node: SourceNode, element: PageElement, constants: Known): void {
  const children = listOf(node, 'children')
  const [only, ...more] = children.filter(
    (one) => one.type !== 'JSXText' || collapsed(textOf(one, 'value') ?? '') !== '',
  )
  const key = given(element, 'i18nkey')
  if (has(element, 'i18nkey') && key === null) return
  const value = collapsed(textOf(only, 'value') ?? '')
  if ((only !== undefined && only.type !== 'JSXText') || more.length > 0 || (key === null && value === '')) {
    element.hasCode = true
    return
  }
  addSaid(element, constants.textOfKey(key ?? value), element)
}

/** The texts of `open ? 'Hide' : 'Show'` and `failed && 'Try again'`. Returns whether all of it is known. */
function addBranches(node: SourceNode, code: PageElement, constants: Known): boolean {
  const branches =
    node.type === 'ConditionalExpression'
      ? [childOf(node, 'consequent'), childOf(node, 'alternate')]
      : node.type === 'LogicalExpression'
        ? [childOf(node, 'right')]
        : node.type === 'ParenthesizedExpression'
          ? [childOf(node, 'expression')]
          : []
  let isKnown = branches.length > 0 && textOf(node, 'operator') !== '||'
  for (const branch of branches) {
    if (branch === undefined) continue
    const said = constants.wording(branch) ?? literalOf(branch)
    if (said !== undefined) addSaid(code, said, branch)
    else if (!/^(JSX|NullLiteral)/.test(branch.type))
      isKnown = addBranches(branch, code, constants) && isKnown
  }
  return isKnown
}

interface Known extends Constants {
  /** the text of `t('key')`; `undefined` for another call or an unknown key */
  wording(node: SourceNode): string | undefined
  /** the text of a key that markup names */
  textOfKey(key: string): string | undefined
}

function wordingOf(
  node: SourceNode,
  words: KeyedTexts,
  namespaces: () => ReadonlyMap<string, string>,
): ReturnType<Known['wording']> {
  if (node.type !== 'CallExpression') return undefined
  const callee = nameOf(childOf(node, 'callee') ?? node)
  const [first, ...more] = listOf(node, 'arguments')
  const key = literalOf(first)
  if (callee === null || key === undefined) return undefined
  // A second string is the text if no language has the key.
  if (more.some(({ type }) => type !== 'StringLiteral')) return undefined
  if (!/^(t|\$t|i18n\.t|translate)$/.test(callee)) return undefined
  words.asked = true
  const colon = key.indexOf(':')
  return colon > 0
    ? words.of(key.slice(colon + 1), key.slice(0, colon))
    : words.of(key, namespaces().get(callee))
}

/** `const t = useTranslations('Hero')`: the prefix of the keys of `t`, unless it has two. */
function namespacesOf(program: SourceNode): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const several = new Set<string>()
  for (const { node } of everyNode(program)) {
    if (node.type !== 'VariableDeclarator') continue
    // `const { t } = useTranslation('start')`, `const t = useTranslations('start')`
    const id = childOf(node, 'id')
    const [property] = listOf(id, 'properties')
    const name = textOf(id, 'name') ?? textOf(childOf(property, 'value'), 'name')
    let init = childOf(node, 'init')
    if (init?.type === 'AwaitExpression') init = childOf(init, 'argument')
    const [argument] = listOf(init, 'arguments')
    const namespace = argument?.type === 'StringLiteral' ? textOf(argument, 'value') : undefined
    if (name === undefined || namespace === undefined) continue
    if (found.has(name) && found.get(name) !== namespace) several.add(name)
    found.set(name, namespace)
  }
  for (const name of several) found.delete(name)
  return found
}

/** Attributes that hide an element: any value counts, also a computed one. */
const HIDES = /^(tabindex|aria-hidden|style)$/

function attributeOf(node: SourceNode, text: string, constants: Known): Attribute[] {
  const nameNode = childOf(node, 'name')
  if (node.type !== 'JSXAttribute' || nameNode === undefined) return []
  const written = text.slice(nameNode.start, nameNode.end)
  const name = NAMES[written] ?? (/^(aria-|data-)/.test(written) ? written : written.toLowerCase())
  const value = childOf(node, 'value')
  const place = { name, start: node.start, end: node.end }
  if (value === undefined) return [{ ...place, value: '', own: null }]
  if (value.type === 'StringLiteral')
    return [
      { ...place, value: textOf(value, 'value') ?? '', own: { start: value.start + 1, end: value.end - 1 } },
    ]
  const inner = childOf(value, 'expression')
  const said = inner === undefined ? undefined : saidBy(inner, constants)
  const isCode = inner?.type === 'NumericLiteral' || (inner !== undefined && HIDES.test(name))
  return [
    {
      ...place,
      value: said ?? (isCode && inner !== undefined ? text.slice(inner.start, inner.end) : null),
      own: null,
    },
  ]
}
