import { attribute, type Element, type Page } from '../../markup/tree.js'

/** What an element's class says, as it is written, also where code puts it together. */
export function classText({ text }: Page, element: Element): string {
  const own = attribute(element, 'class')
  return own === undefined ? '' : text.slice(own.start, own.end)
}

const HIDDEN_UNTIL =
  /(?:^|[\s"'`])hidden(?=[\s"'`]).*?[\s"'`](sm|md|lg|xl):(?:inline-)?(?:flex|block|grid|inline)(?=[\s"'`])|[\s"'`](sm|md|lg|xl):(?:inline-)?(?:flex|block|grid|inline)\b.*?[\s"'`]hidden(?=[\s"'`])/s
const MAX_HIDDEN = /(?:^|[\s"'`])max-(sm|md|lg|xl):hidden(?=[\s"'`])/
const BOOTSTRAP =
  /(?:^|[\s"'`])d-none(?=[\s"'`]).*?[\s"'`]d-(sm|md|lg|xl)-(?:inline-)?(?:flex|block)(?=[\s"'`])/s

/** From which width on an element is shown that is hidden on phones, by the words of utility classes; `null` where it is not. */
export function hiddenUntil(page: Page, element: Element): string | null {
  const own = classText(page, element)
  const found = HIDDEN_UNTIL.exec(own) ?? MAX_HIDDEN.exec(own) ?? BOOTSTRAP.exec(own)
  return found === null ? null : (found[1] ?? found[2] ?? null)
}

export const isHiddenOnPhones = (page: Page, element: Element): boolean =>
  /(^|[\s"'`])(hidden|d-none|invisible|sr-only|max-(sm|md|lg|xl):hidden)(?=[\s"'`])/.test(
    classText(page, element),
  )

/** Whether an element is there for small screens alone. */
export const isHiddenWhenWide = (page: Page, element: Element): boolean =>
  /[\s"'`](sm|md|lg|xl):hidden(?=[\s"'`])|[\s"'`]d-(sm|md|lg|xl)-none(?=[\s"'`])/.test(
    classText(page, element),
  )
