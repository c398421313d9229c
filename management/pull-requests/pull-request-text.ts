import { HELPER_FILE, isServerRendered } from '../../variants/helper/source.js'
import type { Conflict } from '../../variants/port.js'
import type { ExperimentRow } from '../experiments/index.js'

/** What the pull request of an experiment says. */
export interface PullRequestText {
  readonly title: string
  /** Markdown. */
  readonly body: string
  /** Of the commit. */
  readonly message: string
}

type Named = Pick<ExperimentRow, 'key' | 'name'>

export interface ExperimentTextSource {
  readonly experiment: Named & Pick<ExperimentRow, 'mechanism' | 'hypothesis' | 'variants'>
  /** Undefined where nobody is known. */
  readonly person: string | undefined
  /** Of the team, on the same files and surfaces. */
  readonly notes: readonly string[]
  /** `after`: the text that is written, null where the file goes. */
  readonly files: readonly {
    readonly path: string
    readonly summary: string
    readonly after: string | null
  }[]
}

/** For the pull request that brings an experiment in. */
export function experimentText({ experiment, person, notes, files }: ExperimentTextSource): PullRequestText {
  const title = `Experiment: ${oneLine(experiment.name)}`
  const body = [
    quiet(oneLine(experiment.hypothesis)),
    quiet(oneLine(experiment.mechanism)),
    requested(person),
    list(
      'Variants',
      experiment.variants.map(({ key, displayName, trafficSplit }, index) => {
        return `\`${key}\`: ${quiet(oneLine(displayName))}, ${trafficSplit} %${index === 0 ? ' (control)' : ''}`
      }),
    ),
    list(
      'Files',
      files.map(({ path, summary }) => `${code(path)}: ${summary}`),
    ),
    list(
      'Notes of the team on these files',
      notes.map((note) => quiet(oneLine(note))),
    ),
    serverRendering(files),
    'Merging it makes the experiment ready to start; closing it, or deleting its branch, rejects it.',
  ]
  return { title, body: paragraphs(body), message: message(title, experiment, person, notes) }
}

/** What the site's people have to do once, where their server renders the pages and the helper is new. */
function serverRendering(files: ExperimentTextSource['files']): string {
  const helper = files.find(({ after }) => after !== null && isServerRendered(after))
  if (helper === undefined) return ''
  return [
    '**Before it is merged: tell the server who the visitor is**',
    '',
    'The site renders its pages on a server too. Until the server knows for whom, and the page says so, everybody sees the control, and nobody is counted. Two lines do it, once for all experiments:',
    '',
    `- on the server, with what your framework has for cookies: \`import { visitorFrom } from '…/${HELPER_FILE}'\` (${code(helper.path)}) and \`visitorFrom(() => cookie('svc_id'))\`, which is asked whenever a page is rendered`,
    "- in the page that it renders, the same id: `<html data-svc-id={cookie('svc_id')}>`, left out where there is no cookie yet",
  ].join('\n')
}

export interface CleanupTextSource {
  readonly experiment: Named
  /** The variant that stays; null: none does. */
  readonly shipped: string | null
  readonly person: string | undefined
  readonly notes: readonly string[]
  readonly conflicts: readonly (Conflict & { readonly path: string })[]
}

/** For the pull request that takes an experiment out. */
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
      ? 'The experiment was rejected: what stood before it comes back.'
      : `The variant \`${shipped}\` stays, as if written by hand; the other variants and the experiment go.`,
    requested(person),
    list(
      'To be done by hand',
      conflicts.map(
        ({ path, region, message }) =>
          `${code(path)}, at ${code(oneLine(region).slice(0, 200))}: ${quiet(message)}`,
      ),
    ),
    list(
      'Notes of the team on these files',
      notes.map((note) => quiet(oneLine(note))),
    ),
  ]
  return { title, body: paragraphs(body), message: message(title, experiment, person, notes) }
}

const LONGEST_SUBJECT = 200

function message(
  title: string,
  { key }: Named,
  person: string | undefined,
  notes: readonly string[],
): string {
  const said = notes.map((note) => `- ${oneLine(note)}`)
  const trailers = [
    `Svc-Experiment: ${key}`,
    ...(person === undefined ? [] : [`Requested-By: ${oneLine(person)}`]),
  ]
  return paragraphs([
    [...title].slice(0, LONGEST_SUBJECT).join(''),
    said.length === 0 ? '' : ['Notes of the team on these files:', ...said].join('\n'),
    trailers.join('\n'),
  ])
}

function requested(person: string | undefined): string {
  return person === undefined ? '' : `Requested by ${quiet(oneLine(person))}.`
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

/** Text of people's as Markdown that shows it: no markup, no images, and nobody is called by it. */
function quiet(text: string): string {
  return text.replace(/[\\`*_[\]<>#|!]/g, '\\$&').replace(/@(?=\w)/g, '@\u200b')
}

function code(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  const pad = longest > 0 ? ' ' : ''
  return `${fence}${pad}${oneLine(text)}${pad}${fence}`
}
