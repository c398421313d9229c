import { holdsSecret } from './grounding/secrets.js'
import { lexiconOf } from './lexicon/lexicons.js'
import { actionsOf } from './page/actions.js'
import { formsOf } from './page/forms.js'
import { isVisitorPage, isWorkplace } from './page/page-paths.js'
import { isOnPhones, PhoneUses } from './page/phones.js'
import { elementsIn, isInCode, wordsIn } from './page/tree.js'
import type { Candidate, Generator, ProposeContext, Request } from './port.js'
import { refineByRules } from './refine/refine-by-rules.js'
import { candidateOf } from './rules/candidate.js'
import { RULES } from './rules/index.js'
import type { PageContext } from './rules/rule.js'
import { type ReadPage, type Site, siteOf } from './rules/site.js'
import { isStub, pageNameOf } from './rules/stubs.js'
import { type Way, waysOf } from './rules/ways.js'

/** Every page of a large site has the same header: more links of the same words tell nothing new. */
const MAX_SAME_WAYS = 5

/** Proposals by rules on what parsers read, without a model and without the network. */
export const ruleGenerator = (): Generator => ({
  propose,
  refine: async (request) => refineByRules(request),
})

async function* propose(request: Request, { record, signal }: ProposeContext): AsyncGenerator<Candidate> {
  const site = await siteOf(request, record, signal)
  // A file is parsed twice rather than kept, because the pages of a large site do not fit into memory.
  const ways: Way[] = []
  const seen = new Map<string, number>()
  const stubs = new Set<string>()
  const uses = new PhoneUses()
  for await (const { page, language, isReached } of pagesOf(site, signal)) {
    if (!isReached) continue
    for (const way of waysOf(page, actionsOf(page, lexiconOf(language ?? 'en')), language)) {
      const key = [way.to, way.label, way.act, way.buttonClass].join('\n')
      const times = seen.get(key) ?? 0
      if (times < MAX_SAME_WAYS) ways.push(way)
      seen.set(key, times + 1)
    }
    uses.add(page)
    if (isStub(page)) stubs.add(pageNameOf(page.path))
  }
  for await (const found of pagesOf(site, signal)) {
    const context = contextOf(found, site, { ways, stubs }, uses)
    let isSilent = found.isReached && wordsIn(found.page.root) !== ''
    for (const rule of RULES)
      for (const idea of rule.find(context)) {
        // A text would have to be written in a language that the rules do not know.
        if (found.language === null && idea.says !== null) continue
        isSilent = false
        const candidate = candidateOf(found.page, idea, rule, request.vocabulary)
        if (candidate === null) record.add('ambiguous')
        else if (!found.isReached) record.add('never_shown')
        else if (candidate.files.some(({ edits }) => edits.some(({ find }) => holdsSecret(find))))
          record.add('secret')
        else yield candidate
      }
    if (isSilent) record.add('page_without_idea')
  }
}

/** The pages that visitors decide on, and not those of people who work with the site. */
async function* pagesOf(site: Site, signal?: AbortSignal): AsyncGenerator<ReadPage> {
  for (const path of site.paths) {
    signal?.throwIfAborted()
    const found = isVisitorPage(path) && !isWorkplace(path) ? await site.read(path) : null
    if (found === null) continue
    const title = elementsIn(found.page.root).find((one) => one.name === 'h1' && !isInCode(one))
    if (title !== undefined && isWorkplace(wordsIn(title))) continue
    yield found
    await new Promise((resolve) => setImmediate(resolve))
  }
}

function contextOf(
  { page, language: spoken }: ReadPage,
  { paths, read, ...facts }: Site,
  known: Pick<PageContext, 'ways' | 'stubs'>,
  uses: PhoneUses,
): PageContext {
  // Code and addresses are in English everywhere.
  const language = spoken ?? 'en'
  const lexicon = lexiconOf(language)
  const isShown = uses.isOnPhones(page.path)
  return {
    ...facts,
    page,
    language,
    lexicon,
    forms: formsOf(page, lexicon),
    actions: actionsOf(page, lexicon),
    ...known,
    isOnPhones: (element) => isShown && isOnPhones(element, page),
  }
}
