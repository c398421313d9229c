import { parseFragment } from 'parse5'
import { packagesOf, rendersOnServer } from '../../variants/helper/rendering.js'
import type { Edit, Problem } from '../../variants/port.js'
import { writeVariants } from '../../variants/write.js'
import type { Candidate, DropReason, KnownSite, Refusal } from '../port.js'
import { policyViolation } from './content-policy.js'
import { isDataFile, textsAfter } from './messages.js'
import { newIdsOf } from './new-attributes.js'
import { holdsSecret, isSecretPath } from './secrets.js'
import type { TypeCheck } from './type-check.js'

export interface ValidationContext {
  read(path: string): Promise<string | null>
  /** what is known to be true beside the files: the reviewer's own words */
  stated?: string
  /** what other files link to and import, if that is known */
  site?: KnownSite | undefined
  /** whether the workspace lets experiments change this file */
  mayChange(path: string): boolean
  /** whether the message names the units of the code that fit, for a model that corrects itself */
  namesUnits?: boolean
  types?: Pick<TypeCheck, 'newErrorsIn'>
}

/**
 * Null if the pull request of a candidate can be written: each `find` occurs once and is a whole unit, all
 * variants can be read back, data files still parse, and no type error comes in. Refuses secrets and whatever
 * `policyViolation` does.
 */
export async function validateCandidate(
  candidate: Pick<Candidate, 'name' | 'files' | 'variants' | 'evidence'>,
  { read, mayChange, stated = '', site, namesUnits = false, types }: ValidationContext,
): Promise<Refusal | null> {
  const refuse = (reason: DropReason, message: string): Refusal => ({ reason, message })
  if (!candidate.files.some(({ edits }) => edits.some(({ variant }) => variant !== undefined)))
    return refuse('not_grounded', 'no edit has a variant')
  const known = [stated]
  for (const { path, says } of candidate.evidence ?? []) {
    const text = (await read(path)) ?? ''
    if (!spaced(text).includes(says) && !asRead(text).includes(spaced(says)))
      return refuse('invented', `${path} does not say “${says}”`)
    known.push(says)
  }
  const refusals: Refusal[] = []
  const texts = new Map<string, string>()
  const newIds = newIdsOf(candidate.files)
  const siteTexts = await textsAfter(site?.texts ?? [], candidate.files, read)
  const experiment = { key: experimentKeyOf(candidate), variants: candidate.variants }
  for (const { path, edits } of candidate.files) {
    if (!mayChange(path) || isSecretPath(path))
      return refuse(
        'path_not_allowed',
        `${path} may not be changed in this workspace: --helper (for pages) and --allow of the connected repository say what may`,
      )
    if (edits.some(({ find, replace }) => holdsSecret(find) || holdsSecret(replace)))
      return refuse(
        'secret',
        `${path}: a text that the edit replaces or writes looks like a key or a password`,
      )
    const text = await read(path)
    if (text === null) return refuse('file_missing', `there is no file ${path}`)
    if (isDataFile(path) && edits.some(({ variant }) => variant !== undefined)) {
      refusals.push(refuse('not_grounded', `${path}: ${NO_VARIANTS}`))
      continue
    }
    const isPage = /\.html?$/i.test(path)
    const packages = await packagesAbove(path, read)
    const hasServerComponents = await mayHaveServerComponents(path, packages, read)
    const server = { rendersOnServer: rendersOnServer(packages, new Map()), hasServerComponents }
    const written = writeVariants({
      path,
      text,
      experiment,
      edits,
      isTrial: !namesUnits,
      helper: isPage
        ? { scriptSrc: '/svc-experiments.js', stateSrc: '/_svc/state.js' }
        : { importPath: './svc-experiments.js', ...server },
    })
    const violation = policyViolation(
      edits,
      { path, text, packages, newIds, texts: siteTexts },
      [text, ...known].join('\n'),
      site,
    )
    if (written.ok) texts.set(path, written.text)
    else refusals.push(refuse('not_grounded', `${path}: ${problemsOf(written.problems, edits, namesUnits)}`))
    if (violation !== null) refusals.push(refuse(violation.reason, `${path}: ${violation.message}`))
  }
  const errors = refusals.length > 0 ? null : await types?.newErrorsIn(texts)
  return errors ? refuse('not_grounded', errors) : together(refusals)
}

