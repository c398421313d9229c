/** Elements that load or run something, or that leave the frame. */
const REMOVED =
  'script, style, link, meta, base, template, noscript, iframe, object, embed, frame, frameset, portal, audio, video, source, track'

/** Attributes without an address, a handler or a style. */
const KEPT =
  /^(class|id|for|type|name|value|placeholder|alt|title|lang|dir|role|rows|cols|colspan|rowspan|checked|disabled|selected|open|aria-[a-z]+)$/

/** The markup with what only shows something. An image is its text. */
export function sanitize(markup: string): string {
  // Such a document runs nothing and loads nothing.
  const { body } = new DOMParser().parseFromString(inTable(markup), 'text/html')
  for (const element of body.querySelectorAll(REMOVED)) element.remove()
  for (const image of body.querySelectorAll('img, picture, svg, canvas, math'))
    image.replaceWith(`[${image.getAttribute('alt') || 'image'}]`)
  for (const element of body.querySelectorAll('*'))
    for (const { name } of [...element.attributes]) if (!KEPT.test(name)) element.removeAttribute(name)
  return body.innerHTML
}

/** Rows and cells are dropped outside a table. */
function inTable(markup: string): string {
  if (/^<tr\b/i.test(markup)) return `<table>${markup}</table>`
  return /^<t[dh]\b/i.test(markup) ? `<table><tr>${markup}</tr></table>` : markup
}
