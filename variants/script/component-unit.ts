import { type Alternative, showUnits, type Unit, UnsupportedEditError } from '../dialect.js'
import { importsOf } from './static-code.js'
import { childOf, everyNode, listOf, type PathStep, pathTo, type SourceNode, textOf } from './syntax.js'
import { type CodeUnit, unitOf } from './units.js'

/** A longer element is an alternative only if it is taken as a whole, because both are rendered and sent. */
const MAX_WIDENED = 2_000

/** Data beside JSX: which components read it is not known. */
const NO_COMPONENT =
  'it is in no component, and what a module makes when it is loaded may be read on a server, which sees no visitor: change an element or a text of the component that shows it'
const NO_UNIT =
  'it is in a Server Component, which sees no visitor: only elements and texts of its JSX can be alternatives, because a client component chooses between them'

/**
 * The unit of an alternative in a Server Component: an element or a text, which the helper's component shows.
 * Anything else in the JSX widens to the element around it. Offsets count from the start of the program.
 */
export function componentUnitOf(
  text: string,
  program: SourceNode,
  alternative: Alternative,
  file: string,
): Unit<CodeUnit> {
  const unit = unitOf(text, program, alternative, file)
  const path = pathTo(program, unit.start, unit.end)
  const fits = path.flatMap(({ node }, index) => {
    const what = unitAt(path.slice(0, index + 1), unit)
    return what === null ? [] : [{ start: node.start, end: node.end, what }]
  })
  const best = fits.at(-1)
  if (best?.what.kind === 'text') return unit
  const isWhole = best?.start === unit.start && best.end === unit.end
  if (best !== undefined && (isWhole || best.end - best.start <= MAX_WIDENED)) return { ...unit, ...best }
  const isInFunction = path.some(({ node }) => /Function|Method/.test(node.type))
  const message = isInFunction ? NO_UNIT : NO_COMPONENT
  throw new UnsupportedEditError(alternative.edit, message, showUnits(text, [...fits].reverse()))
}

/** The kind of unit that the last node of a path is, `null` if the component cannot take its place. */
function unitAt(path: readonly PathStep[], unit: Unit<CodeUnit>): CodeUnit | null {
  const own = path.at(-1)
  const parent = path.at(-2)?.node
  if (own === undefined || parent === undefined || isDrawn(path)) return null
  const { node, field } = own
  const isElement = node.type === 'JSXElement' || node.type === 'JSXFragment'
  if (isElement && /^(html|head|body)$/.test(nameOf(node))) return null
  if (field === 'children') {
    // A component may do something else with a text or a function than with an element.
    const isOpaque = isElement || isPlain(parent)
    if (looksAtChildren(parent) || !isOpaque) return null
    if (node.type === 'JSXText') return unit.what.kind === 'text' ? { kind: 'text' } : null
    return { kind: 'child' }
  }
  const isFree = isElement && !hasAttribute(node, 'key')
  return isFree && isShown(path.slice(0, -1), field) ? { kind: 'expression' } : null
}

/** Places in which an element is a value that is shown there. */
const SHOWN =
  /^(ReturnStatement\.argument|ArrowFunctionExpression\.body|(ParenthesizedExpression|JSXExpressionContainer)\.expression|LogicalExpression\.right|ConditionalExpression\.(consequent|alternate))$/

function isShown(parents: readonly PathStep[], field: string): boolean {
  const own = parents.at(-1)
  if (own === undefined || !SHOWN.test(`${own.node.type}.${field}`)) return false
  if (/^(Return|Arrow)/.test(own.node.type)) return true
  const parent = parents.at(-2)?.node
  if (own.node.type === 'JSXExpressionContainer')
    return own.field === 'children' && parent !== undefined && !looksAtChildren(parent)
  return isShown(parents.slice(0, -1), own.field)
}

/** Components that look at their children, or give them attributes, so that another component breaks them. */
const LOOKS = /^(Slot|Slottable|Swiper|Slider|Carousel|AnimatePresence|Transition\w*|SwitchTransition)$/
/** Elements whose content is one text. */
const ONE_TEXT = /^(title|option|textarea|script|style|noscript)$/

