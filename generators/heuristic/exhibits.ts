import { elementsIn, type Page, wordsIn } from './markup/tree.js'
import { isHeading } from './surface.js'

/** What kits call what they show, one after the other: "Pricing Table - 1", "Pricing Table - 2". */
const NUMBERED = /^(.{3,40}?)[\s\-–—#:.]*(\d{1,2})$/
const KIND =
  /\b(pricing|tables?|cards?|forms?|banners?|hero|headers?|footers?|testimonials?|blog|login|register|sign ?(in|up)|buttons?|sliders?|carousels?|widgets?|features?|faq|galler(y|ies)|contacts?|sections?|layouts?|styles?|variants?|variations?|samples?|demos?|charts?|modals?|tabs?|accordions?|timelines?|profiles?|invoices?|navbars?|ribbons?|heading)\b/i
const MIN_NUMBERED = 3
/** Headings of forms that show how forms may look. */
const SAMPLE_FORM =
  /\b(login|registration|register|sign ?(in|up)|contact|basic|horizontal|vertical|inline|stack(ed)?|rounded|default|simple|floating|validation|material|multi[- ]column)[ -]?(forms?|layouts?)\b|\bforms? ?(layouts?|grids?|controls?|elements?|validation|wizards?|rounded|rows?|with icons?)\b|^(auto-?)?sizing$|^(input|button) (sizes?|groups?)$/i
const MIN_FORMS = 3
const MIN_SAMPLE_FORMS = 2
/** Components as kits name them. */
const COMPONENT =
  /^(buttons?|inputs?( (areas?|groups?))?|check ?boxes|radio(s| buttons)?|(toggle(s)?|switches)( buttons)?|progress( bars?)?|pagination|sliders?|badges?|drop ?downs?|nav(bar|igation)?s?|nav(igation)? (tabs|pills|bars?)|tabs|pills|notifications?|alerts?|toasts?|typography|images|modals?|pop ?overs?|tool ?tips?( (&|and) popovers?)?|carousels?|date ?(time)? ?pickers?|(general )?cards|tables|accordions?|breadcrumbs?|spinners?|avatars?|forms|(page )?headers|footers|list groups?|jumbotrons?|(page|content) sections|logo areas|attention catchers|call to actions|(basic|coded|javascript) (elements|components))$/i
const MIN_COMPONENTS = 6

/** Whether a page shows how parts of a kit may look: several of a kind with their numbers, forms beside each other that are samples, or what components there are. */
export function showsSamples(page: Page): boolean {
  const all = elementsIn(page.root)
  const headings = all.filter(isHeading).map((one) => wordsIn(one).trim())
  const forms = all.filter(({ name }) => name === 'form').length
  const samples = headings.filter((one) => SAMPLE_FORM.test(one)).length
  const components = new Set(headings.filter((one) => COMPONENT.test(one)).map((one) => one.toLowerCase()))
  return (
    hasNumbered(headings) ||
    (forms >= MIN_FORMS && samples >= MIN_SAMPLE_FORMS) ||
    components.size >= MIN_COMPONENTS
  )
}

function hasNumbered(headings: readonly string[]): boolean {
  const numbers = new Map<string, Set<string>>()
  for (const heading of headings) {
    const [, stem = '', number = ''] = NUMBERED.exec(heading) ?? []
    if (KIND.test(stem)) numbers.set(stem, (numbers.get(stem) ?? new Set()).add(number))
  }
  return [...numbers.values()].some(({ size }) => size >= MIN_NUMBERED)
}

/** Files by whose names kits show single components. */
const NAMED_FOR_SAMPLES =
  /(^|\/)(elements?[-_]|components?[-_]|form[-_]?layouts?|ui[-_]|widgets?(?=[-_.]))[\w-]*\.html?$/i

/** Whether a file is called as kits call what shows a component. */
export const isNamedForSamples = (path: string): boolean => NAMED_FOR_SAMPLES.test(path)

const IS_KIT = String.raw`templates?\b(?! (literal|string|engine))|ui[\s-]?kit|(html|css3?|web|bootstrap|tailwind|material|design|starter|admin) ?kit|starter|boilerplate|scaffold|design system|dashboard|theme\b`
const SAYS_KIT = new RegExp(`(?<![\\p{L}/.])(?:${IS_KIT}|demo (?:site|page|shop|app)\\b)`, 'iu')
const TITLED_KIT =
  /\b(template|ui[\s-]?kit|starter ?kit|boilerplate|(bootstrap|tailwind|html5?|react|vue|svelte|angular|admin|landing page|website) theme|admin dashboard|dashboard kit|design system)\b/i
/** What a site was begun with, as tools write it down for everybody, or as its makers say it. */
const BEGUN_WITH =
  /this template (?:provides|should help)[^\n]*|(?:based|built|made|created|generated|bootstrapped|forked|adapted|customi[sz]ed) (?:up)?(?:on|with|from|using|by)\b[^\n]*|gatsby[\s\S]{0,20}starter[^\n]*|astro starter[^\n]*/gi
const FIRST_LINES = 12

/** Whether the title of a page says that it is there to be taken. */
export const isTitledKit = (title: string): boolean => TITLED_KIT.test(title)

/** Whether a repository says of itself that others make their site of it: by what it is called and described as. */
export function saysKit(packageJson: string | null, readme: string | null): boolean {
  const own = ['name', 'description', 'keywords'].flatMap(
    (one) =>
      new RegExp(`"${one}"\\s*:\\s*("(?:[^"\\\\]|\\\\.)*"|\\[[^\\]]*\\])`).exec(packageJson ?? '')?.[1] ?? [],
  )
  const lines = (readme ?? '').split('\n').filter((line) => line.trim() !== '' && !/^\s*(!?\[|<)/.test(line))
  // Addresses say where something lies.
  const said = `${own.join('\n').replace(/[-_]/g, ' ')}\n${lines.slice(0, FIRST_LINES).join('\n')}`
    .replace(/\bhttps?:\/\/\S+/g, '')
    .replace(BEGUN_WITH, '')
  return SAYS_KIT.test(said)
}
