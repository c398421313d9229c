import { everyNode, listOf, type SourceNode } from '../../variants/script/syntax.js'

/** What a piece of code names, calls and assigns, each as source without white space. */
export interface CodeFacts {
  names: Set<string>
  /** whole calls, and what they call */
  calls: Set<string>
  callees: Set<string>
  /** targets of assignments, and whole assignments */
  targets: Set<string>
  assignments: Set<string>
  /**
   * parts that only whole pieces of code may repeat: `a[b]`, `...a`, loops, directives, sources of modules
   */
  computed: Set<string>
  strings: Set<string>
  /** calls whose arguments put strings together */
  assembled: Set<string>
}

export const noFacts = (): CodeFacts => ({
  names: new Set(),
  calls: new Set(),
  callees: new Set(),
  targets: new Set(),
  assignments: new Set(),
  computed: new Set(),
  strings: new Set(),
  assembled: new Set(),
})

const CALLS = /^(Optional)?(Call|New)Expression$|^ImportExpression$|^TaggedTemplateExpression$/
/** They stop a page, take an error away from who handles it, or tell a compiler what to do. */
const WHOLE =
  /^(While|DoWhile|For|ForIn|ForOf|Throw|Debugger|With)Statement$|^Directive$|^ThisExpression$|^ExportAllDeclaration$/
const MODULE = /^(Import|ExportNamed)Declaration$/
const ASSEMBLES = /^(BinaryExpression|TemplateLiteral|SpreadElement|SequenceExpression)$/

/** Adds what a tree of code says. `source` gives the text of a node. */
export function addFacts(facts: CodeFacts, root: SourceNode, source: (node: SourceNode) => string): void {
  const text = (node: SourceNode): string => source(node).replace(/\s+/g, '')
  for (const { node, parent } of everyNode(root)) {
    const { type } = node
    if (type === 'Identifier' || type === 'PrivateName') facts.names.add(String(node.name ?? text(node)))
    else if (CALLS.test(type)) addCall(facts, node, text)
    else if (WHOLE.test(type)) facts.computed.add(text(node))
    else if (MODULE.test(type) && isTree(node.source)) facts.computed.add(`from ${text(node.source)}`)
    else if (type === 'MemberExpression' || type === 'OptionalMemberExpression') {
      if (node.computed === true) facts.computed.add(text(node))
    } else if (
      /^(Assignment|Update)Expression$/.test(type) ||
      (type === 'UnaryExpression' && node.operator === 'delete')
    ) {
      facts.assignments.add(text(node))
      const target = node.left ?? node.argument
      if (isTree(target)) facts.targets.add(text(target))
    } else if (/^(Spread|JSXSpread)/.test(type)) facts.computed.add(text(node))
    else if (type === 'StringLiteral' || type === 'DirectiveLiteral' || type === 'Literal') {
      // Attributes of markup are checked by their names.
      if (typeof node.value === 'string' && parent?.type !== 'JSXAttribute') facts.strings.add(node.value)
    } else if (type === 'TemplateElement') facts.strings.add(text(node))
  }
}

const isTree = (value: unknown): value is SourceNode =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value

function addCall(facts: CodeFacts, node: SourceNode, text: (node: SourceNode) => string): void {
  const callee = node.callee ?? node.tag
  facts.calls.add(text(node))
  facts.callees.add(isTree(callee) ? bare(text(callee)) : 'import')
  const inner = listOf(node, 'arguments').flatMap((argument) =>
    [...everyNode(argument)].map((one) => one.node),
  )
  const markup = inner.filter(({ type }) => /^JSX(Element|Fragment)$/.test(type))
  const assembles = inner.some(
    ({ type, start, end }) =>
      ASSEMBLES.test(type) && !markup.some((one) => start >= one.start && end <= one.end),
  )
  if (assembles) facts.assembled.add(text(node))
}

/** `(fetch)` and `((fetch))` as `fetch`. */
const bare = (callee: string): string => {
  const inner = /^\((.*)\)$/.exec(callee)?.[1]
  return inner === undefined || /^[^(]*\)/.test(inner) ? callee : bare(inner)
}

/** Calls that reach outside of the page or turn text into code. The file must have the whole call already. */
const REACHES_OUT =
  /(^|[.\]])(fetch|eval|Function|import|require|open|assign|replace|write|writeln|insertAdjacentHTML|setAttribute\w*|append\w*|prepend|createElement\w*|sendBeacon|postMessage|XMLHttpRequest|WebSocket|EventSource|Worker|SharedWorker|atob|submit|requestSubmit|click|constructor|apply|call|bind|define\w*|parse\w*|importScripts|setHTML\w*)$/
const STEERS =
  /(^|\.)(location|href|src|srcdoc|innerHTML|outerHTML|cookie|domain|action|formAction|name|opener|__proto__|prototype)$/
const LOOKS_LIKE_ADDRESS =
  /^[\s\p{Cc}]*((javascript|vbscript|data|blob|file|https?|wss?|ftp|mailto|tel|sms):|[\\/]\s*[\\/])|:\/\//iu
const IS_MARKUP = /<\s*[a-z!/?]/i

/** The first thing that code does after an edit and not before, `null` if there is none. */
export function newInCode(before: CodeFacts, after: CodeFacts): string | null {
  const added = (field: keyof CodeFacts): string[] =>
    [...after[field]].filter((one) => !before[field].has(one))
  const [name] = added('names')
  if (name !== undefined) return name
  for (const call of added('calls')) if (after.assembled.has(call)) return call
  const [callee] = added('callees')
  if (callee !== undefined) return callee
  const reaching = added('calls').find((call) => REACHES_OUT.test(calleeOf(call)))
  if (reaching !== undefined) return reaching
  const [target] = added('targets')
  const steering = added('assignments').find((one) => STEERS.test(one.split('=')[0] ?? ''))
  const [computed] = added('computed')
  const text = added('strings').find((one) => LOOKS_LIKE_ADDRESS.test(one) || IS_MARKUP.test(one))
  const timed = added('calls').find((call) =>
    /^(?:\w+\.)?set(?:Timeout|Interval)\((?:['"`]|\w+\()/.test(call),
  )
  return target ?? steering ?? computed ?? text ?? timed ?? null
}

const calleeOf = (call: string): string =>
  bare(call.replace(/^new/, '').replace(/\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)$/, ''))
