import { HELPER_FILE, isServerRendered } from '../../variants/helper/source.js'
import type { Conflict } from '../../variants/port.js'
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
  readonly experiment: Named & Pick<ExperimentRow, 'mechanism' | 'hypothesis' | 'variants'>
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
    escaped(oneLine(experiment.mechanism)),
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
    list(
      'Notes from the team on these files',
      notes.map((note) => escaped(oneLine(note))),
    ),
    serverRendering(files),
    'Merge it to make the experiment ready to start. Close it, or delete its branch, to reject the experiment.',
  ]
  return { title, body: paragraphs(body), message: message(title, experiment, person, notes) }
}

/** What the team has to do once, if a server renders the pages and the helper is new. */
function serverRendering(files: ExperimentTextSource['files']): string {
  const helper = files.find(({ after }) => after !== null && isServerRendered(after))
  if (helper === undefined) return ''
  return [
    '**Before you merge: tell the server who the visitor is**',
    '',
    'The site renders its pages on a server too. Until the server knows the visitor and the page carries the same id, every visitor sees the control and no one is counted. Add two lines once, for all experiments:',
    '',
    `- on the server, with the cookie function of your framework: \`import { visitorFrom } from '…/${HELPER_FILE}'\` (${code(helper.path)}) and \`visitorFrom(() => cookie('svc_id'))\`, which runs for every page`,
    "- in the page, the same id: `<html data-svc-id={cookie('svc_id')}>`, left out while there is no cookie",
  ].join('\n')
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
    list(
      'Please do by hand',
      conflicts.map(
        ({ path, region, message }) =>
          `${code(path)}, at ${code(oneLine(region).slice(0, 200))}: ${escaped(message)}`,
      ),
    ),
    list(
      'Notes from the team on these files',
      notes.map((note) => escaped(oneLine(note))),
    ),
  ]
  return { title, body: paragraphs(body), message: message(title, experiment, person, notes) }
}

const MAX_SUBJECT = 200

function message(
  title: string,
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
