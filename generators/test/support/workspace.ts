import { type Batch, batchOf } from '../../batch.js'
import { isSurveyPath } from '../../llm/survey.js'
import type { RepositoryFile, Request, SiteFiles } from '../../port.js'
import { ruleGenerator } from '../../rule-generator.js'
import { isRulesPath } from '../../rules/site.js'

export type Files = Readonly<Record<string, string>>

/** A repository of texts by path. As in the service, its functions are methods. */
class Repository implements SiteFiles {
  constructor(private readonly texts: Files) {}

  async read(path: string): Promise<string | null> {
    return this.texts[path] ?? null
  }

  async *files(): AsyncIterable<RepositoryFile> {
    for (const [path, text] of Object.entries(this.texts))
      if (isRulesPath(path) || isSurveyPath(path)) yield { path, blobId: `${text.length}`, text }
  }
}

export const repositoryOf = (files: Files): SiteFiles => new Repository(files)

/** A workspace that knows nothing yet. */
export const requestOf = (files: Files, known: Partial<Request> = {}): Request => ({
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

/** A batch as the service makes it. */
export const batch = (
  files: Files,
  known: Partial<Request> = {},
  mayChange: (path: string) => boolean = () => true,
): Promise<Batch> => batchOf(ruleGenerator(), requestOf(files, known), { mayChange })

export const ruleIdsOf = ({ proposals }: Batch): string[] => proposals.map(({ ruleId }) => ruleId).sort()
