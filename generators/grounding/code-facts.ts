import { childOf, childrenOf, isNode, listOf, type SourceNode, textOf } from '../../variants/script/syntax.js'
import { setOf } from '../lexicon/words.js'
import { withoutWords } from '../page/message-links.js'
import { SHOWN } from '../page/visible-text.js'

/**
 * A piece of code: accepted if the file has it already in a scope around it, or if its `parts` are accepted.
 * Texts, numbers and flags are left out of `key`.
 */
interface Piece {
  key: string
  scope: string
  source: string
  /** pieces that are together as good; `null` if only the whole is */
  parts: readonly Piece[] | null
}

/** A file's code in pieces small enough to be put together anew without doing anything new. */
export interface CodeFacts {
  pieces: Piece[]
  /** by key, the scopes that have it */
  known: Map<string, string[]>
  names: Set<string>
  /** parameters of functions that only compute what a list shows, whose names are free */
  locals: Set<string>
  declared: Set<string>
  used: Set<string>
  exported: Set<string>
  strings: Set<string>
}

export const noFacts = (): CodeFacts => ({
  pieces: [],
  known: new Map(),
  names: new Set(),
  locals: new Set(),
  declared: new Set(),
  used: new Set(),
  exported: new Set(),
  strings: new Set(),
})

/** Attributes with harmless values. */
export const FREE =
  /^(class|placeholder|title|alt|label|aria-label|aria-labelledby|aria-describedby|aria-live|aria-hidden|role|lang|dir|required|aria-required|checked|defaultchecked|selected|disabled|open|hidden|autocomplete|inputmode|rows|cols|width|height|loading|key|for)$/
/** Calls whose texts decide what they do. */
const NAMES_ITS_WORK =
  /(^|[.\]])(fetch|eval|Function|import|require|open|assign|replace|write|writeln|insertAdjacentHTML|\w+Attribute\w*|append\w*|prepend|createElement\w*|sendBeacon|postMessage|XMLHttpRequest|WebSocket|EventSource|Worker|SharedWorker|atob|submit|click|apply|call|bind|define\w*|parse\w*|importScripts|setHTML\w*|getElement\w*|querySelector\w*|closest|matches|\w+EventListener|get|set|has|delete|\w+Item|emit|on|off|dispatch\w*|setInterval|RegExp|push|navigate|redirect|repeat)$/
const STEERS =
  /(^|\.)(location|href|src|srcdoc|innerHTML|outerHTML|cookie|domain|action|formAction|name|opener|__proto__|prototype)$/
const FUNCTION =
  /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression|(Object|Class|ClassPrivate)Method)$/
const STATEMENT = /(Statement|Declaration)$|^(SwitchCase|CatchClause|StaticBlock)$/
const MARKUP = /^JSX(Element|Fragment)$/
const CALL = /^(Optional)?CallExpression$/
const MEMBER = /^(Optional)?MemberExpression$/
const WRAPPER = /^(ParenthesizedExpression|ChainExpression|TS(As|Satisfies|NonNull)Expression)$/
/** Methods and functions that compute something and change nothing. */
const PURE = setOf(
  `toFixed toLocaleString toString includes startsWith endsWith indexOf slice trim toUpperCase toLowerCase join
  toLocaleDateString toLocaleTimeString getFullYear getMonth getDate getDay getHours getTime`,
)
const SEARCHES = /\.(?:includes|startsWith|endsWith|indexOf)$/
const PURE_CALL = /^(?:Math\.(?:round|floor|ceil|abs|min|max|trunc)|Number|String|Boolean)$/
const PURE_NAMES = setOf(
  'Math round floor ceil abs min max trunc Number String Boolean length map filter some every',
)
/** Methods that only lists have, and those of them that change nothing and call a function for each item. */
const OF_LISTS = /^(map|filter|some|every|find|findIndex|forEach|reduce|flatMap)$/
const EACH = /^(map|filter|some|every)$/
/** Functions of a site that can only compute something, by their names. */
export const COMPUTES =
  /^(?:format|parse|calculate|compute|round|is|has)[A-Z]\w*$|^(?:cn|clsx|classNames|twMerge)$/
/** Names of values that are texts or numbers, which a page can show. */
const SCALAR =
  /(?:count|guests?|price|amount|total|name|title|label|quantity|qty|size|days?|nights?|years?|date|city|rating|discount|percent\w*|stock|snapshot|length)$/i
/** Names of values that no page shows. */
const PRIVATE = /passw|token|secret|api_?key|hash|cvv|iban|session/i
const COMPARES = /^([=!]==?|[<>]=?)$/

