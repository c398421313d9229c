import { childOf, childrenOf, listOf, type SourceNode, textOf } from '../../variants/script/syntax.js'
import { setOf } from '../lexicon/words.js'
import {
  calleeOf,
  fields,
  filteredList,
  IS_FUNCTION,
  isJudgement,
  isWrapper,
  type ListCall,
  listCallOf,
  literalMark,
  MARKUP,
  MEMBER,
  memberName,
  namesIn,
  STATEMENT,
  unwrapped,
} from './nodes.js'

/**
 * A piece of code: accepted if the file has it already in a scope around it, or if its `parts` are accepted.
 * Texts, numbers and flags are left out of `key`.
 */
export interface Piece {
  key: string
  scope: string
  source: string
  /** pieces that are together as good; `null` if only the whole is */
  parts: readonly Piece[] | null
}

/** Calls whose texts decide what they do. */
const NAMES_ITS_WORK =
  /(^|[.\]])(fetch|eval|Function|import|require|open|assign|replace|write|writeln|insertAdjacentHTML|\w+Attribute\w*|append\w*|prepend|createElement\w*|sendBeacon|postMessage|XMLHttpRequest|WebSocket|EventSource|Worker|SharedWorker|atob|submit|click|apply|call|bind|define\w*|parse\w*|importScripts|setHTML\w*|getElement\w*|querySelector\w*|closest|matches|\w+EventListener|get|set|has|delete|\w+Item|emit|on|off|dispatch\w*|setInterval|RegExp|push|navigate|redirect|repeat)$/
const STEERS =
  /(^|\.)(location|href|src|srcdoc|innerHTML|outerHTML|cookie|domain|action|formAction|name|opener|__proto__|prototype)$/
/** Methods and functions that compute something and change nothing. */
const PURE = setOf(
  `toFixed toLocaleString toString includes startsWith endsWith indexOf slice trim toUpperCase toLowerCase join
  toLocaleDateString toLocaleTimeString getFullYear getMonth getDate getDay getHours getTime`,
)
const PURE_CALL = /^(?:Math\.(?:round|floor|ceil|abs|min|max|trunc)|Number|String|Boolean)$/
const PURE_NAMES = setOf(
  'Math round floor ceil abs min max trunc Number String Boolean length map filter some every',
)
export const isPureName = (name: string): boolean => PURE.has(name) || PURE_NAMES.has(name)
/** Functions of a site that can only compute something, by their names. */
export const COMPUTES =
  /^(?:format|parse|calculate|compute|round|is|has)[A-Z]\w*$|^(?:cn|clsx|classNames|twMerge)$/
/** Names of values that are texts or numbers, which a page can show. */
const SCALAR =
  /(?:count|guests?|price|amount|total|name|title|label|quantity|qty|size|days?|nights?|years?|date|city|rating|discount|percent\w*|stock|snapshot|length)$/i
/** Names of values that no page shows. */
export const PRIVATE =
  /passw|token|secret|api_?key|hash|cvv|iban|session|credential|jwt|private|database|\bdsn\b|\bpin(code)?$/i

/** Makes pieces of the nodes of a text. `showsAnyName`: it is a template, whose names are to be shown. */
export class Pieces {
  /** Without and with texts: an outline holds those of its parts. */
  readonly #outlines = [new Map<SourceNode, string>(), new Map<SourceNode, string>()] as const
  /** the parameters of the functions of lists around the code that is read */
  #items: readonly string[] = []
  /** the elements of constant lists that the file writes out, by name; `null` if several have the name */
  readonly #lists = new Map<string, readonly SourceNode[] | null>()

  constructor(
    private readonly text: string,
    private readonly showsAnyName: boolean,
  ) {}

  of = (node: SourceNode): string => this.text.slice(node.start, node.end)

  bare = (node: SourceNode): string => this.of(node).replace(/\s+/g, '')

  constantList(name: string, list: SourceNode): void {
    this.#lists.set(name, this.#lists.has(name) ? null : listOf(list, 'elements'))
  }

  isItem = (node: SourceNode | undefined): boolean =>
    node?.type === 'Identifier' && this.#items.includes(String(node.name))

  forItems<T>(params: readonly SourceNode[], read: () => T): T {
    const outer = this.#items
    this.#items = [...outer, ...params.flatMap(namesIn)]
    try {
      return read()
    } finally {
      this.#items = outer
    }
  }

