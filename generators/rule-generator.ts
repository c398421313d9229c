import { holdsSecret } from './grounding/secrets.js'
import { lexiconOf } from './lexicon/lexicons.js'
import { actionsOf } from './page/actions.js'
import { type CodeSource, handlerOf } from './page/form-handler.js'
import { type Form, formsOf } from './page/forms.js'
import { isVisitorPage, isWorkplace } from './page/page-paths.js'
import { plansOf } from './page/pricing-plans.js'
import { elementsIn, given, type PageTree, wordsIn } from './page/tree.js'
import type { Candidate, Generator, ProposeContext, Request, SiteFiles } from './port.js'
import { refineByRules } from './refine/refine-by-rules.js'
import { candidateOf } from './rules/candidate.js'
import { RULES } from './rules/index.js'
import type { PageContext } from './rules/rule.js'
import { type ReadPage, type Site, siteOf } from './rules/site.js'

/** Proposals by rules on what parsers read, without a model and without the network. */
export const ruleGenerator = (): Generator => ({
  propose,
  refine: async (request) => refineByRules(request),
})

async function* propose(request: Request, { record, signal }: ProposeContext): AsyncGenerator<Candidate> {
  const site = await siteOf(request, record, signal)
  for (const path of site.paths) {
    signal?.throwIfAborted()
    const found = isVisitorPage(path) && !isWorkplace(path) ? await site.read(path) : null
    if (found === null) continue
    const title = elementsIn(found.page.root).find(({ name }) => name === 'h1')
    if (title !== undefined && isWorkplace(wordsIn(title))) continue
    const context = await contextOf(found, site, request.repository)
    let isSilent = found.isReached && wordsIn(found.page.root) !== ''
    for (const rule of RULES)
      for (const idea of rule.find(context)) {
        isSilent = false
        const candidate = candidateOf(found.page, idea, rule, request.vocabulary)
        if (candidate === null) record.add('ambiguous')
        else if (!found.isReached) record.add('never_shown')
        else if (candidate.files.some(({ edits }) => edits.some(({ find }) => holdsSecret(find))))
          record.add('secret')
        else yield candidate
      }
    if (isSilent) record.add('page_without_idea')
    await new Promise((resolve) => setImmediate(resolve))
  }
}

async function contextOf(
  { page, language }: ReadPage,
  site: Site,
  repository: SiteFiles,
): Promise<PageContext> {
  const lexicon = lexiconOf(language)
  const forms = formsOf(page, lexicon)
  const handlers = new Map<Form, NonNullable<ReturnType<typeof handlerOf>>>()
  for (const form of forms) {
    // Fields that stand in no form are received by code that cannot be told.
    if (!/form$/.test(form.element.name)) continue
    const handler = handlerOf(page, form, {
      scripts: await sourcesOf(scriptsOf(page, site), repository),
      servers: await sourcesOf(serversOf(page, form, site), repository),
    })
    if (handler !== null) handlers.set(form, handler)
  }
  return {
    page,
    language,
    lexicon,
    forms,
    handlers,
    actions: actionsOf(page, lexicon),
    plans: plansOf(page, lexicon),
    site: site.context,
  }
}

async function sourcesOf(paths: readonly string[], repository: SiteFiles): Promise<CodeSource[]> {
  const texts = await Promise.all(paths.map(async (path) => ({ path, text: await repository.read(path) })))
  return texts.flatMap(({ path, text }) => (text === null ? [] : [{ path, text }]))
}

/** The scripts of the repository that a page of HTML loads. */
function scriptsOf({ path, text, dialect }: PageTree, site: Site): string[] {
  if (dialect !== 'html') return []
  const written = [...text.matchAll(/<script\b[^>]*\bsrc=["']?([^"'\s>]+)/gi)].map(([, src = '']) => src)
  return written.flatMap((src) => (/^(https?:)?\/\//.test(src) ? [] : (site.resolve(path, src) ?? [])))
}

/** The server files that answer at a form's address. */
function serversOf({ path }: PageTree, { element }: Form, site: Site): string[] {
  const action = given(element, 'action')
  // A page of SvelteKit without an address posts to the server file beside it.
  if (/\+page\.svelte$/.test(path) && (action === null || action.startsWith('?')))
    return ['ts', 'js'].flatMap((ending) => site.resolve(path, `+page.server.${ending}`) ?? [])
  return action === null || !action.startsWith('/') ? [] : site.answering(action.replace(/[?#].*$/, ''))
}