/** Whether a scope is another one or inside of it. */
const isWithin = (scope: string, other: string): boolean => scope === other || scope.startsWith(`${other}›`)

/** Reads code into facts. `source` gives the text of a node's offsets; `template` code may show any name. */
export class CodeReader {
  /** Without and with texts: an outline holds those of its parts. */
  private readonly outlines = [new Map<SourceNode, string>(), new Map<SourceNode, string>()] as const
  /** whether the code that is read is only shown */
  private isShown = false
  /** the parameters of the functions of lists around the code that is read */
  private items: readonly string[] = []
  /** the elements of constant lists that the file writes out, by name; `null` if several have the name */
  private readonly lists = new Map<string, readonly SourceNode[] | null>()

  constructor(
    private readonly facts: CodeFacts,
    private readonly text: string,
    private readonly showsAnyName = false,
  ) {}

  program(root: SourceNode): void {
    for (const one of [...listOf(root, 'directives'), ...listOf(root, 'body')]) this.statement(one, '')
  }

  /** An expression whose result visitors see. */
  show(node: SourceNode, scope: string): void {
    this.add(this.shown(node, scope))
    this.within(true, () => this.enter(node, scope))
  }

  /** An expression that decides whether something is shown. */
  decide(node: SourceNode, scope: string): void {
    this.add(this.condition(node, scope))
    this.within(true, () => this.enter(node, scope))
  }

  /** Code that may only be repeated whole. */
  whole(slot: string, node: SourceNode, scope: string): void {
    this.add(this.piece(slot, node, scope))
    this.within(false, () => this.enter(node, scope, slot))
  }

  private within(isShown: boolean, read: () => void): void {
    const outer = this.isShown
    this.isShown = isShown
    read()
    this.isShown = outer
  }

  /** Text of code that the parser does not read alone. */
  raw(code: string, scope: string): void {
    this.add({ key: code.replace(/\s+/g, ''), scope, source: code, parts: null })
  }

  /** Names that a scope brings in. */
  declare(node: SourceNode): void {
    if (node.type === 'Identifier') this.facts.declared.add(String(node.name))
    for (const child of childrenOf(node)) this.declare(child.node)
  }

  private add(piece: Piece): void {
    this.facts.pieces.push(piece)
    this.know(piece)
  }

  private know(piece: Piece): void {
    const scopes = this.facts.known.get(piece.key)
    if (scopes === undefined) this.facts.known.set(piece.key, [piece.scope])
    else if (!scopes.includes(piece.scope)) scopes.push(piece.scope)
    for (const part of piece.parts ?? []) this.know(part)
  }

  private piece(slot: string, node: SourceNode, scope: string, parts: readonly Piece[] | null = null): Piece {
    return { key: slot + this.outline(node), scope, source: this.of(node), parts }
  }

  private of = (node: SourceNode): string => this.text.slice(node.start, node.end)

  private bare = (node: SourceNode): string => this.of(node).replace(/\s+/g, '')

  /** The source of a node without white space, texts, numbers and flags, bodies and markup. */
  private outline(node: SourceNode, isExact = false): string {
    const known = this.outlines[isExact ? 1 : 0].get(node)
    if (known !== undefined) return known
    const written = this.outlineOf(node, isExact)
    this.outlines[isExact ? 1 : 0].set(node, written)
    return written
  }

