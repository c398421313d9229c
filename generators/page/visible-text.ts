import { UnsupportedEditError } from '../../variants/dialect.js'
import type { Edit } from '../../variants/port.js'
import { childOf, expressionOf, listOf, type SourceNode, textOf } from '../../variants/script/syntax.js'
import { filledIn } from './message-links.js'
import { collapsed } from './tree.js'

/** A text that visitors read in a piece of source. Offsets count from the start of the piece. */
export interface VisibleText {
  start: number
  end: number
  text: string
}

/** Properties by which components are given what they show. */
export const SHOWN =
  /^(sub)?(title|heading|headline|description|text|label|message|hint|caption|tagline|content)$|^\w+(text|label|title|description)$/
const READ = /^(value|placeholder|alt|title|label|aria-label|content)$/
const READ_ATTRIBUTE = /\s(?:value|placeholder|alt|title|label|aria-label|content)=(["'])(.*?)\1/gs
const ADDRESS = /^\s*["'`]?(?:https?:|mailto:|tel:|sms:|\/(?!\s)|#)\S*\s*$/
/** A text that code shows in templates of Vue and Svelte, which the parser of scripts does not read. */
const STRING_IN_CODE = /(?:[?:+]|\|\||&&|\?\?|^\{+)\s*(["'`])((?:(?!\1)[^\\])*)\1/g

/** The texts in a piece of markup or of code, without the code around them. */
export function visibleTexts(snippet: string): VisibleText[] {
  if (ADDRESS.test(snippet)) return []
  const string = /^\s*(["'`])((?:(?!\1)[^\\])*)\1\s*$/s.exec(snippet)
  if (string !== null && !/[<$]/.test(snippet)) {
    const start = snippet.indexOf(string[1] ?? '') + 1
    return trimmed(snippet, start, start + (string[2] ?? '').length)
  }
  return parsedTexts(snippet) ?? textsInMarkup(snippet)
}

const SYNTAX = { typescript: true, jsx: true }
/** Words alone would be read as names. */
const HAS_TEXTS = /["'`]|<[\w>]/

/** The texts of JSX or an expression, `null` if the piece is neither. */
function parsedTexts(snippet: string): VisibleText[] | null {
  const isMarkup = /^\s*[<{]/.test(snippet)
  const read = (before: string, after: string): VisibleText[] | null => {
    const source = before + snippet + after
    try {
      const root = expressionOf(source, SYNTAX)
      if (root.end < source.trimEnd().length) return null
      return textsOf(root, source).map(({ start, end, text }) => ({
        ...{ start: start - before.length, end: end - before.length },
        text,
      }))
    } catch (error) {
      // Anything else is read as markup.
      if (error instanceof UnsupportedEditError) return null
      throw error
    }
  }
  return (!isMarkup && HAS_TEXTS.test(snippet) ? read('', '') : null) ?? read('<>', '</>')
}

/** The texts that a piece of JSX, or the value of an expression, shows. */
function textsOf(node: SourceNode, source: string): VisibleText[] {
  const all = (...nodes: readonly (SourceNode | undefined)[]): VisibleText[] =>
    nodes.flatMap((one) => (one === undefined ? [] : textsOf(one, source)))
  const fields = (...names: string[]): VisibleText[] => all(...names.map((name) => childOf(node, name)))
  switch (node.type) {
    case 'JSXText':
    case 'TemplateElement':
      return trimmed(source, node.start, node.end)
    case 'StringLiteral':
      return ADDRESS.test(textOf(node, 'value') ?? '') ? [] : trimmed(source, node.start + 1, node.end - 1)
    case 'TemplateLiteral':
      return all(
        ...[...listOf(node, 'quasis'), ...listOf(node, 'expressions')].sort((a, b) => a.start - b.start),
      )
    case 'JSXFragment':
      return all(...listOf(node, 'children'))
    case 'JSXElement':
      return all(...listOf(childOf(node, 'openingElement'), 'attributes'), ...listOf(node, 'children'))
    case 'JSXAttribute':
      return attributeTexts(node, source)
    case 'ConditionalExpression':
      return fields('consequent', 'alternate')
    case 'LogicalExpression':
      return node.operator === '&&' ? fields('right') : fields('left', 'right')
    case 'BinaryExpression':
      return node.operator === '+' ? fields('left', 'right') : []
    case 'ArrayExpression':
      return all(...listOf(node, 'elements'))
    case 'ObjectExpression':
      return all(...listOf(node, 'properties').map((one) => childOf(one, 'value')))
    case 'CallExpression':
    case 'OptionalCallExpression':
      // A text that a function is given is mostly a key.
      return all(...listOf(node, 'arguments').filter(({ type }) => !/Literal$/.test(type)))
    case 'BlockStatement':
      return all(...listOf(node, 'body').filter(({ type }) => type === 'ReturnStatement'))
    case 'ArrowFunctionExpression':
    case 'FunctionExpression':
      return fields('body')
    default:
      return fields('expression', 'argument')
  }
}

/** The words of an attribute, and the markup that it holds. */
function attributeTexts(node: SourceNode, source: string): VisibleText[] {
  const name = childOf(node, 'name')
  const value = childOf(node, 'value')
  if (name === undefined || value === undefined) return []
  const called = source.slice(name.start, name.end).toLowerCase()
  if (READ.test(called) || SHOWN.test(called)) return textsOf(value, source)
  const inner = childOf(value, 'expression')
  return inner !== undefined && /^JSX(Element|Fragment)$/.test(inner.type) ? textsOf(inner, source) : []
}

function textsInMarkup(snippet: string): VisibleText[] {
  const texts: VisibleText[] = []
  for (const { 0: part, index } of snippet.matchAll(/<(?:[^<>"']|"[^"]*"|'[^']*')*>|\{[^{}]*\}|[^<>{}]+/g)) {
    if (part.startsWith('{')) {
      for (const { 0: found, 2: words = '', index: at } of part.matchAll(STRING_IN_CODE)) {
        const end = index + at + found.length - 1
        texts.push(...trimmed(snippet, end - words.length, end))
      }
    } else if (!part.startsWith('<')) texts.push(...trimmed(snippet, index, index + part.length))
    else
      for (const found of part.matchAll(READ_ATTRIBUTE)) {
        const end = index + found.index + found[0].length - 1
        texts.push(...trimmed(snippet, end - (found[2] ?? '').length, end))
      }
  }
  return texts
}

function trimmed(snippet: string, from: number, to: number): VisibleText[] {
  const text = snippet.slice(from, to)
  const start = from + (text.length - text.trimStart().length)
  const words = text.trim()
  return /\p{L}/u.test(words) ? [{ start, end: start + words.length, text: words }] : []
}

/** The texts of an alternative that the control does not have. */
export function addedTexts({ find, replace }: Edit): VisibleText[] {
  const known = visibleTexts(find).map(({ text }) => text)
  return visibleTexts(replace).filter(({ text }) => {
    const at = known.indexOf(text)
    if (at >= 0) known.splice(at, 1)
    return at < 0
  })
}

/** The edit with other words for one of its texts, `null` if they would be read as markup or code. */
export function withWords(edit: Edit, text: VisibleText, words: string): Edit | null {
  const { replace } = edit
  const quote = replace[text.start - 1] ?? ''
  if (/[<>{}&\\`\r\n]/.test(words) || words.trim() === '') return null
  if (/["']/.test(quote) && words.includes(quote)) return null
  return { ...edit, replace: replace.slice(0, text.start) + words + replace.slice(text.end) }
}

/** Whether a text is a list of classes: most words are in small letters with a hyphen, colon or bracket. */
export function isClassList(text: string): boolean {
  const words = text.trim().split(/\s+/)
  const styling = words.filter((word) => /^!?-?[a-z][a-z\d]*[-:[/][^A-Z?]*[^.?]$/.test(word))
  return words.length > 1 && styling.length * 2 > words.length && !/[A-Z]|[.,] /.test(text)
}

/** Words between tags, with the code among them. */
const RUN = /(?:[^<>{}`]|\$?\{(?:[^<>{}]|\{[^<>{}]*\})*\})+/g
const EMBEDDED = /\$?\{{1,2}((?:[^{}]|\{[^{}]*\})*)\}{1,2}/g

/** A text with what stands around it up to the next tag or quote, on one line: “Is {name} right?” */
function asShown(source: string, { start, text }: VisibleText): string {
  const before = source.slice(0, start)
  if (/["']\s*$/.test(before)) return collapsed(text)
  const isInTemplate = before.split('`').length % 2 === 0
  const run = [...source.matchAll(isInTemplate ? /[^`]+/g : RUN)].find(
    ({ 0: { length }, index }) => index <= start && start < index + length,
  )
  const said = (_: string, code: string): string => {
    const string = /^\s*(["'`])([^$]*)\1\s*$/.exec(code)?.[2]
    if (string !== undefined || /^\s*\/[*/]/.test(code)) return string ?? ''
    return /^\s*[\w$.?]+\s*$/.test(code) ? `{${code.trim()}}` : '{…}'
  }
  return collapsed((run?.[0] ?? text).replace(EMBEDDED, said))
}

/** The words of a variant that the control does not have, each once. */
export function newTexts(files: readonly { edits: readonly Edit[] }[], key: string): string[] {
  const edits = files.flatMap((file) => file.edits.filter(({ variant }) => variant === key))
  const before = new Set(edits.flatMap(({ find }) => visibleTexts(find).map(({ text }) => text)))
  const shown = edits.flatMap((edit) => [
    ...addedTexts(edit)
      .filter(({ text }) => !before.has(text) && !isClassList(text))
      .map((text) => asShown(edit.replace, text)),
    ...filledIn(edit.replace).filter((words) => !filledIn(edit.find).includes(words)),
  ])
  return [...new Set(shown)]
}
