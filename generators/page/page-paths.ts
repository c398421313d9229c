/** Folders and endings of files that visitors never see, or that programs generate. */
const NOT_SHOWN =
  /(^|\/)(node_modules|vendor|vendors|bower_components|\.git|\.svc|coverage|_site|public\/build|tests?|__tests__|__mocks__|spec|e2e|cypress|stories|storybook|fixtures|mocks|scripts|migrations|generated|__generated__)\/|\.(test|spec|stories|story|min|bundle|config|d|gen|generated|old|bak|backup|orig|deprecated)\.[^/]*$|[ _-]copy( ?\d+)?\.[^/]*$|(^|\/)_?(old([ _-][^/]*)?|backup|bak|deprecated|archived?|test-?(files|pages?|data)|prototypes?|drafts?|mock-?ups?|wireframes?|docs\/designs?)\/|(^|\/)[^/]*[-_. ](old|backup|bak|deprecated|archived?)\/|(^|\/)(html-?)?(themes?|templates?)\/(html|demos?)\/|(^|\/)(index|home)[-_]?\d\d?(\/(index|page))?\.\w+$|^designs?\/|(^|\/)(test|demo)\d*\.html?$|[-_]test\.html?$|(^|\/)test[-_](?!drive|prep|ride|result)[^/]*\.html?$|(^|\/)svc-experiments(-component)?\.js$|(^|\/)\.(?!(?:vitepress|vuepress)\/)[\w.-]+\//i

/**
 * Whether a build writes the file. Sources in a folder of that name, as in published packages, do not count.
 */
export const isBuilt = (path: string): boolean =>
  /(^|\/)(dist|build|out)\/.*\.([cm]?js|html?|json|ya?ml)$/i.test(path)

const PAGES = /\.(html?|vue|svelte|[jt]sx|m?js)$/i

/** Whether a file may show something to visitors, by its path alone. */
export const isPagePath = (path: string): boolean =>
  PAGES.test(path) && !NOT_SHOWN.test(path) && !isBuilt(path)

const NEAR_DECISION =
  /(pricing|plans?|checkout|cart|basket|sign-?up|register|registr|onboard|subscri|newsletter|purchase|order|buy|book|trial|upgrade|preise|warenkorb|kasse|tarif|panier|commande|carrito|precios)/i
const ENTRANCE =
  /(^|[/_.-])(home|index|landing|start|hero|welcome|accueil|startseite|inicio|login|sign-?in|product|search|contact|about|faq|cta|banner|header|nav|footer)|(^|\/)app\/(\([^/]*\)\/)*page\./i
const BEHIND =
  /(^|[/_.+-])(admin|dashboard|404|not-?found|error|loading|internal|settings?|debug|dev|sandbox|demo|examples?|playground|icons?|svg|types?|utils?|hooks?|lib|helpers?|charts?|tables?|elements|widgets|theme)/i

const HOME =
  /(^|\/)(pages|views|screens|routes)\/(home|index|main|landing\w*)(\/(home|index|page))?\.\w+$|^(public\/|src\/|site\/)?(home|index)\.(html?|[jt]sx|vue|svelte)$|(^|\/)app\/(\([^/]*\)\/)*page\.\w+$/i
/** Whether a file is where visitors begin, by its path. */
export const isHome = (path: string): boolean => HOME.test(path)

/** Components and pages that visitors see when something went wrong. */
export const isForErrors = (path: string): boolean => /error|not-?found|(^|\/)404|went-?wrong/i.test(path)

/** Pages that show a design or a feature to the team, if no other page leads there. */
export const isSample = (path: string): boolean =>
  /mock-?up|preview|(^|[/_.-])demos?(?![a-z])|prototype|(^|[/_.-])samples?(?![a-z])/i.test(path)

/** How likely visitors decide something on this page, by its path: higher is more likely. */
export const rankOf = (path: string): number =>
  (NEAR_DECISION.test(path) ? 4 : 0) +
  (ENTRANCE.test(path) ? 2 : 0) +
  (/\.(vue|svelte|[jt]sx|html?)$/i.test(path) ? 1 : 0) -
  (BEHIND.test(path) ? 3 : 0)

/** Screens of native apps. */
const NATIVE = /\bfrom\s*["']react-native["']|\brequire\(\s*["']react-native["']\s*\)/

/** Whether a file can show something with variants, without parsing it. HTML has to be a whole page. */
export function mayShow(path: string, text: string): boolean {
  if (/\.html?$/i.test(path)) return /<(html|head|body)[\s>]/i.test(text)
  // Variants need a page.
  if (NATIVE.test(text)) return false
  return /\.(vue|svelte)$/i.test(path) ? text.includes('<') : /<\/[A-Za-z>]|\/>/.test(text)
}

/** Legal texts, whose words are law, and pages for those who run the site. */
const NOT_FOR_VISITORS =
  /(^|[/_.-])(agb|terms(-?(of-?(use|service)|and-conditions))?|tos|impressum|imprint|privacy(-?policy)?|datenschutz\w*|widerruf\w*|legal(-?notice)?|cgu|cgv|mentions-legales|confidentialite|aviso-legal|privacidad|accessibility(-?statement)?|barrierefreiheit|admin|administration|verwaltung|intern|backoffice|back-office|staff|studio|cms)(?=[/_.-]|$)/i

/** Whether a page is made for visitors who decide something there. */
export const isVisitorPage = (path: string): boolean => !NOT_SHOWN.test(path) && !NOT_FOR_VISITORS.test(path)

/** Pages of people who work with the site or keep their own data there, by the words of the path. */
const WORKPLACE =
  /\b(admin\w*|dashboards?|settings|profiles?|pos|inventory|analytics|employees?|staff|sellers?|vendors?|providers?|merchants?|panel|parked|unused|archived?|docs|elements|update|edit|reset|forgot\w*|recover\w*|verify|success|confirmation|thank\w*|preview|calculators?|tools?)\b/i

export const isWorkplace = (path: string): boolean =>
  WORKPLACE.test(path.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/[^\p{L}\d]+/gu, ' '))

/** A path that is written in a file, from the repository's root. */
export function joined(importer: string, relative: string): string {
  const parts = relative.startsWith('/') ? [] : importer.split('/').slice(0, -1)
  for (const part of relative.replace(/[?#].*$/, '').split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '.' && part !== '') parts.push(part)
  }
  return parts.join('/')
}

/** Whether a file may be content that pages show, in a folder of its own. */
export const isData = (path: string): boolean =>
  /^[^.].*\/(?!readme)[^/]+\.(mdx?|json|ya?ml|toml)$/i.test(path)

/** Whether a file lists the pages of the site for search engines. */
export const isSitemap = (path: string): boolean => /sitemap[^/]*\.(xml|[cm]?[jt]sx?)$/i.test(path)