  private outlineOf(node: SourceNode, isExact: boolean): string {
    const { type } = node
    if (!isExact) {
      const flag = literalMark(node)
      if (flag !== null) return flag
    }
    if (MARKUP.test(type)) return '<>'
    if (WRAPPER.test(type) && type !== 'TSNonNullExpression') {
      const inner = childOf(node, 'expression')
      if (inner !== undefined) return this.outline(inner, isExact)
    }
    if (type === 'ArrayExpression')
      return `[${[...new Set(listOf(node, 'elements').map((one) => this.outline(one, isExact)))].sort().join(',')}]`
    const exact = isExact || this.needsItsTexts(node)
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
          (FUNCTION.test(type) && field === 'body'))
      const isKept = exact || (field === 'property' && MEMBER.test(type)) || (field === 'key' && !isBody)
      written += isBody ? '{}' : this.outline(child, isKept)
      at = child.end
    }
    return (written + this.text.slice(at, node.end)).replace(/\s+/g, '').replace(/,(?=[)}\]])|;$/g, '')
  }

  private needsItsTexts(node: SourceNode): boolean {
    if (/^(OptionalCall|Call|New)Expression$/.test(node.type)) {
      const callee = childOf(node, 'callee')
      return callee === undefined || NAMES_ITS_WORK.test(this.bare(core(callee)))
    }
    if (node.type === 'AssignmentExpression') {
      const left = childOf(node, 'left')
      return left === undefined || STEERS.test(this.bare(left))
    }
    return /^(Import|TaggedTemplate)Expression$|^Directive$|^TSLiteralType$|^(For\w*|(Do)?While)Statement$/.test(
      node.type,
    )
  }

  private statement(node: SourceNode, scope: string): void {
    const { type } = node
    if (type === 'BlockStatement' || type === 'StaticBlock') {
      for (const one of [...listOf(node, 'directives'), ...listOf(node, 'body')]) this.statement(one, scope)
    } else if (type === 'ImportDeclaration') this.importing(node, scope)
    else if (/^Export/.test(type)) this.exporting(node, scope)
    else if (type === 'VariableDeclaration') {
      for (const one of listOf(node, 'declarations')) {
        const list = core(childOf(one, 'init') ?? one)
        const name = textOf(childOf(one, 'id'), 'name')
        if (name !== undefined && node.kind === 'const' && list.type === 'ArrayExpression')
          this.lists.set(name, this.lists.has(name) ? null : listOf(list, 'elements'))
        this.variable(one, scope)
      }
    } else if (type === 'ExpressionStatement' || type === 'ReturnStatement') {
      const value = childOf(node, type === 'ReturnStatement' ? 'argument' : 'expression')
      if (value === undefined) this.add({ key: 'return', scope, source: 'return', parts: null })
      else {
        this.add(type === 'ReturnStatement' ? this.value('', value, scope) : this.piece('', value, scope))
        this.enter(value, scope)
      }
    } else if (type !== 'EmptyStatement') {
      const id = childOf(node, 'id')
      if (id !== undefined) this.declare(id)
      this.add(this.piece('', node, scope))
      if (FUNCTION.test(type)) this.enter(node, scope)
      else this.below(node, scope)
    }
  }

  private variable(node: SourceNode, scope: string): void {
    const id = childOf(node, 'id')
    const init = childOf(node, 'init')
    if (id === undefined) return
    this.declare(id)
    const slot = `${this.outline(id)}=`
    if (init === undefined) this.add(this.piece('', id, scope))
    else {
      this.add(this.value(slot, init, scope))
      if (literalMark(core(init)) !== null) this.know(this.atom('shown:', id, scope))
    }
    this.below(node, scope, slot)
  }

  private importing(node: SourceNode, scope: string): void {
    const source = childOf(node, 'source')
    const from = source === undefined ? '' : this.bare(source)
    for (const one of listOf(node, 'specifiers')) {
      this.declare(childOf(one, 'local') ?? one)
      this.add({ key: `import ${this.bare(one)} ${from}`, scope, source: this.of(node), parts: null })
    }
    this.add({ key: `import ${from}`, scope, source: this.of(node), parts: null })
  }

  private exporting(node: SourceNode, scope: string): void {
    const declared = childOf(node, 'declaration')
    const isDefault = node.type === 'ExportDefaultDeclaration'
    if (isDefault) this.facts.exported.add('default')
    for (const one of listOf(node, 'specifiers')) this.facts.exported.add(this.bare(one))
    if (declared === undefined || (isDefault && declared.type === 'Identifier')) {
      this.add({ key: this.bare(node), scope, source: this.of(node), parts: null })
      if (declared !== undefined) this.enter(declared, scope)
    } else if (isDefault && !STATEMENT.test(declared.type)) {
      this.add(this.value('default=', declared, scope))
      this.enter(declared, scope, 'default=')
    } else {
      for (const one of [declared, ...listOf(declared, 'declarations')]) {
        const id = childOf(one, 'id')
        if (id !== undefined && !isDefault) this.facts.exported.add(this.bare(id))
      }
      this.statement(declared, scope)
    }
  }

  /** Finds functions, markup, names and texts below. */
  private enter(node: SourceNode, scope: string, slot = ''): void {
    const { type } = node
    const { facts } = this
    const list = this.isShown ? this.listOf(node) : null
    if (list !== null) this.enterList(list, node, scope)
    else if (FUNCTION.test(type)) {
      const inner = `${scope}›${slot}${this.outline(node)}`
      for (const one of listOf(node, 'params')) {
        this.declare(one)
        this.enter(one, inner)
      }
      const body = childOf(node, 'body')
      if (body === undefined) return
      this.within(false, () => {
        if (body.type === 'BlockStatement') this.statement(body, inner)
        else {
          this.add(this.value('', body, inner))
          this.enter(body, inner)
        }
      })
    } else if (MARKUP.test(type)) this.markup(node, scope)
    else if (STATEMENT.test(type)) this.statement(node, scope)
    else if (type === 'ClassBody') {
      for (const one of listOf(node, 'body')) {
        this.add(this.piece('member ', one, scope))
        if (FUNCTION.test(one.type)) this.enter(one, scope)
        else this.below(one, scope)
      }
    } else if (type === 'Identifier' || type === 'PrivateName') {
      const name = String(node.name ?? this.bare(node))
      facts.names.add(name)
      facts.used.add(name)
      this.know(this.atom('read:', node, scope))
    } else if (MEMBER.test(type)) {
      const property = childOf(node, 'property')
      const object = childOf(node, 'object')
      for (const one of this.readOf(node, scope)) this.know(one)
      if (object !== undefined && OF_LISTS.test(textOf(property, 'name') ?? ''))
        this.know(this.atom('list:', object, scope))
      if (property !== undefined && node.computed !== true)
        facts.names.add(String(property.name ?? this.bare(property)))
      else if (property !== undefined) this.enter(property, scope)
      if (object !== undefined) this.enter(object, scope)
    } else if (type === 'TemplateElement') {
      const { value } = node
      const cooked = typeof value === 'object' && value !== null && 'cooked' in value ? value.cooked : null
      facts.strings.add(typeof cooked === 'string' ? cooked : this.of(node))
    } else if (typeof node.value === 'string' && /^(String|Directive)?Literal$/.test(type))
      facts.strings.add(node.value)
    else if (
      isJudgement(node) ||
      (CALL.test(type) && SEARCHES.test(this.bare(childOf(node, 'callee') ?? node)))
    ) {
      // A text that is only compared is shown nowhere and leads nowhere.
      for (const { node: child } of childrenOf(node))
        if (child.type !== 'StringLiteral') this.enter(child, scope, slot)
    } else this.below(node, scope, slot)
  }

  /** A list and the function that is called for each item, `null` for any other code. */
  private listOf(node: SourceNode): ListCall | null {
    const callee = CALL.test(node.type) ? core(childOf(node, 'callee') ?? node) : undefined
    const list = callee !== undefined && MEMBER.test(callee.type) ? childOf(callee, 'object') : undefined
    const method = textOf(childOf(callee, 'property'), 'name') ?? ''
    const [each, ...more] = listOf(node, 'arguments')
    if (list === undefined || callee?.computed === true || !EACH.test(method) || each === undefined)
      return null
    const body = more.length === 0 ? resultOf(each) : null
    return body === null ? null : { list, method, params: listOf(each, 'params'), body }
  }

  /** The names that are free in a function are those of its parameters, in the scope around it. */
  private enterList({ list, method, params, body }: ListCall, node: SourceNode, scope: string): void {
    const { facts } = this
    facts.names.add(method)
    this.know(this.atom('list:', list, scope))
    this.know(this.piece('', node, scope))
    for (const one of params) {
      this.declare(one)
      if (one.type === 'Identifier') facts.locals.add(String(one.name))
      else this.enter(one, scope)
    }
    this.enter(list, scope)
    this.add(this.resultPiece({ list, method, params, body }, scope))
    this.forItems(params, () => this.enter(body, scope))
  }

  private forItems<T>(params: readonly SourceNode[], read: () => T): T {
    const outer = this.items
    this.items = [...outer, ...params.flatMap(namesIn)]
    try {
      return read()
    } finally {
      this.items = outer
    }
  }

  /** The value that a function returns for each item: it is shown, or decides which items are. */
  private resultPiece({ method, params, body }: ListCall, scope: string): Piece {
    return this.forItems(params, () => {
      const result = this.value('', body, scope)
      const isShown = method === 'map'
      return {
        ...result,
        parts: result.parts ?? [isShown ? this.shown(body, scope) : this.reads(body, scope)],
      }
    })
  }

  /** A list that the code treats as one already, or a part of it. */
  private listPiece(given: SourceNode, scope: string): Piece {
    const node = core(given)
    const inner = this.listOf(node)
    const callee = CALL.test(node.type) ? core(childOf(node, 'callee') ?? node) : undefined
    const object = childOf(callee, 'object')
    if (inner !== null && inner.method === 'filter')
      return this.piece('reads ', node, scope, [
        this.listPiece(inner.list, scope),
        this.resultPiece(inner, scope),
      ])
    if (object !== undefined && textOf(childOf(callee, 'property'), 'name') === 'slice')
      return this.piece('reads ', node, scope, [
        this.listPiece(object, scope),
        ...listOf(node, 'arguments').map((one) => this.reads(one, scope)),
      ])
    return this.atom('list:', node, scope)
  }

  private below(node: SourceNode, scope: string, slot = ''): void {
    const callee = CALL.test(node.type) ? childOf(node, 'callee') : undefined
    const looped = node.type === 'ForOfStatement' ? childOf(node, 'right') : undefined
    if (looped !== undefined) this.know(this.atom('list:', looped, scope))
    for (const { node: child, field } of childrenOf(node)) {
      if (/^(Object)?Property$/.test(node.type) && field === 'key' && node.computed !== true) {
        this.facts.names.add(String(child.name ?? child.value))
        if (node.shorthand !== true) continue
      }
      this.enter(child, scope, callee === undefined ? slot : this.bare(callee))
    }
  }

  private markup(node: SourceNode, scope: string): void {
    const opening = childOf(node, 'openingElement')
    const name = childOf(opening, 'name')
    if (name !== undefined && /^[A-Z]|\./.test(this.of(name))) {
      this.facts.used.add(this.bare(name).split('.')[0] ?? '')
      this.add({ key: `<${this.bare(name)}`, scope, source: `<${this.of(name)}>`, parts: null })
    }
    for (const one of listOf(opening, 'attributes')) {
      const attribute = childOf(one, 'name')
      const value = childOf(one, 'value')
      if (attribute === undefined) this.spread(one, this.of(name ?? one), scope)
      else if (value?.type === 'JSXExpressionContainer') {
        const code = childOf(value, 'expression')
        if (code === undefined) continue
        this.attribute(this.of(name ?? one), this.of(attribute), code, scope)
      } else if (value !== undefined && value.type !== 'StringLiteral') this.enter(value, scope)
    }
    for (const child of listOf(node, 'children')) {
      if (MARKUP.test(child.type)) this.markup(child, scope)
      const code = childOf(child, 'expression')
      if (code === undefined || code.type === 'JSXEmptyExpression') continue
      if (child.type === 'JSXSpreadChild') this.whole('...', code, scope)
      else this.show(code, scope)
    }
  }

  private attribute(tag: string, written: string, code: SourceNode, scope: string): void {
    const plain = written.replace(/^className$/, 'class').toLowerCase()
    if (plain === 'key') this.decide(code, scope)
    else if (FREE.test(plain) || (/^[A-Z]/.test(tag) && SHOWN.test(plain))) this.show(code, scope)
    else this.whole(`${written}=`, code, scope)
    // These are texts or numbers, which can be shown too.
    if (/^(key|value|href|src|to)$/.test(plain)) this.know(this.shown(code, scope))
  }

  /** `<Card {...item}>` is known if the file gives a `Card` an item of a list so. */
  private spread(node: SourceNode, tag: string, scope: string): void {
    const given = childOf(node, 'argument')
    if (given?.type === 'Identifier' && this.items.includes(String(given.name)))
      this.add({ key: `<${tag} {...item}`, scope, source: this.of(node), parts: null })
    else this.whole('...', node, scope)
  }

  private atom(
    kind: 'shown:' | 'read:' | 'solid:' | 'calls:' | 'list:',
    node: SourceNode,
    scope: string,
  ): Piece {
    const name = kind === 'shown:' ? this.bare(node) : this.bare(node).replaceAll('?.', '.')
    return { key: kind + name, scope, source: this.of(node), parts: null }
  }

  /** A value that the code reads, and of an object that the code takes as given if `.` leads to it. */
  private readOf(node: SourceNode, scope: string): Piece[] {
    // An item of a list is there. Its properties have names that the file has.
    const item = childOf(node, 'object') ?? node
    if (item.type === 'Identifier' && this.items.includes(String(item.name)))
      return [{ ...this.atom('read:', node, scope), parts: [] }]
    const object = MEMBER.test(node.type) && node.optional !== true ? fields(node, ['object']) : []
    return [this.atom('read:', node, scope), ...object.map((one) => this.atom('solid:', one, scope))]
  }

  /** A value that goes to `slot`: each of its branches and elements has to go there already. */
  private value(slot: string, given: SourceNode, scope: string): Piece {
    const node = core(given)
    const piece = (parts: readonly Piece[] | null): Piece => this.piece(slot, node, scope, parts)
    const own = (key: string): Piece => ({ key: slot + key, scope, source: this.of(node), parts: null })
    if (slot === '' && (MARKUP.test(node.type) || literalMark(node) !== null)) return piece([])
    if (node.type === 'ConditionalExpression')
      return piece([
        ...fields(node, ['test']).map((one) => this.condition(one, scope)),
        ...fields(node, ['consequent', 'alternate']).map((one) => this.value(slot, one, scope)),
      ])
    if (slot === '' && node.type === 'LogicalExpression' && node.operator === '&&')
      return piece([
        ...fields(node, ['left']).map((one) => this.condition(one, scope)),
        ...fields(node, ['right']).map((one) => this.value('', one, scope)),
      ])
    if (node.type === 'ArrayExpression')
      return piece([own('[]'), ...listOf(node, 'elements').map((one) => this.value(`${slot}[]`, one, scope))])
    if (node.type === 'ObjectExpression') {
      const properties = listOf(node, 'properties')
      const keyOf = (one: SourceNode): string => {
        const key = childOf(one, 'key')
        return key === undefined ? this.bare(one) : this.bare(key)
      }
      return piece([
        own(`{${properties.map(keyOf).sort().join(',')}}`),
        ...properties.map((one) => {
          const inner = childOf(one, 'value')
          return inner === undefined || one.computed === true || one.type !== 'ObjectProperty'
            ? this.piece(slot, one, scope)
            : this.value(`${slot}.${keyOf(one)}=`, inner, scope)
        }),
      ])
    }
    return piece(null)
  }

  private shown(given: SourceNode, scope: string): Piece {
    const node = core(given)
    const { type } = node
    const piece = (parts: readonly Piece[] | null): Piece => this.piece('show ', node, scope, parts)
    if (MARKUP.test(type) || literalMark(node) !== null || type === 'NullLiteral') return piece([])
    if (type === 'ConditionalExpression')
      return piece([
        ...fields(node, ['test']).map((one) => this.condition(one, scope)),
        ...fields(node, ['consequent', 'alternate']).map((one) => this.shown(one, scope)),
      ])
    if (type === 'LogicalExpression') {
      const left = fields(node, ['left']).map((one) =>
        node.operator === '&&' ? this.condition(one, scope) : this.shown(one, scope),
      )
      return piece([...left, ...fields(node, ['right']).map((one) => this.shown(one, scope))])
    }
    const written = this.listOfText(node)
    if (written !== null) return piece([this.atom('read:', written, scope)])
    const isScalar =
      type === 'TemplateLiteral' || type === 'BinaryExpression' || isJudgement(node) || this.isPure(node)
    if (isScalar && !PRIVATE.test(this.of(node))) return piece([this.reads(node, scope)])
    if (type === 'Identifier' || (MEMBER.test(type) && node.computed !== true)) {
      const mayShow = this.showsAnyName || (SCALAR.test(this.of(node)) && !PRIVATE.test(this.of(node)))
      return (
        this.lengthOf(node, scope) ??
        piece([mayShow ? this.reads(node, scope) : this.atom('shown:', node, scope)])
      )
    }
    const list = this.listOf(node)
    if (list !== null && list.method === 'map')
      return piece([this.listPiece(list.list, scope), this.resultPiece(list, scope)])
    const callee = CALL.test(type) ? childOf(node, 'callee') : undefined
    if (callee === undefined || NAMES_ITS_WORK.test(this.bare(callee))) return piece(null)
    const given_ = listOf(node, 'arguments')
    return piece([this.atom('calls:', callee, scope), ...given_.map((one) => this.shown(one, scope))])
  }

  /** The constant list of `testimonials[0].quote`, if that is a text or number which the file writes out. */
  private listOfText(node: SourceNode): SourceNode | null {
    const item = MEMBER.test(node.type) && node.computed !== true ? childOf(node, 'object') : undefined
    const list = item?.computed === true ? childOf(item, 'object') : undefined
    const index = childOf(item, 'property')?.value
    const elements = this.lists.get(textOf(list, 'name') ?? '') ?? []
    if (list === undefined || typeof index !== 'number') return null
    const name = textOf(childOf(node, 'property'), 'name')
    const properties = listOf(elements[index], 'properties')
    const isPlain =
      elements.every(({ type }) => type === 'ObjectExpression') &&
      properties.every(({ type, computed }) => type === 'ObjectProperty' && computed !== true)
    const value = properties.find((one) => textOf(childOf(one, 'key'), 'name') === name)
    const written = childOf(value, 'value')
    const isText = written !== undefined && literalMark(core(written)) !== null
    return isPlain && isText && !PRIVATE.test(this.of(node)) ? list : null
  }

  private condition(given: SourceNode, scope: string): Piece {
    const node = core(given)
    return this.piece('if ', node, scope, [this.reads(node, scope)])
  }

  /** Computations without an effect, from values that the code reads already. */
  private reads(given: SourceNode, scope: string): Piece {
    const node = core(given)
    const { type } = node
    const piece = (parts: readonly Piece[] | null): Piece => this.piece('reads ', node, scope, parts)
    const all = (nodes: readonly SourceNode[]): Piece => piece(nodes.map((one) => this.reads(one, scope)))
    if (literalMark(node) !== null || type === 'NullLiteral') return piece([])
    if (
      /^(Logical|Binary|Conditional)Expression$/.test(type) ||
      (type === 'UnaryExpression' && /^[!+-]$/.test(String(node.operator)))
    )
      return /^(in|instanceof)$/.test(String(node.operator))
        ? piece(null)
        : all(fields(node, ['left', 'right', 'argument', 'test', 'consequent', 'alternate']))
    if (type === 'TemplateLiteral') return all(listOf(node, 'expressions'))
    const list = this.listOf(node)
    if (list !== null && list.method !== 'map')
      return piece([this.listPiece(list.list, scope), this.resultPiece(list, scope)])
    if (this.isPure(node)) {
      const object = PURE_CALL.test(this.bare(childOf(node, 'callee') ?? node))
        ? []
        : fields(core(childOf(node, 'callee') ?? node), ['object'])
      return all([...object, ...listOf(node, 'arguments')])
    }
    if (MEMBER.test(type) && node.computed === true) {
      const [index] = fields(node, ['property'])
      return index !== undefined && /^(NumericLiteral|Identifier|MemberExpression)$/.test(index.type)
        ? all(fields(node, ['object', 'property']))
        : piece(null)
    }
    const object = childOf(node, 'object')
    if (object?.computed === true && MEMBER.test(type)) return all([object])
    const callee = CALL.test(type) ? childOf(node, 'callee') : undefined
    if (callee?.type === 'Identifier' && COMPUTES.test(this.of(callee)))
      return piece([
        this.atom('calls:', callee, scope),
        ...listOf(node, 'arguments').map((one) => this.reads(one, scope)),
      ])
    if (type === 'Identifier' || MEMBER.test(type))
      return this.lengthOf(node, scope) ?? piece(this.readOf(node, scope))
    return piece(null)
  }

  /** Whether a call only computes a text, a number or a flag. */
  private isPure(node: SourceNode): boolean {
    const callee = CALL.test(node.type) ? childOf(node, 'callee') : undefined
    if (callee === undefined) return false
    const name = core(callee)
    const isNamed =
      PURE_CALL.test(this.bare(name)) ||
      (MEMBER.test(name.type) &&
        name.computed !== true &&
        PURE.has(textOf(childOf(name, 'property'), 'name') ?? ''))
    // `toFixed(200)` throws.
    return (
      isNamed && listOf(node, 'arguments').every((one) => typeof one.value !== 'number' || one.value <= 20)
    )
  }

  /** The length of what the code reads already. */
  private lengthOf(node: SourceNode, scope: string): Piece | null {
    const object = childOf(node, 'object')
    if (object === undefined || textOf(childOf(node, 'property'), 'name') !== 'length') return null
    if (CALL.test(core(object).type)) return this.piece('', node, scope, [this.listPiece(object, scope)])
    return this.piece('', node, scope, [this.atom('read:', object, scope)])
  }
}