const NO_VARIANTS =
  'a file of texts can have no variants: add a new key to the file of each language by "plain" edits, and show it in the variants of the component'

/** One refusal with all messages. No repair is asked for if a reason allows none. */
function together(refusals: readonly Refusal[]): Refusal | null {
  const [first] = [...refusals].sort((a, b) => Number(isFinal(b)) - Number(isFinal(a)))
  return first === undefined
    ? null
    : { reason: first.reason, message: refusals.map(({ message }) => message).join('. ') }
}

const isFinal = ({ reason }: Refusal): boolean => reason === 'dark_pattern'

const MAX_PROBLEMS = 3

/** The first problem, or with units the first three, each with the edit that it is about. */
function problemsOf(problems: readonly Problem[], edits: readonly Edit[], namesUnits: boolean): string {
  if (!namesUnits) return problems[0]?.message ?? ''
  return problems
    .slice(0, MAX_PROBLEMS)
    .map(({ edit, message, units = [] }) => {
      const find = edit === null ? undefined : edits[edit]?.find
      const of = find === undefined ? '' : ` (find ${JSON.stringify(find.slice(0, 80))})`
      return `${message}${of}${units.length === 0 ? '' : `; units that fit: ${JSON.stringify(units)}`}`
    })
    .join('. ')
}

/** The folders of a file with a slash at the end, innermost first. The last one is empty. */
const foldersOf = (path: string): string[] =>
  [...path.matchAll(/\//g)]
    .map(({ index }) => path.slice(0, index + 1))
    .reverse()
    .concat('')

/** The packages of the site that a source belongs to. */
async function packagesAbove(path: string, read: ValidationContext['read']): Promise<Set<string>> {
  const packages: string[] = []
  for (const folder of foldersOf(path)) packages.push(...packagesOf(await read(`${folder}package.json`)))
  return new Set(packages)
}

const PAGES_ROUTER = ['pages/_app.tsx', 'pages/_app.jsx', 'pages/_app.js']
const APP_ROUTER = [
  'app/layout.tsx',
  'app/layout.jsx',
  'app/layout.js',
  'app/page.tsx',
  'app/[locale]/layout.tsx',
]

/** Of sites of Next all but those of the pages router alone. In doubt yes, because fewer edits fit then. */
async function mayHaveServerComponents(
  path: string,
  packages: ReadonlySet<string>,
  read: ValidationContext['read'],
): Promise<boolean> {
  if (!packages.has('next')) return false
  const has = async (names: readonly string[]): Promise<boolean> => {
    for (const folder of foldersOf(path))
      for (const name of names)
        if ((await read(folder + name)) !== null || (await read(`${folder}src/${name}`)) !== null) return true
    return false
  }
  return !(await has(PAGES_ROUTER)) || (await has(APP_ROUTER))
}

/** A key for trying out an experiment that has none yet. */
const experimentKeyOf = ({ name }: { name: string }): string => {
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? []
  return `candidate-${words.join('-')}`.slice(0, 60).replace(/-+$/, '')
}

/** Line breaks in sources mean nothing. */
const spaced = (text: string): string => text.replace(/\s+/g, ' ')

/** A source as visitors read it: without tags inside of sentences, and with entities resolved. */
const asRead = (text: string): string => {
  const bare = text.replace(/\{\s*(["'])(\s)\1\s*\}/g, '$2').replace(/<\/?[a-zA-Z][^<>]*>/g, '')
  return spaced(
    parseFragment(bare)
      .childNodes.map((node) => ('value' in node ? node.value : ''))
      .join(''),
  )
}
