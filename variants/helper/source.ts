import { MODULE_FORM } from './module-form.js'
import { SCRIPT_FORM } from './script-form.js'
import { SHARED } from './visitor.js'

export { HELPER_FILE, HELPER_TYPES_FILE } from '../helper-name.js'

/** `module`: imported by sources. `script`: loaded by static pages, in `<head>`, without `defer` or `async`. */
export type HelperForm = 'module' | 'script'

export interface HelperSettings {
  /** Where the site's own server takes exposures: a path, `/_svc/exposures`. */
  readonly exposures: string
  /**
   * Whether the site renders its pages on a server too. Then a page shows variants only where it says whom it was rendered for, because a browser
   * has to begin with what the server rendered.
   */
  readonly serverRendered?: boolean
}

const RENDERED = 'const SERVER_RENDERED = true\n'

/** Whether a helper's text is of a site that renders its pages on a server too. */
export const isServerRendered = (helper: string): boolean => helper.includes(RENDERED)

/** The text of the helper that is written into a site's repository: the same for every experiment. */
export function helperSource(
  form: HelperForm,
  { exposures, serverRendered = false }: HelperSettings,
): string {
  const path = `const EXPOSURES = ${quoted(exposures)}\n`
  if (form === 'module') {
    const rendered = serverRendered ? RENDERED : 'const SERVER_RENDERED = false\n'
    return `${heading(form)}${path}${rendered}${SHARED}\n${MODULE_FORM}`
  }
  const body = indented(`${path}${SHARED}\n${SCRIPT_FORM}`)
  return `${heading(form)};(function () {\n  'use strict'\n${body}})()\n`
}

/** The declaration of the module form. */
export function helperTypes(): string {
  return `/**
 * For a site that renders pages on a server too: call it once on the server, with what gives the id of the visitor whose page is being rendered.
 */
export function visitorFrom(read: () => string | null | undefined): void

/**
 * The key of the variant to show: always the same for the same visitor. The control where anything is missing; never throws.
 *
 * @param key of the experiment
 * @param splits whole percents by variant, the control first; as pairs where a key is a number, because objects move such keys to the front
 * @param visitor whom the page is rendered for, where server and browser are both told
 */
export function variant<Arm extends string>(
  key: string,
  splits: Readonly<Record<Arm, number>> | ReadonlyArray<readonly [Arm, number]>,
  visitor?: string | null,
): Arm
`
}

function heading(form: HelperForm): string {
  const use =
    form === 'module'
      ? '// Used by the experiments of this site: variant() says which variant a visitor gets, and reports once that it was shown.'
      : '// Used by the experiments of this site: shows the variant that a visitor gets, and reports once that it was shown. Load it in <head>, without defer.'
  return `${use}\n// The same file for every experiment; it goes when the last one is cleaned up.\n`
}

/** A string literal that is safe wherever a script may stand. */
function quoted(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll("'", "\\'").replaceAll('\\"', '"')
  const safe = inner.replace(
    /[<\u2028\u2029]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return `'${safe}'`
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '  ')
}