interface ListCall {
  list: SourceNode
  method: string
  params: readonly SourceNode[]
  body: SourceNode
}

/** The only expression of a function of one or two parameters, `null` if it does more than to return it. */
function resultOf(node: SourceNode): SourceNode | null {
  if (
    !/^(ArrowFunction|Function)Expression$/.test(node.type) ||
    node.async === true ||
    node.generator === true
  )
    return null
  const params = listOf(node, 'params')
  if (params.length > 2 || !params.every(({ type }) => /^(Identifier|ObjectPattern)$/.test(type))) return null
  const body = childOf(node, 'body')
  if (body?.type !== 'BlockStatement') return body ?? null
  const [only, ...more] = [...listOf(body, 'directives'), ...listOf(body, 'body')]
  return more.length === 0 && only?.type === 'ReturnStatement' ? (childOf(only, 'argument') ?? null) : null
}

/** The names that a parameter brings in. */
const namesIn = (node: SourceNode): string[] =>
  node.type === 'Identifier' ? [String(node.name)] : childrenOf(node).flatMap((child) => namesIn(child.node))

const isJudgement = ({ type, operator }: SourceNode): boolean =>
  type === 'BinaryExpression'
    ? COMPARES.test(String(operator))
    : type === 'UnaryExpression' && operator === '!'

