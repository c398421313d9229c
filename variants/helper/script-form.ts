/**
 * For static pages: decides elements with alternatives before they are painted. See
 * `variants/html/markup.ts`.
 */
export const SCRIPT_FORM = String.raw`function pageState() {
  return /** @type {any} */ (globalThis).svcState
}

/**
 * "hero:control=50,b=50"
 * @param {string} mark
 */
function decide(mark) {
  const colon = mark.indexOf(':')
  const key = mark.slice(0, colon)
  /** @type {[string, number][]} */
  const arms = []
  for (const part of mark.slice(colon + 1).split(',')) {
    const [arm = '', percent] = part.split('=')
    arms.push([arm, Number(percent)])
  }
  try {
    const served = servedHere(key)
    if (served !== true) return { key, arm: typeof served === 'string' ? served : undefined }
    const visitor = visitorOfPage()
    const arm = visitor && assign(key, arms, visitor)
    if (visitor && arm) return { key, arm: expose(key, arm, visitor) }
  } catch {
    // Without cookies, as in a sandboxed frame: the control.
  }
  return { key, arm: undefined }
}

/** @param {Element} control */
function show(control) {
  const { key, arm } = decide(control.getAttribute('data-svc') || '')
  for (const { name, value } of [...control.attributes]) {
    if (name !== 'data-svc' && !name.startsWith('data-svc.')) continue
    control.removeAttribute(name)
    const start = 'data-svc.' + arm + '.'
    if (arm && name.startsWith(start)) control.setAttribute(name.slice(start.length), value)
  }
  /** @type {DocumentFragment | undefined} */
  let chosen
  for (;;) {
    // White space after a template belongs to it. Anything else is the page's own.
    let before = control.previousSibling
    const space = before && before.nodeType === 3 && !/[^ \t\r\n\f]/.test(before.nodeValue || '') ? before : null
    if (space) before = space.previousSibling
    if (!(before instanceof HTMLTemplateElement) || before.getAttribute('data-svc') !== key) break
    if (before.getAttribute('data-svc-variant') === arm) chosen = before.content
    before.remove()
    if (space) space.remove()
  }
  if (chosen) control.replaceWith(chosen)
}

// Runs before additions of the parser are painted, and before the page's next script.
function showAll() {
  for (const control of document.querySelectorAll('[data-svc]:not(template)')) show(control)
}
const observer = new MutationObserver(showAll)
observer.observe(document, { childList: true, subtree: true })
showAll()
`
