import { isElement, isText, type ParentNode, parseHtml } from '../../variants/html/tree.js'
import { valueRange } from '../../variants/html/units.js'
import { setOf } from '../lexicon/words.js'
import { addText, elementAt, type PageElement, type PageTree } from './tree.js'

const UNREAD = setOf('script style template noscript svg math code pre textarea title head')

/** The page as a visitor sees it, without elements that the parser adds. */
export function htmlPage(path: string, text: string): PageTree {
  const document = parseHtml(text, true)
  const root = elementAt('', { start: 0, end: text.length }, null)
  let lang: string | null = null
  const walk = (node: ParentNode, parent: PageElement): void => {
    for (const child of node.childNodes) {
      const place = child.sourceCodeLocation
      if (isText(child)) {
        if (place !== null && place !== undefined)
          addText(parent, child.value, text, { start: place.startOffset, end: place.endOffset })
        continue
      }
      if (!isElement(child)) continue
      if (child.tagName === 'html') lang = child.attrs.find(({ name }) => name === 'lang')?.value ?? null
      if (place === null || place === undefined) {
        walk(child, parent)
        continue
      }
      const element = elementAt(child.tagName, { start: place.startOffset, end: place.endOffset }, parent)
      for (const { name, value } of child.attrs) {
        const at = child.sourceCodeLocation?.attrs?.[name]
        if (at === undefined) continue
        const range = valueRange(text, at.startOffset, at.endOffset)
        element.attributes.push({
          name,
          value,
          start: at.startOffset,
          end: at.endOffset,
          own: range === null ? null : { start: range.start, end: range.end },
        })
      }
      parent.children.push(element)
      if (!UNREAD.has(child.tagName)) walk(child, element)
    }
  }
  walk(document, root)
  return { path, text, dialect: 'html', root, lang }
}