const fields = (node: SourceNode, names: readonly string[]): SourceNode[] =>
  names.flatMap((name) => childOf(node, name) ?? [])

function core(node: SourceNode): SourceNode {
  const inner = WRAPPER.test(node.type) ? childOf(node, 'expression') : undefined
  return inner === undefined ? node : core(inner)
}

/** The sign of a text, number or flag in an outline; `null` for other nodes. */
function literalMark(node: SourceNode): string | null {
  const { type, value } = node
  if (type === 'TemplateElement') return ''
  if (type === 'TemplateLiteral' && listOf(node, 'expressions').length === 0) return "''"
  if (!/^(String|Numeric|Boolean)?Literal$/.test(type) || isNode(node.regex) || 'regex' in node) return null
  return typeof value === 'string'
    ? "''"
    : typeof value === 'number'
      ? '0'
      : typeof value === 'boolean'
        ? 'true'
        : null
}

/** Browsers drop white space and controls in addresses. */
export const withoutControls = (text: string): string => text.replace(/[\t\r\n]|^[\s\p{Cc}]+/gu, '')

export const LOOKS_LIKE_ADDRESS =
  /^((\w*script|data|blob):|(file|https?|wss?|ftp|mailto|tel|sms):(?!\s)|\.{0,2}[\\/](?!\s))|:\/\//iu