  keyed(key: string, node: SourceNode, scope: string, parts: readonly Piece[] | null = null): Piece {
    return { key, scope, source: this.of(node), parts }
  }

  piece(slot: string, node: SourceNode, scope: string, parts: readonly Piece[] | null = null): Piece {
    return this.keyed(slot + this.outline(node), node, scope, parts)
  }

  atom(kind: 'shown:' | 'read:' | 'solid:' | 'calls:' | 'list:', node: SourceNode, scope: string): Piece {
    const name = kind === 'shown:' ? this.bare(node) : this.bare(node).replaceAll('?.', '.')
    return this.keyed(kind + name, node, scope)
  }

  /** The source of a node without white space, texts, numbers and flags, bodies and markup. */
  outline(node: SourceNode, isExact = false): string {
    const outlines = this.#outlines[isExact ? 1 : 0]
    const known = outlines.get(node) ?? this.#outlineOf(node, isExact)
    outlines.set(node, known)
    return known
  }

  #outlineOf(node: SourceNode, isExact: boolean): string {
    const { type } = node
    const flag = isExact ? null : literalMark(node)
    if (flag !== null) return flag
    if (MARKUP.test(type)) return '<>'
    const inner = isWrapper(node) ? childOf(node, 'expression') : undefined
    if (inner !== undefined) return this.outline(inner, isExact)
    if (type === 'ArrayExpression')
      return `[${[...new Set(listOf(node, 'elements').map((one) => this.outline(one, isExact)))].sort().join(',')}]`
    const exact = isExact || this.#needsItsTexts(node)
    let written = ''
    let at = node.start
    for (const { node: child, field } of childrenOf(node).sort((a, b) => a.node.start - b.node.start)) {
      if (child.start < at) continue
      written += this.text.slice(at, child.start)
      // A loop may not lose what ends it.
      const isBody =
        !/^(Do)?WhileStatement$/.test(type) &&
        (child.type === 'ClassBody' ||
          STATEMENT.test(child.type) ||
          (IS_FUNCTION.test(type) && field === 'body'))
      const isKept = exact || (field === 'property' && MEMBER.test(type)) || (field === 'key' && !isBody)
      written += isBody ? '{}' : this.outline(child, isKept)
      at = child.end
    }
    return (written + this.text.slice(at, node.end)).replace(/\s+/g, '').replace(/,(?=[)}\]])|;$/g, '')
  }

  #needsItsTexts(node: SourceNode): boolean {
    if (/^(OptionalCall|Call|New)Expression$/.test(node.type)) {
      const callee = childOf(node, 'callee')
      return callee === undefined || NAMES_ITS_WORK.test(this.bare(unwrapped(callee)))
    }
    if (node.type === 'AssignmentExpression') {
      const left = childOf(node, 'left')
      return left === undefined || STEERS.test(this.bare(left))
    }
    return /^(Import|TaggedTemplate)Expression$|^Directive$|^TSLiteralType$|^(For\w*|(Do)?While)Statement$/.test(
      node.type,
    )
  }

  /** The condition and the branches of `a ? b : c` and `a && b`, `null` for other code. */
  #branches(node: SourceNode, scope: string, branch: (node: SourceNode) => Piece): Piece[] | null {
    const isAnd = node.type === 'LogicalExpression' && node.operator === '&&'
    if (!isAnd && node.type !== 'ConditionalExpression') return null
    return [
      ...fields(node, [isAnd ? 'left' : 'test']).map((one) => this.condition(one, scope)),
      ...fields(node, ['consequent', 'alternate', 'right']).map(branch),
    ]
  }

  /** A value that goes to `slot`: each of its branches and elements has to go there already. */
  value(slot: string, given: SourceNode, scope: string): Piece {
    const node = unwrapped(given)
    const { type } = node
    const piece = (parts: readonly Piece[] | null): Piece => this.piece(slot, node, scope, parts)
    if (slot === '' && (MARKUP.test(type) || literalMark(node) !== null)) return piece([])
    if (slot === '' || type === 'ConditionalExpression') {
      const branches = this.#branches(node, scope, (one) => this.value(slot, one, scope))
      if (branches !== null) return piece(branches)
    }
    if (type === 'ArrayExpression')
      return piece([
        this.keyed(`${slot}[]`, node, scope),
        ...listOf(node, 'elements').map((one) => this.value(`${slot}[]`, one, scope)),
      ])
    if (type !== 'ObjectExpression') return piece(null)
    const properties = listOf(node, 'properties')
    const keyOf = (one: SourceNode): string => this.bare(childOf(one, 'key') ?? one)
    return piece([
      this.keyed(`${slot}{${properties.map(keyOf).sort().join(',')}}`, node, scope),
      ...properties.map((one) => {
        const inner = childOf(one, 'value')
        return inner === undefined || one.computed === true || one.type !== 'ObjectProperty'
          ? this.piece(slot, one, scope)
          : this.value(`${slot}.${keyOf(one)}=`, inner, scope)
      }),
    ])
  }

  /** A value that visitors see. */
  shown(given: SourceNode, scope: string): Piece {
    const node = unwrapped(given)
    const { type } = node
    const piece = (parts: readonly Piece[] | null): Piece => this.piece('show ', node, scope, parts)
    if (MARKUP.test(type) || literalMark(node) !== null || type === 'NullLiteral') return piece([])
    const branches = this.#branches(node, scope, (one) => this.shown(one, scope))
    if (branches !== null) return piece(branches)
    if (type === 'LogicalExpression')
      return piece(fields(node, ['left', 'right']).map((one) => this.shown(one, scope)))
    const written = this.#listOfText(node)
    if (written !== null) return piece([this.atom('read:', written, scope)])
    const isPrivate = PRIVATE.test(this.of(node))
    const isScalar =
      /^(TemplateLiteral|BinaryExpression)$/.test(type) || isJudgement(node) || this.#isPure(node)
    if (isScalar && !isPrivate) return piece([this.reads(node, scope)])
    if (type === 'Identifier' || (MEMBER.test(type) && node.computed !== true)) {
      const mayShow = this.showsAnyName || (SCALAR.test(this.of(node)) && !isPrivate)
      return (
        this.#lengthOf(node, scope) ??
        piece([mayShow ? this.reads(node, scope) : this.atom('shown:', node, scope)])
      )
    }
    const list = listCallOf(node)
    if (list?.method === 'map')
      return piece([this.#listPiece(list.list, scope), this.resultPiece(list, scope)])
    const callee = calleeOf(node)
    const filtered = filteredList(node)
    if (callee !== undefined && filtered !== null) {
      const each = listOf(node, 'arguments').map((one) => this.outline(one))
      return piece([
        this.#listPiece(childOf(unwrapped(callee), 'object') ?? node, scope),
        this.keyed(`show ${this.outline(filtered.list)}.map(${each.join(',')})`, node, scope),
      ])
    }
    if (callee === undefined || NAMES_ITS_WORK.test(this.bare(callee))) return piece(null)
    return piece([
      this.atom('calls:', callee, scope),
      ...listOf(node, 'arguments').map((one) => this.shown(one, scope)),
    ])
  }

  /** The constant list of `testimonials[0].quote`, if that is a text or number which the file writes out. */
  #listOfText(node: SourceNode): SourceNode | null {
    const item = MEMBER.test(node.type) && node.computed !== true ? childOf(node, 'object') : undefined
    const list = item?.computed === true ? childOf(item, 'object') : undefined
    const index = childOf(item, 'property')?.value
    const elements = this.#lists.get(textOf(list, 'name') ?? '') ?? []
    if (list === undefined || typeof index !== 'number') return null
    const properties = listOf(elements[index], 'properties')
    const isPlain =
      elements.every(({ type }) => type === 'ObjectExpression') &&
      properties.every(({ type, computed }) => type === 'ObjectProperty' && computed !== true)
    const value = properties.find((one) => textOf(childOf(one, 'key'), 'name') === memberName(node))
    const written = childOf(value, 'value')
    const isText = written !== undefined && literalMark(unwrapped(written)) !== null
    return isPlain && isText && !PRIVATE.test(this.of(node)) ? list : null
  }

  condition(given: SourceNode, scope: string): Piece {
    const node = unwrapped(given)
    return this.piece('if ', node, scope, [this.reads(node, scope)])
  }

  /** Computations without an effect, from values that the code reads already. */
  reads(given: SourceNode, scope: string): Piece {
    const node = unwrapped(given)
    const { type, operator } = node
    const piece = (parts: readonly Piece[] | null): Piece => this.piece('reads ', node, scope, parts)
    const all = (nodes: readonly SourceNode[]): Piece => piece(nodes.map((one) => this.reads(one, scope)))
    if (literalMark(node) !== null || type === 'NullLiteral') return piece([])
    if (
      /^(Logical|Binary|Conditional)Expression$/.test(type) ||
      (type === 'UnaryExpression' && /^[!+-]$/.test(String(operator)))
    )
      return operator === 'in' || operator === 'instanceof'
        ? piece(null)
        : all(fields(node, ['left', 'right', 'argument', 'test', 'consequent', 'alternate']))
    if (type === 'TemplateLiteral') return all(listOf(node, 'expressions'))
    const list = listCallOf(node)
    if (list !== null && list.method !== 'map')
      return piece([this.#listPiece(list.list, scope), this.resultPiece(list, scope)])
    const callee = calleeOf(node)
    if (callee !== undefined && this.#isPure(node)) {
      const object = PURE_CALL.test(this.bare(callee)) ? [] : fields(unwrapped(callee), ['object'])
      return all([...object, ...listOf(node, 'arguments')])
    }
    if (MEMBER.test(type) && node.computed === true) {
      const index = childOf(node, 'property')?.type ?? ''
      return /^(NumericLiteral|Identifier|MemberExpression)$/.test(index)
        ? all(fields(node, ['object', 'property']))
        : piece(null)
    }
    const object = childOf(node, 'object')
    if (object?.computed === true && MEMBER.test(type)) return all([object])
    if (callee?.type === 'Identifier' && COMPUTES.test(this.of(callee)))
      return piece([
        this.atom('calls:', callee, scope),
        ...listOf(node, 'arguments').map((one) => this.reads(one, scope)),
      ])
    if (type === 'Identifier' || MEMBER.test(type))
      return this.#lengthOf(node, scope) ?? piece(this.readOf(node, scope))
    return piece(null)
  }

  /** A value that the code reads, and of an object that the code takes as given if `.` leads to it. */
  readOf(node: SourceNode, scope: string): Piece[] {
    const read = this.atom('read:', node, scope)
    // An item of a list is there. Its properties have names that the file has.
    if (this.isItem(childOf(node, 'object') ?? node)) return [{ ...read, parts: [] }]
    const object = MEMBER.test(node.type) && node.optional !== true ? fields(node, ['object']) : []
    return [read, ...object.map((one) => this.atom('solid:', one, scope))]
  }

  /** Whether a call only computes a text, a number or a flag. */
  #isPure(node: SourceNode): boolean {
    const callee = calleeOf(node)
    if (callee === undefined) return false
    const name = unwrapped(callee)
    const isMethod = MEMBER.test(name.type) && name.computed !== true && PURE.has(memberName(name))
    // `toFixed(200)` throws.
    const isSmall = (one: SourceNode): boolean => typeof one.value !== 'number' || one.value <= 20
    return (PURE_CALL.test(this.bare(name)) || isMethod) && listOf(node, 'arguments').every(isSmall)
  }

  /** The length of what the code reads already. */
  #lengthOf(node: SourceNode, scope: string): Piece | null {
    const object = childOf(node, 'object')
    if (object === undefined || memberName(node) !== 'length') return null
    if (this.#isPure(unwrapped(object))) return this.piece('', node, scope, [this.reads(object, scope)])
    const isCall = calleeOf(unwrapped(object)) !== undefined
    const list = isCall ? this.#listPiece(object, scope) : this.atom('read:', object, scope)
    return this.piece('', node, scope, [list])
  }

  /** A list that the code treats as one already, or a part of it. */
  #listPiece(given: SourceNode, scope: string): Piece {
    const node = unwrapped(given)
    const inner = listCallOf(node)
    if (inner?.method === 'filter')
      return this.piece('reads ', node, scope, [
        this.#listPiece(inner.list, scope),
        this.resultPiece(inner, scope),
      ])
    const called = calleeOf(node)
    const callee = called === undefined ? undefined : unwrapped(called)
    const object = childOf(callee, 'object')
    if (object !== undefined && memberName(callee) === 'slice')
      return this.piece('reads ', node, scope, [
        this.#listPiece(object, scope),
        ...listOf(node, 'arguments').map((one) => this.reads(one, scope)),
      ])
    return this.atom('list:', node, scope)
  }

  /** The value that a function returns for each item: it is shown, or decides which items are. */
  resultPiece({ method, params, body }: ListCall, scope: string): Piece {
    return this.forItems(params, () => {
      const result = this.value('', body, scope)
      const own = (): Piece => (method === 'map' ? this.shown(body, scope) : this.reads(body, scope))
      return { ...result, parts: result.parts ?? [own()] }
    })
  }
}
