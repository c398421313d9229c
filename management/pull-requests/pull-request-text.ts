import { HELPER_FILE, isServerRendered, statePathIn } from '../../variants/helper/source.js'
import type { Conflict } from '../../variants/port.js'
import { isModule } from '../code-changes/index.js'
import type { ExperimentRow } from '../experiments/index.js'

/** Texts of a pull request. */
export interface PullRequestText {
  readonly title: string
  /** Markdown. */
  readonly body: string
  /** Commit message. */
  readonly message: string
}

type Named = Pick<ExperimentRow, 'key' | 'name'>

export interface ExperimentTextSource {
  readonly experiment: Named &
    Pick<ExperimentRow, 'mechanism' | 'hypothesis' | 'variants' | 'conversionTargets'>
  /** Name of the person who asked for it. */
  readonly person: string | undefined
  /** Notes of the team on the same files and surfaces. */
  readonly notes: readonly string[]
  /** `after` is null if the file is deleted. */
  readonly files: readonly {
    readonly path: string
    readonly summary: string
    readonly after: string | null
  }[]
}

/** For the pull request that adds an experiment. */
export function experimentText({ experiment, person, notes, files }: ExperimentTextSource): PullRequestText {
  const title = `Experiment: ${oneLine(experiment.name)}`
  const body = [
    escaped(oneLine(experiment.hypothesis)),
    experiment.mechanism === '' ? '' : `Mechanism: ${escaped(oneLine(experiment.mechanism))}`,
    requested(person),
    list(
      'Variants',
      experiment.variants.map(({ key, displayName, trafficSplit }, index) => {
        return `\`${key}\`: ${escaped(oneLine(displayName))}, ${trafficSplit}%${index === 0 ? ' (control)' : ''}`
      }),
    ),
    list(
      'Files',
      files.map(({ path, summary }) => `${code(path)}: ${summary}`),
    ),
    shownNotes(notes),
    siteSetup(files),
    measuredBy(experiment.conversionTargets.map(({ eventName }) => eventName)),
    'Merge it to make the experiment ready to start. Close it, or delete its branch, to reject the experiment.',
  ]
  return { title, body: paragraphs(body), message: message(title, body, experiment, person, notes) }
}

/** The events that the site's server has to send, of which the first decides. */
function measuredBy(names: readonly string[]): string {
  const [first, ...others] = [...new Set(names)].map(code)
  if (first === undefined) return ''
  const also = others.length === 0 ? '' : `, and by ${others.join(', ')}`
  return `Measured by ${first}${also}. Your server sends ${others.length === 0 ? 'it' : 'them'} with the visitor's \`svc_id\` as \`anonymousId\`. svc has to have received ${first} once before the experiment can start.`
}

/** Steps for the team, once for all experiments, if the helper is new or updated. */
function siteSetup(files: ExperimentTextSource['files']): string {
  const helper = files.find(({ after }) => after !== null && statePathIn(after) !== undefined)
  const state = helper?.after && statePathIn(helper.after)
  if (helper === undefined || !state) return ''
  const folder = state.slice(0, state.lastIndexOf('/'))
  const tag = `<script src="${state}"></script>`
  const isTagged = files.some(({ path, after }) => /\.html?$/i.test(path) && after?.includes(state))
  const lines = [
    `Mount the relay on ${code(folder || '/')} in the site's server, with a server key. Its README has the lines for each server. Without it every visitor sees the control, and no one is counted.`,
    `Do not cache ${code(`${folder}/`)} in a CDN, a proxy or a service worker. If it runs on another machine than the pages, set a time limit of 1 s there, with an empty answer on failure: pages wait for it.`,
  ]
  if (isServerRendered(helper.after ?? '')) lines.push(...serverRendering(helper.path))
  else {
    if (!isTagged)
      lines.push(`Add ${code(tag)} to the page's HTML, first in its \`<head>\`: no place for it was found.`)
    lines.push('If the content policy uses nonces, add the nonce to the script tags.')
    if (isTagged && isModule(helper.after ?? ''))
      lines.push(
        "`vite dev` and similar servers answer the path with a page: the console then shows one `Unexpected token '<'`, and the page shows the control.",
      )
  }
  return list('Before you merge, once for all experiments', lines)
}