export const IS_MARKUP = /<\s*[a-z!/?]|<$|\bon[a-z]+\s*=|\bsrc\w*\s*=|\bstyle\s*=/i
/** Characters that no one sees, but for those of emojis and of words. */
export const UNSEEN =
  /(?!\n|\r|\t|\u00ad|\u200c|\u200d|\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u
const IS_ELEMENT = /^(script|iframe|embed)$/i
const FILLED = /\{[^{}]*\}?|\}/g

/** The things that code does after an edit and not before. */
export function* newInCode(before: CodeFacts, after: CodeFacts): Generator<string> {
  for (const name of after.names)
    if (!PURE.has(name) && !PURE_NAMES.has(name) && !before.names.has(name) && !after.locals.has(name))
      yield name
  const isAround = (key: string, scope: string): boolean =>
    before.known.get(key)?.some((one) => isWithin(scope, one)) === true
  // A property that the file reads elsewhere, of an object that the code around takes as given.
  const isReadElsewhere = (key: string, scope: string): boolean => {
    const object = /^read:(.+)\.[\w$]+$/.exec(key)?.[1]
    return object !== undefined && before.known.has(key) && isAround(`solid:${object}`, scope)
  }
  const isKnown = ({ key, scope, parts }: Piece): boolean =>
    isAround(key, scope) || parts?.every(isKnown) === true || isReadElsewhere(key, scope)
  for (const piece of after.pieces)
    if (!isKnown(piece)) for (const { source } of unknownIn(piece, isKnown)) yield source
  for (const name of before.declared)
    if (!after.declared.has(name) && after.used.has(name)) yield `code that needs ${name}, which is gone`
  for (const name of before.exported) if (!after.exported.has(name)) yield `a file without its export ${name}`
  const filled = new Set([...before.strings].flatMap((one) => one.match(FILLED) ?? []))
  const addresses = new Set([...before.strings].map(withoutWords))
  for (const one of after.strings)
    if (
      !before.strings.has(one) &&
      ((LOOKS_LIKE_ADDRESS.test(withoutControls(one)) && !addresses.has(withoutWords(one))) ||
        IS_MARKUP.test(one) ||
        IS_ELEMENT.test(one) ||
        UNSEEN.test(one) ||
        one.match(FILLED)?.some((each) => !filled.has(each)) === true)
    )
      yield one
  yield* guardsGone(before, after)
}

/** The smallest parts that make a piece unknown. */
function unknownIn(piece: Piece, isKnown: (piece: Piece) => boolean): Piece[] {
  const parts = piece.parts?.filter((one) => !isKnown(one)) ?? []
  return parts.length === 0 ? [piece] : parts.flatMap((one) => unknownIn(one, isKnown))
}

/** Handlers that let the browser send their form, so that what visitors typed stands in an address. */
function* guardsGone(before: CodeFacts, after: CodeFacts): Generator<string> {
  const scopes = new Set(after.pieces.map(({ scope }) => scope))
  for (const { key, scope } of before.pieces)
    if (
      /\.preventDefault\(\)$/.test(key) &&
      scopes.has(scope) &&
      after.known.get(key)?.includes(scope) !== true
    )
      yield `a handler without ${key}`
}