const looksAtChildren = (node: SourceNode): boolean =>
  ONE_TEXT.test(nameOf(node)) || LOOKS.test(nameOf(node)) || hasAttribute(node, 'asChild')

/** Whether an element is one of HTML, or a fragment. */
const isPlain = (node: SourceNode): boolean => /^([a-z].*|Fragment|)$/.test(nameOf(node))

/** The name of an element. Empty for fragments, and `.` for members of objects. */
function nameOf(node: SourceNode): string {
  if (node.type === 'JSXFragment') return ''
  const name = childOf(childOf(node, 'openingElement'), 'name')
  return textOf(name, 'name') ?? textOf(childOf(name, 'property'), 'name') ?? '.'
}

const hasAttribute = (node: SourceNode, name: string): boolean =>
  listOf(childOf(node, 'openingElement'), 'attributes').some(
    (one) => textOf(childOf(one, 'name'), 'name') === name,
  )

/** Whether code makes a picture or a mail of the JSX, where no browser runs. */
const isDrawn = (path: readonly PathStep[]): boolean =>
  path.some(
    ({ node }) =>
      /^(Call|New)Expression$/.test(node.type) &&
      /^(ImageResponse|render\w*)$/.test(textOf(childOf(node, 'callee'), 'name') ?? ''),
  )

/** Files of Next's app router. */
const ROUTE_FILE =
  /(^|\/)app\/(?!routes\/)(.*\/)?(page|layout|template|default|not-found|loading|forbidden|unauthorized)\.[jt]sx?$/
const PAGES_ROUTER = /(^|\/)pages\//
const CLIENT_HOOK =
  /^use(State|Effect|LayoutEffect|InsertionEffect|Ref|Reducer|Context|Callback|Transition|DeferredValue|ImperativeHandle|SyncExternalStore|Optimistic|ActionState|FormState|FormStatus|Router|Pathname|SearchParams|Params|SelectedLayoutSegments?)$/

/**
 * Whether a server may render a file alone, so that only a client component in it can see visitors. The
 * component works in files that turn out to be for clients, too.
 *
 * @param hasServerComponents whether the site's components are Server Components by default
 */
export function isServerComponent(file: string, program: SourceNode, hasServerComponents: boolean): boolean {
  const isForClients = listOf(program, 'directives').some(
    (one) => textOf(childOf(one, 'value'), 'value') === 'use client',
  )
  if (isForClients) return false
  if ((ROUTE_FILE.test(file) && !usesRouter(program)) || isAsyncComponent(program)) return true
  return hasServerComponents && !PAGES_ROUTER.test(file) && showsOnly(program)
}

/** React Router has folders of the same names, but no Server Components there. */
const usesRouter = (program: SourceNode): boolean =>
  [...importsOf(program).values()].some((module) => /^(react-router|@remix-run\/)/.test(module))

const isJsx = ({ type }: SourceNode): boolean => type === 'JSXElement' || type === 'JSXFragment'

/** Whether code has JSX, and neither hooks nor handlers, which only clients can have. */
function showsOnly(program: SourceNode): boolean {
  let hasJsx = false
  for (const { node } of everyNode(program)) {
    hasJsx ||= isJsx(node)
    const callee = childOf(node, 'callee')
    const called = textOf(callee, 'name') ?? textOf(childOf(callee, 'property'), 'name') ?? ''
    const given = node.type === 'JSXAttribute' ? (textOf(childOf(node, 'name'), 'name') ?? '') : ''
    if (CLIENT_HOOK.test(called) || /^on[A-Z]/.test(given)) return false
  }
  return hasJsx
}

/** Only Server Components may be asynchronous. */
const isAsyncComponent = (program: SourceNode): boolean =>
  listOf(program, 'body').some((statement) => {
    const made = statement.type === 'ExportDefaultDeclaration' ? childOf(statement, 'declaration') : undefined
    return (
      made?.type === 'FunctionDeclaration' &&
      made.async === true &&
      /^[A-Z]/.test(textOf(childOf(made, 'id'), 'name') ?? '') &&
      [...everyNode(made)].some(({ node }) => isJsx(node))
    )
  })