/** For sites with server rendering, where browser and server must agree on the visitor. */
function serverRendering(helper: string): string[] {
  return [
    `The site renders its pages on a server, so the server has to know the visitor and the state. On the server: \`import { stateFrom, visitorFrom } from '…/${HELPER_FILE}'\` (${code(helper)}), and then, with the id in the cookie \`svc_id\` and one \`relay.state()\` for each request, \`visitorFrom(() => id)\` and \`stateFrom(() => state)\`.`,
    'In the page that it renders, the same two: `<html data-svc-id={id} data-svc-state={JSON.stringify(state)}>`, without `data-svc-id` if there is no cookie yet. Such pages load no script for the state. Scripts have to read the cookie: set it without HttpOnly (in SvelteKit `httpOnly: false`).',
    "With the app router of Next.js, a client component makes both calls, because layouts load the helper apart from it: the relay's README has its lines.",
  ]
}

export interface CleanupTextSource {
  readonly experiment: Named
  /** Key of the variant to keep. Null if all are removed. */
  readonly shipped: string | null
  readonly person: string | undefined
  readonly notes: readonly string[]
  readonly conflicts: readonly (Conflict & { readonly path: string })[]
}

/** For the pull request that removes an experiment. */
export function cleanupText({
  experiment,
  shipped,
  person,
  notes,
  conflicts,
}: CleanupTextSource): PullRequestText {
  const what = shipped === null ? 'Remove the experiment' : `Ship ${shipped} of the experiment`
  const title = `${what}: ${oneLine(experiment.name)}`
  const body = [
    shipped === null
      ? 'The experiment was rejected. This restores the code from before it.'
      : `The variant \`${shipped}\` stays as ordinary code. The other variants and the experiment are removed.`,
    requested(person),
    byHand(conflicts),
    shownNotes(notes),
  ]
  return { title, body: paragraphs(body), message: message(title, body, experiment, person, notes) }
}

export interface RepairTextSource extends Pick<CleanupTextSource, 'experiment' | 'person' | 'conflicts'> {
  readonly files: readonly { readonly path: string; readonly summary: string }[]
}

/** For the pull request that puts back what a cleanup took away from other experiments. */
export function repairText({ experiment, person, files, conflicts }: RepairTextSource): PullRequestText {
  const title = `Put back what experiments need: ${oneLine(experiment.name)}`
  const body = [
    'The cleanup of this experiment was merged after another experiment had come to use the same helper. Without this, that one fails or shows the control to all visitors.',
    requested(person),
    list(
      'Files',
      files.map(({ path, summary }) => `${code(path)}: ${summary}`),
    ),
    byHand(conflicts),
  ]
  return { title, body: paragraphs(body), message: message(title, body, experiment, person, []) }
}

function byHand(conflicts: CleanupTextSource['conflicts']): string {
  return list(
    'Please do by hand',
    conflicts.map(
      ({ path, region, message }) =>
        `${code(path)}, at ${code(oneLine(region).slice(0, 200))}: ${escaped(message)}`,
    ),
  )
}

const MAX_SUBJECT = 200

function shownNotes(notes: readonly string[]): string {
  return list(
    'Notes from the team on these files',
    notes.map((note) => escaped(oneLine(note))),
  )
}

/** The commit has the whole text, because a local repository has no other place for it. */
function message(
  title: string,
  body: readonly string[],
  { key }: Named,
  person: string | undefined,
  notes: readonly string[],
): string {
  const lines = notes.map((note) => `- ${oneLine(note)}`)
  const trailers = [
    `Svc-Experiment: ${key}`,
    ...(person === undefined ? [] : [`Requested-By: ${oneLine(person)}`]),
  ]
  return paragraphs([
    [...title].slice(0, MAX_SUBJECT).join(''),
    ...body.filter((part) => part !== shownNotes(notes)),
    lines.length === 0 ? '' : ['Notes from the team on these files:', ...lines].join('\n'),
    trailers.join('\n'),
  ])
}

function requested(person: string | undefined): string {
  return person === undefined ? '' : `Requested by ${escaped(oneLine(person))}.`
}

function list(heading: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : [`**${heading}**`, '', ...lines.map((line) => `- ${line}`)].join('\n')
}

function paragraphs(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n')
}

function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
}

/** Escapes text of people for Markdown: no markup, no images, no mentions. */
function escaped(text: string): string {
  return text.replace(/[\\`*_[\]<>#|!]/g, '\\$&').replace(/@(?=\w)/g, '@\u200b')
}

function code(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  const pad = longest > 0 ? ' ' : ''
  return `${fence}${pad}${oneLine(text)}${pad}${fence}`
}
