import { type DefaultTreeAdapterMap, type DefaultTreeAdapterTypes, defaultTreeAdapter, parse } from 'parse5'
import { parsing, UnsupportedEditError } from '../dialect.js'

export type Document = DefaultTreeAdapterTypes.Document
export type Element = DefaultTreeAdapterTypes.Element
export type Node = DefaultTreeAdapterTypes.Node
export type ChildNode = DefaultTreeAdapterTypes.ChildNode
export type ParentNode = DefaultTreeAdapterTypes.ParentNode
export type Template = DefaultTreeAdapterTypes.Template
export type TextNode = DefaultTreeAdapterTypes.TextNode

/**
 * Browsers flatten deeper nesting (512 levels in Chromium), and the parser's time grows with the square of
 * the depth.
 */
const DEEPEST = 500

const BOM = '\ufeff'

/** The tree that a browser builds. Offsets count from the start of `text`, including a byte order mark. */
export function parseHtml(text: string, locations: boolean): Document {
  let depth = 0
  const treeAdapter: typeof defaultTreeAdapter = {
    ...defaultTreeAdapter,
    onItemPush: () => {
      depth += 1
      if (depth > DEEPEST)
        throw new UnsupportedEditError(null, `the page is nested more than ${DEEPEST} levels deep`)
    },
    onItemPop: () => {
      depth -= 1
    },
  }
  return parsing('the page', () =>
    parse<DefaultTreeAdapterMap>(text.startsWith(BOM) ? ` ${text.slice(1)}` : text, {
      treeAdapter,
      sourceCodeLocationInfo: locations,
    }),
  )
}

export const isElement = (node: Node): node is Element => 'tagName' in node
export const isText = (node: Node): node is TextNode => node.nodeName === '#text'
export const isTemplate = (node: Node): node is Template => node.nodeName === 'template' && 'content' in node

/** All nodes below, parents first. Enters templates only if asked to. */
export function* descend(root: ParentNode, intoTemplates = false): Generator<ChildNode> {
  const stack: ChildNode[] = [...root.childNodes].reverse()
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    yield node
    const children =
      isTemplate(node) && intoTemplates
        ? node.content.childNodes
        : 'childNodes' in node
          ? node.childNodes
          : []
    for (let i = children.length - 1; i >= 0; i--) {
      const child = children[i]
      if (child !== undefined) stack.push(child)
    }
  }
}

export const attributeOf = (element: Element, name: string): string | undefined =>
  element.attrs.find((attribute) => attribute.name === name)?.value

export function ancestors(node: ChildNode): Element[] {
  const result: Element[] = []
  for (let parent = node.parentNode; parent !== null && isElement(parent); parent = parent.parentNode)
    result.push(parent)
  return result
}

/**
 * The tree as text, equal for trees that a visitor cannot tell apart. Joins adjacent texts, sorts attributes,
 * and ignores white space in `head` and around `head` and `body`.
 */
export function canonical(root: Document): string {
  const parts: string[] = []
  let text = ''
  const flush = (): void => {
    if (text !== '') parts.push(`"${text}`)
    text = ''
  }
  type Step = { node: Node } | { close: string }
  const stack: Step[] = [{ node: root }]
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    if ('close' in step) {
      flush()
      parts.push(step.close)
      continue
    }
    const { node } = step
    if (isText(node)) {
      const parent = node.parentNode?.nodeName
      if (!(/^[ \t\r\n\f]*$/.test(node.value) && (parent === 'head' || parent === 'html'))) text += node.value
      continue
    }
    flush()
    if (isElement(node)) {
      const attributes = node.attrs
        .map((one) => JSON.stringify([one.prefix ?? '', one.name, one.value]))
        .sort()
      parts.push(`<${node.namespaceURI} ${node.tagName}`, ...attributes)
    } else if (node.nodeName === '#comment' && 'data' in node) parts.push(`!${JSON.stringify(node.data)}`)
    else if (node.nodeName === '#documentType' && 'publicId' in node)
      parts.push(`doctype ${JSON.stringify([node.name, node.publicId, node.systemId])}`)
    stack.push({ close: '>' })
    const children = isTemplate(node) ? node.content.childNodes : 'childNodes' in node ? node.childNodes : []
    for (let i = children.length - 1; i >= 0; i--) {
      const child = children[i]
      if (child !== undefined) stack.push({ node: child })
    }
  }
  // A separator that no tree contains: the parser replaces it.
  return parts.join('\0')
}
