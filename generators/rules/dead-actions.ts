import { plain } from '../page/buttons.js'
import type { PageChange } from '../page/edits.js'
import { labelOf } from '../page/forms.js'
import { above, attribute, elementsIn, given, type PageElement } from '../page/tree.js'
import type { PageContext } from './rule.js'
import { classAttribute, linkTo, namesOf } from './ways.js'

/** A link, a button, or a component that is one (a part), that does nothing if visitors press it. */
export interface DeadAction {
  element: PageElement
  label: string
  kind: 'link' | 'button' | 'part'
}

const NOWHERE = /^(#!?|javascript:.*|)$/
/** Attributes with which code, or another element, gives a button its work. */
const WORKS =
  /^(on|@|v-on|use:|bind|v-bind|:(?!class|style|key)|data-(?!aos|testid|v-)|aria-(controls|haspopup|expanded|pressed|selected)|id$|form|popover|disabled|aschild|role$|type$|\{)/i
/** Attributes that only say how a component looks, or its words. */
const LOOKS =
  /^(:?class|:?style|sx|:?variant|:?size|color|btn|text|label|title|name|icon|(left|right|start|end)icon|v-(else-)?if|v-else|v-for|:?key|rounded|fullwidth|block|outlined|elevation|shape|kind|theme|dark|primary|secondary|outline|data-aos\S*|data-testid|aria-label|type)\b/i
const LINK = /^(a|link|navlink|nuxt-?link|routerlink|router-link)$/
const IN_USE =
  /trigger|dropdown|tab|accordion|modal|dialog|toggle|close|label|summary|form|upload|popover|activator|a$|link$/i
const HEARS = /^(on:?|@|v-on:)(click|press|submit)/i
/** Components of libraries that do nothing by themselves. */
const OF_LIBRARIES = /^(Button|VBtn|v-btn|UButton|QBtn|q-btn|el-button|ElButton|NButton|MDBBtn)$/
const SAID_BY = ['btn', 'text', 'label', 'title', 'name', 'children']
/** The name of the site, and what opens by a script. */
const IS_NAME = /logo|brand|faq|accordion|collaps|toggle/i
const MAX_LABEL = 36

function kindOf(element: PageElement, { page, landmarks }: PageContext): DeadAction['kind'] | null {
  // An attribute that a component shows is no element.
  if (page.text[element.start] !== '<') return null
  if (LINK.test(element.name)) return 'link'
  if (element.tag === 'button') return 'button'
  const { tag } = element
  if (!/^([A-Z]\w*|\w[\w-]*-[\w-]*)$/.test(tag) || !/(button|btn)$/i.test(tag)) return null
  const acts = landmarks.acts.get(plain(tag))
  const isOfLibrary =
    new RegExp(`\\b${tag}\\b[^;]*from\\s*["'](?![./~]|@/|src/)`).test(page.text) ||
    /^[a-z]|^VBtn|^UButton/.test(tag)
  return acts === false || (acts === undefined && OF_LIBRARIES.test(tag) && isOfLibrary) ? 'part' : null
}

/** The links and buttons of a page that lead nowhere, as far as the files of the site tell. */
export function deadActionsOf(context: PageContext): DeadAction[] {
  const { page, bound, landmarks } = context
  const file = plain(/([^/]+?)(?:\/index)?\.\w+$/.exec(page.path)?.[1] ?? '')
  if ([...landmarks.pressed].some((one) => plain(one) === file)) return []
  return elementsIn(page.root).flatMap((element): DeadAction[] => {
    const kind = kindOf(element, context)
    if (kind === null || IS_NAME.test(given(element, 'class') ?? '')) return []
    const said = kind === 'part' ? SAID_BY.map((name) => given(element, name)).find(Boolean) : null
    const label = labelOf(element) || (said ?? '')
    if (label === '' || label.length > MAX_LABEL || label.endsWith('?') || element.hasCode) return []
    const leads = given(element, 'href') ?? given(element, 'to')
    if (kind === 'link' && !NOWHERE.test(leads ?? 'code')) return []
    const type = given(element, 'type')
    const works = element.attributes.some(({ name }) =>
      kind === 'part' ? !LOOKS.test(name) : WORKS.test(name) && !(name === 'type' && type === 'button'),
    )
    const last = Math.max(element.start, ...element.attributes.map(({ end }) => end))
    const opening = page.text.slice(element.start, page.text.indexOf('>', last))
    return works ||
      type === 'submit' ||
      type === 'reset' ||
      /\{\.\.\.|v-bind|\$attrs|onClick|#default|v-slot/i.test(opening) ||
      namesOf(element).some((name) => bound.has(name)) ||
      [...above(element)].some(
        (one) =>
          IN_USE.test(one.tag === '' || one.tag === '#code' ? '' : one.name) ||
          landmarks.pressed.has(one.tag) ||
          one.attributes.some(({ name }) => HEARS.test(name)),
      ) ||
      elementsIn(element).some(({ name }) => LINK.test(name) || /button$/.test(name))
      ? []
      : [{ element, label, kind }]
  })
}

/** Classes of a button that say where it stands, which the link around it needs. */
const PLACES = /^(\w+:)?(w-full|flex-1|self-\S+|m[trlxy]?-auto|block)$/

/** The link with the address, the button as a link in its own classes, or a link around the component. */
export function leadTo(
  { element, kind }: DeadAction,
  to: string,
  { page, landmarks }: PageContext,
): PageChange | null {
  const address = attribute(element, 'href') ?? attribute(element, 'to')
  const place = { start: element.start, end: element.end, unit: element }
  const classes = attribute(element, 'class')
  if (kind === 'link') {
    // A router would take an address outside of the site for a page.
    if (address === undefined || (address.name === 'to' && !/^[/#]/.test(to))) return null
    return { start: address.start, end: address.end, text: `${address.name}="${to}"`, unit: element }
  }
  if (kind === 'part') {
    if (/\b(absolute|fixed)\b/.test(classes?.value ?? '')) return null
    const own = (classes?.value ?? '').split(/\s+/).filter((one) => PLACES.test(one))
    return {
      ...place,
      text: linkTo(
        page,
        to,
        classAttribute(page, own.join(' ')),
        page.text.slice(element.start, element.end),
      ),
    }
  }
  if (classes === undefined || element.hasCode || !fitsLinks(classes.value ?? '', landmarks)) return null
  const from = page.text.indexOf('>', lastAttributeEnd(element)) + 1
  const inner = page.text.slice(from, page.text.lastIndexOf('</', element.end - 1))
  return { ...place, text: linkTo(page, to, ` ${page.text.slice(classes.start, classes.end)}`, inner) }
}

/** Classes of Tailwind, which say all of the look of a button. */
const UTILITIES =
  /(^|\s)(p[xy]?-\d|px-\[|inline-flex|text-(xs|sm|base|lg|xl|white|black)(\s|$)|(text|bg)-\w+-\d{2,3})/

/** Whether a link with the classes of a button looks like it. */
const fitsLinks = (classes: string, { linkClasses }: PageContext['landmarks']): boolean =>
  UTILITIES.test(classes) || classes.split(/\s+/).some((one) => linkClasses.has(one))

const lastAttributeEnd = (element: PageElement): number =>
  Math.max(...element.attributes.map(({ end }) => end))
