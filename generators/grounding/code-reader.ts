import { childOf, childrenOf, listOf, type SourceNode, textOf } from '../../variants/script/syntax.js'
import { SHOWN } from '../page/visible-text.js'
import { type CodeFacts, FREE } from './code-facts.js'
import {
  calleeOf,
  filteredList,
  IS_FUNCTION,
  isJudgement,
  type ListCall,
  listCallOf,
  literalMark,
  MARKUP,
  MEMBER,
  memberName,
  namesIn,
  OF_LISTS,
  STATEMENT,
  unwrapped,
} from './nodes.js'
import { COMPUTES, type Piece, Pieces } from './pieces.js'

/** Data that a file writes out. A call may return a session or the environment. */
const IS_DATA = /^(Object|Array)Expression$|Literal$/
/** Whether an import brings in content of the site, and no settings, stores or code of a server. */
const ofTheSite = (from: string): boolean =>
  /^([./~#]|@\/|src\/)/.test(from) &&
  /(^|\/)(data|content|constants?|texts?|copy)\b/i.test(from) &&
  !/server|env|config|secret/i.test(from)

/** The names that a statement gives to content, as nodes. */
function contentIn(node: SourceNode): SourceNode[] {
  const imported = ofTheSite(textOf(childOf(node, 'source'), 'value') ?? '') ? listOf(node, 'specifiers') : []
  const isConstant = node.type === 'VariableDeclaration' && node.kind === 'const'
  const written = (isConstant ? listOf(node, 'declarations') : []).filter((one) =>
    IS_DATA.test(childOf(one, 'init')?.type ?? ''),
  )
  return [
    ...imported.flatMap((one) => childOf(one, 'local') ?? []),
    ...written.flatMap((one) => childOf(one, 'id') ?? []),
  ]
}

const SEARCHES = /\.(?:includes|startsWith|endsWith|indexOf)$/

/** Reads code into facts. */
export class CodeReader extends Pieces {
  /** whether the code that is read is only shown */
  private isShown = false

  constructor(
    private readonly facts: CodeFacts,
    text: string,
    showsAnyName = false,
  ) {
    super(text, showsAnyName)
  }

  program(root: SourceNode): void {
    for (const one of [...listOf(root, 'directives'), ...listOf(root, 'body')]) this.statement(one, '')
    for (const statement of listOf(root, 'body'))
      for (const name of contentIn(childOf(statement, 'declaration') ?? statement).flatMap(namesIn))
        this.facts.ofModule.add(name)
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
    if (node.type === 'Identifier') {
      const name = String(node.name)
      if (this.facts.declared.has(name)) this.facts.redeclared.add(name)
      this.facts.declared.add(name)
    }
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

  private statement(node: SourceNode, scope: string): void {
    const { type } = node
    if (type === 'BlockStatement' || type === 'StaticBlock') {
      for (const one of [...listOf(node, 'directives'), ...listOf(node, 'body')]) this.statement(one, scope)
    } else if (type === 'ImportDeclaration') this.importing(node, scope)
    else if (/^Export/.test(type)) this.exporting(node, scope)
    else if (type === 'VariableDeclaration') {
      for (const one of listOf(node, 'declarations')) {
        const list = unwrapped(childOf(one, 'init') ?? one)
        const name = textOf(childOf(one, 'id'), 'name')
        if (name !== undefined && node.kind === 'const') {
          if (list.type === 'ArrayExpression') this.constantList(name, list)
          // Lists make lists.
          if (list.type === 'CallExpression' && /^(filter|map)$/.test(listCallOf(list)?.method ?? ''))
            this.know(this.atom('list:', childOf(one, 'id') ?? one, scope))
        }
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
      if (IS_FUNCTION.test(type)) this.enter(node, scope)
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
      if (literalMark(unwrapped(init)) !== null) this.know(this.atom('shown:', id, scope))
    }
    this.below(node, scope, slot)
  }

  private importing(node: SourceNode, scope: string): void {
    const source = childOf(node, 'source')
    const from = source === undefined ? '' : this.bare(source)
    for (const one of listOf(node, 'specifiers')) {
      this.declare(childOf(one, 'local') ?? one)
      this.add(this.keyed(`import ${this.bare(one)} ${from}`, node, scope))
    }
    this.add(this.keyed(`import ${from}`, node, scope))
  }

  private exporting(node: SourceNode, scope: string): void {
    const declared = childOf(node, 'declaration')
    const isDefault = node.type === 'ExportDefaultDeclaration'
    if (isDefault) this.facts.exported.add('default')
    for (const one of listOf(node, 'specifiers')) this.facts.exported.add(this.bare(one))
    if (declared === undefined || (isDefault && declared.type === 'Identifier')) {
      this.add(this.keyed(this.bare(node), node, scope))
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
    const list = this.isShown ? listCallOf(node) : null
    if (list !== null) this.enterList(list, node, scope)
    else if (IS_FUNCTION.test(type)) {
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
        if (IS_FUNCTION.test(one.type)) this.enter(one, scope)
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
      if (object !== undefined && OF_LISTS.test(memberName(node)))
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
    else if (isJudgement(node) || SEARCHES.test(this.calledBy(node))) {
      // A text that is only compared is shown nowhere and leads nowhere.
      for (const { node: child } of childrenOf(node))
        if (child.type !== 'StringLiteral') this.enter(child, scope, slot)
    } else this.below(node, scope, slot)
  }

  /** The names that are free in a function are those of its parameters, in the scope around it. */
  private enterList(call: ListCall, node: SourceNode, scope: string): void {
    const { list, method, params, body } = call
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
    this.add(this.resultPiece(call, scope))
    this.forItems(params, () => this.enter(body, scope))
  }

  /** The function that a call names, `''` for other code. */
  private calledBy(node: SourceNode): string {
    const callee = calleeOf(node)
    const filtered = filteredList(node)
    if (filtered !== null) return `${this.bare(filtered.list)}.map`
    return callee === undefined ? '' : this.bare(callee)
  }

  private below(node: SourceNode, scope: string, slot = ''): void {
    const called = this.calledBy(node)
    if (called !== '') this.facts.called.add(called.replaceAll('?.', '.'))
    if (COMPUTES.test(called)) this.know(this.atom('calls:', calleeOf(node) ?? node, scope))
    const looped = node.type === 'ForOfStatement' ? childOf(node, 'right') : undefined
    if (looped !== undefined) this.know(this.atom('list:', looped, scope))
    for (const { node: child, field } of childrenOf(node)) {
      if (/^(Object)?Property$/.test(node.type) && field === 'key' && node.computed !== true) {
        this.facts.names.add(String(child.name ?? child.value))
        if (node.shorthand !== true) continue
      }
      this.enter(child, scope, called === '' ? slot : called)
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
    if (code.type === 'StringLiteral') {
      // The inventory has `size={'sm'}`, as it has `size="sm"`, and checks where an address leads.
      if (!/^(href|to)$/.test(plain)) this.enter(code, scope)
      return
    }
    if (plain === 'key') this.decide(code, scope)
    else if (FREE.test(plain) || (/^[A-Z]/.test(tag) && SHOWN.test(plain))) this.show(code, scope)
    else this.whole(`${written}=`, code, scope)
    // These are texts or numbers, which can be shown too.
    if (/^(key|value|href|src|to)$/.test(plain)) this.know(this.shown(code, scope))
  }

  /** `<Card {...item}>` is known if the file gives a `Card` an item of a list so. */
  private spread(node: SourceNode, tag: string, scope: string): void {
    if (this.isItem(childOf(node, 'argument'))) this.add(this.keyed(`<${tag} {...item}`, node, scope))
    else this.whole('...', node, scope)
  }
}
