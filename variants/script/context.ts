import { childOf, type PathStep, type SourceNode, textOf } from './syntax.js'

/**
 * How a choice between variants can replace an expression: as it is, in parentheses, or as a statement; or
 * why it cannot.
 */
export type ExpressionContext = 'bare' | 'parentheses' | 'statement' | { refused: string }

/** Places, as `type of the parent.field`, that accept any expression as it is. */
const BARE = new Set([
  'VariableDeclarator.init',
  'AssignmentExpression.right',
  'AssignmentPattern.right',
  'CallExpression.arguments',
  'OptionalCallExpression.arguments',
  'NewExpression.arguments',
  'ArrayExpression.elements',
  'ObjectProperty.value',
  'ClassProperty.value',
  'ClassPrivateProperty.value',
  'ClassAccessorProperty.value',
  'ReturnStatement.argument',
  'ThrowStatement.argument',
  'ArrowFunctionExpression.body',
  'TemplateLiteral.expressions',
  'JSXExpressionContainer.expression',
  'JSXSpreadAttribute.argument',
  'SpreadElement.argument',
  'ConditionalExpression.alternate',
  'IfStatement.test',
  'WhileStatement.test',
  'DoWhileStatement.test',
  'ForStatement.init',
  'ForStatement.test',
  'ForStatement.update',
  'ForOfStatement.right',
  'ForInStatement.right',
  'SwitchStatement.discriminant',
  'SwitchCase.test',
  'ExportDefaultDeclaration.declaration',
  'SequenceExpression.expressions',
  'YieldExpression.argument',
  'TSExportAssignment.expression',
])
/** Places where operators of the parent would bind more tightly than the choice. */
const PARENTHESES = new Set([
  'BinaryExpression.left',
  'BinaryExpression.right',
  'LogicalExpression.left',
  'LogicalExpression.right',
  'UnaryExpression.argument',
  'AwaitExpression.argument',
  'ConditionalExpression.test',
  'ConditionalExpression.consequent',
  'MemberExpression.object',
  'TSAsExpression.expression',
  'TSSatisfiesExpression.expression',
  'TSNonNullExpression.expression',
  'TSTypeAssertion.expression',
  'TypeCastExpression.expression',
  'ClassDeclaration.superClass',
  'ClassExpression.superClass',
])

const EXPRESSION = /(Expression|Literal)$/
const NO_EXPRESSION = new Set([
  'DirectiveLiteral',
  'JSXEmptyExpression',
  'TSInstantiationExpression',
  'ImportExpression',
])

export const isExpression = ({ type }: SourceNode): boolean =>
  type === 'Identifier' ||
  type === 'JSXElement' ||
  type === 'JSXFragment' ||
  (EXPRESSION.test(type) && !NO_EXPRESSION.has(type))

/** @param path from the root of the syntax tree to the expression */
export function contextOf(path: readonly PathStep[]): ExpressionContext {
  const own = path.at(-1)
  const parent = path.at(-2)?.node
  if (own === undefined || parent === undefined) return { refused: 'it is not part of the code' }
  const place = `${parent.type}.${own.field}`
  if (parent.type === 'ParenthesizedExpression') {
    const outer = contextOf(path.slice(0, -1))
    return typeof outer === 'string' ? 'bare' : outer
  }
  if (place === 'ExpressionStatement.expression') return 'statement'
  if (parent.type === 'CallExpression' && own.field === 'arguments') {
    const callee = childOf(parent, 'callee')
    if (callee?.type === 'Import' || (callee?.type === 'Identifier' && textOf(callee, 'name') === 'require'))
      return { refused: 'it names a module, which is loaded before a variant is chosen' }
  }
  if (
    place === 'ObjectProperty.value' &&
    (parent.shorthand === true || path.at(-3)?.node.type === 'ObjectPattern')
  )
    return { refused: 'it is the name of a property' }
  if (place === 'TSAsExpression.expression' && isConst(parent))
    return { refused: 'only a literal may stand before `as const`: take `as const` along' }
  if (place === 'TSTypeAssertion.expression' && isConst(parent))
    return { refused: 'only a literal may stand after `<const>`: take it along' }
  if (place === 'UnaryExpression.argument' && textOf(parent, 'operator') === 'delete')
    return { refused: 'it is the operand of `delete`' }
  if (/(Member|OptionalMember)Expression\.property$/.test(place) && parent.computed === true) return 'bare'
  if (place === 'ObjectProperty.key' && parent.computed === true) return 'bare'
  if (BARE.has(place)) return 'bare'
  if (PARENTHESES.has(place)) return 'parentheses'
  return { refused: REFUSED[place] ?? 'it is not a value that is computed when the code runs' }
}

/** Reasons for the places that people meet most. */
const REFUSED: Readonly<Record<string, string>> = {
  'ImportDeclaration.source': 'it names a module, which is loaded before a variant is chosen',
  'ExportNamedDeclaration.source': 'it names a module, which is loaded before a variant is chosen',
  'ExportAllDeclaration.source': 'it names a module, which is loaded before a variant is chosen',
  'TSLiteralType.literal': 'it is a type',
  'ObjectProperty.key': 'it is the name of a property',
  'CallExpression.callee': 'it is the function of a call: take the whole call',
  'OptionalCallExpression.callee': 'it is the function of a call: take the whole call',
  'NewExpression.callee': 'it is the class of `new`: take the whole expression',
  'OptionalMemberExpression.object': 'it is part of a chain: take the whole chain',
  'AssignmentExpression.left': 'it is the target of an assignment',
}

function isConst(node: SourceNode): boolean {
  const type = childOf(node, 'typeAnnotation')
  return textOf(childOf(type, 'typeName'), 'name') === 'const'
}
