import { MODULE_FORM } from './module-form.js'
import { SCRIPT_FORM } from './script-form.js'
import { STATE } from './state.js'
import { VISITOR } from './visitor.js'

export { HELPER_FILE, HELPER_TYPES_FILE } from '../helper-name.js'

/**
 * `module`: imported by sources. `script`: loaded by static pages, in `<head>`, without `defer` or `async`.
 */
export type HelperForm = 'module' | 'script'

export interface HelperSettings {
  /** The path on which the site's own server receives exposures: `/_svc/exposures`. */
  readonly exposures: string
  /**
   * Whether the site renders its pages on a server too. A page then shows variants only if it names its
   * visitor and state, because hydration has to start with the server's markup.
   *
   * @default false
   */
  readonly serverRendered?: boolean
}

const RENDERED = 'const SERVER_RENDERED = true\n'

/** Whether a helper belongs to a site that renders its pages on a server too. */
export const isServerRendered = (helper: string): boolean => helper.includes(RENDERED)

/** Whether a helper reads the serving state. Older ones show an experiment as long as its code is there. */
export const readsState = (helper: string): boolean => helper.includes('svcState')

/** The path of the serving state's script, in the folder of the exposures path. */
export const statePath = (exposures: string): string => exposures.replace(/[^/]*$/, 'state.js')

/** The path of the serving state in a helper; undefined in older ones. */
export function statePathIn(helper: string): string | undefined {
  const literal = /^ *const STATE = '(.*)'$/m.exec(helper)?.[1]
  return literal?.replace(/\\(u[0-9a-f]{4}|.)/g, (_, escaped: string) =>
    escaped.length === 5 ? String.fromCharCode(Number.parseInt(escaped.slice(1), 16)) : escaped,
  )
}

/** The helper for a site's repository: the same for every experiment. */
export function helperSource(
  form: HelperForm,
  { exposures, serverRendered = false }: HelperSettings,
): string {
  const paths = `const EXPOSURES = ${quoted(exposures)}\nconst STATE = ${quoted(statePath(exposures))}\n`
  if (form === 'module') {
    const rendered = serverRendered ? RENDERED : 'const SERVER_RENDERED = false\n'
    return `${heading(form)}${paths}${rendered}${VISITOR}\n${STATE}\n${MODULE_FORM}`
  }
  const body = indented(`${paths}${VISITOR}\n${STATE}\n${SCRIPT_FORM}`)
  return `${heading(form)};(function () {\n  'use strict'\n${body}})()\n`
}

/** The declaration file of the module form. */
export function helperTypes(): string {
  return `/** For sites that render pages on a server too: reads the visitor of each page. Call it once. */
export function visitorFrom(read: () => string | null | undefined): void

/** For sites that render pages on a server too: reads the relay's state for each page. Call it once. */
export function stateFrom(
  read: () => { readonly experiments: Readonly<Record<string, unknown>> } | null | undefined,
): void

/**
 * The key of the variant to show, always the same for a visitor. The control if anything is missing. Never
 * throws.
 *
 * @param key of the experiment
 * @param splits whole percents by variant, the control first. Use pairs if a key is a number, because objects
 *   move such keys to the front
 * @param visitor the page's visitor, if you pass it on the server and in the browser
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
      ? '// Used by the experiments of this site: variant() gives the variant of a visitor, and reports it once.'
      : '// Used by the experiments of this site: shows the variant of a visitor, and reports it once.\n// Load it in <head>, after state.js and before everything else, without defer or async.'
  return `${use}\n// The same file for every experiment. The cleanup of the last one deletes it.\n`
}

/** A string literal that is safe in any script. */
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
