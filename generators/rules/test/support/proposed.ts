import { html } from '../../../test/support/sites.js'
import { batch, type Files } from '../../../test/support/workspace.js'

/** The names of what one rule proposes for a site. */
export const proposed = async (ruleId: string, files: Files): Promise<string[]> => {
  const { proposals } = await batch(files, { count: 20 })
  return proposals.filter((one) => one.ruleId === ruleId).map(({ name }) => name)
}
export const never = async (
  test: { same(found: unknown, wanted: unknown, why: string): unknown },
  ruleId: string,
  files: Files,
  why: string,
) => test.same(await proposed(ruleId, files), [], why)

export const page = (body: string, lang?: string): string => html('Page', body, lang)
