import { writeVariants } from '../../../variants/write.js'
import { type Batch, batchOf } from '../../batch.js'
import { heuristic } from '../../heuristic/heuristic.js'
import { experimentKeyOf } from '../../key.js'
import { type Candidate, Drops, type Repository, type Request } from '../../port.js'

/** A repository of texts by path. */
export const repositoryOf = (files: Readonly<Record<string, string>>): Repository => ({
  read: async (path) => files[path] ?? null,
  async *files() {
    for (const [path, text] of Object.entries(files)) yield { path, blobId: `${text.length}`, text }
  },
})

/** A workspace that knows nothing yet. */
export const requestOf = (
  files: Readonly<Record<string, string>>,
  known: Partial<Request> = {},
): Request => ({
  repository: repositoryOf(files),
  vocabulary: [],
  notes: [],
  dismissals: [],
  lessons: [],
  inFlight: [],
  focus: null,
  count: 20,
  locale: null,
  ...known,
})

/** A batch as the service makes it, filled up with what is small where it is thin. */
export const filledBatch = (
  files: Readonly<Record<string, string>>,
  known: Partial<Request> = {},
  mayChange: (path: string) => boolean = () => true,
): Promise<Batch> => batchOf(heuristic(), requestOf(files, known), { mayChange })

/** What is proposed by itself, without what only fills up a batch. */
export async function batch(
  files: Readonly<Record<string, string>>,
  known: Partial<Request> = {},
  mayChange: (path: string) => boolean = () => true,
): Promise<Batch> {
  const filled = await filledBatch(files, known, mayChange)
  const isAlone = ({ size }: Candidate): boolean => size === undefined || (known.focus ?? null) !== null
  return { ...filled, proposals: filled.proposals.filter(isAlone) }
}

/** A batch in which nothing is too small: a focus of filler words is none. */
export const wholeBatch = (
  files: Readonly<Record<string, string>>,
  known: Partial<Request> = {},
): Promise<Batch> => batch(files, { focus: 'page', ...known })

/** What is found before anything is grounded or held against what the workspace knows, however small it is. */
export async function found(
  files: Readonly<Record<string, string>>,
  known: Partial<Request> = {},
): Promise<Batch> {
  const drops = new Drops()
  const proposals: Candidate[] = []
  for await (const one of heuristic().propose(requestOf(files, { focus: 'page', ...known }), drops))
    proposals.push(one)
  return { generated: proposals.length, proposals, dropped: drops.list() }
}

export const patternsOf = ({ proposals }: Batch): string[] => proposals.map(({ pattern }) => pattern).sort()

/** What each variant of the first proposal with this pattern says in place of what, one `find → replace` an edit. */
export const saysOf = ({ proposals }: Batch, pattern: string): string[] =>
  proposals
    .filter((one) => one.pattern === pattern)
    .flatMap(({ files }) =>
      files.flatMap(({ edits }) => edits.map(({ find, replace }) => `${find} → ${replace}`)),
    )

/** The files that each proposal with this pattern changes, as its branch has them, one text a proposal. */
export const branchesOf = (
  { proposals }: Batch,
  files: Readonly<Record<string, string>>,
  pattern: string,
): string[] =>
  proposals
    .filter((one) => one.pattern === pattern)
    .map((one) => {
      const experiment = { key: experimentKeyOf(one), variants: one.variants }
      return one.files
        .filter(({ edits }) => edits.some(({ variant }) => variant !== undefined))
        .map(({ path, edits }) => {
          const helper = /\.html?$/i.test(path)
            ? { scriptSrc: '/svc-experiments.js' }
            : { importPath: './svc-experiments.js' }
          const written = writeVariants({ path, text: files[path] ?? '', experiment, edits, helper })
          return written.ok ? written.text : JSON.stringify(written.problems)
        })
        .join('\n')
    })

export const page = (body: string, lang = 'en'): string =>
  `<!doctype html>\n<html lang="${lang}">\n<head><title>Site</title></head>\n<body>\n${body}\n</body>\n</html>\n`
