import { UnsupportedEditError } from '../dialect.js'
import { attributeOf, type Document, descend, type Element, isElement, parseHtml } from './tree.js'

/** The directives that decide about a kind of request, first the most special one. */
const SENDING = ['connect-src', 'default-src']
const LOADING = ['script-src-elem', 'script-src', 'default-src']

/**
 * The part of a page's own Content-Security-Policy that keeps the helper from working. Such a page would show
 * the control to everybody, or variants without counting anybody. Policies in headers are not seen here.
 * @param tags offset of the script tags: only a policy before them decides about them
 */
export function policyProblem(page: Document, tags: number): string | undefined {
  for (const node of descend(page)) {
    if (!isElement(node) || !isPolicy(node)) continue
    const policy = directivesOf(attributeOf(node, 'content') ?? '')
    const sending = blocking(policy, SENDING)
    const isBefore = (node.sourceCodeLocation?.startOffset ?? 0) < tags
    const loading = isBefore ? blocking(policy, LOADING) : undefined
    const found = sending ?? loading
    if (found !== undefined)
      return `the Content-Security-Policy in a <meta> of the page does not let it ${sending === undefined ? 'load the helper' : 'send exposures'}: ${found} needs 'self'`
  }
  return undefined
}

/** The same for the template of a bundle, which may be no page. Its tags go before every policy. */
export function policyProblemIn(text: string): string | undefined {
  try {
    return policyProblem(parseHtml(text, true), 0)
  } catch (error) {
    if (error instanceof UnsupportedEditError) return undefined
    throw error
  }
}

const isPolicy = (node: Element): boolean =>
  node.tagName === 'meta' && attributeOf(node, 'http-equiv')?.toLowerCase() === 'content-security-policy'

function directivesOf(content: string): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const part of content.split(';')) {
    const [name = '', ...sources] = part.trim().split(/\s+/)
    // Browsers ignore a directive that is there already.
    if (!found.has(name.toLowerCase())) found.set(name.toLowerCase(), sources)
  }
  return found
}

function blocking(policy: ReadonlyMap<string, string[]>, names: readonly string[]): string | undefined {
  const name = names.find((one) => policy.has(one))
  const sources = name === undefined ? undefined : policy.get(name)
  if (sources === undefined) return undefined
  const isOpen = sources.some((source) => /^('self'|\*|https?:)$/i.test(source))
  return isOpen && !sources.some((source) => /^'strict-dynamic'$/i.test(source)) ? undefined : name
}
