import { type Alternative, showUnits, UnsupportedEditError } from '../dialect.js'
import { childOf, listOf, type PathStep, type SourceNode, textOf } from './syntax.js'

/** Code that a tool reads from the source, so that a choice in it would change the control too. */
interface StaticCode {
  readonly why: string
  /** Whether the whole of it can be chosen. */
  readonly isUnit: boolean
}

const MACROS =
  /^define(PageMeta|RouteRules|Page|Options|Emits|Slots|Model|I18nRoute|NuxtConfig|CustomElement)$/
/** Libraries that take a text's source as the key of its translation, or collect texts at build time. */
const TRANSLATIONS =
  /^(@lingui\/|react-intl$|@formatjs\/|react-i18next|@docusaurus\/Translate|ttag$|fbt|@fluent\/react|gt-(next|react)|@transifex\/)/
const TRANSLATED_ELEMENTS =
  /^(Trans|Translate|FormattedMessage|FormattedHTMLMessage|FormattedRelativeTime|Localized|fbt|fbs)$/
const TRANSLATED_IMPORTS =
  /^(Plural|Select|SelectOrdinal|T|Tx|Var|Num|Currency|DateTime|Branch|Formatted\w+|Trans\w*)$/
const TRANSLATED_TAGS = /^(t|msg|defineMessage|\$localize|gql|ngettext|jt|plural|select)$/
const COLLECTED_TAGS = /^(graphql|preval|codegen)$/
const LINGUI_CALLS = /^(t|plural|select|selectOrdinal|msg|defineMessages?)$/

const TRANSLATED: StaticCode = {
  why: 'its source is the key of its translation, or is collected by a tool: take all of it',
  isUnit: true,
}
const ADDRESS: StaticCode = {
  why: 'the build reads which files it names from the source: take all of it',
  isUnit: true,
}

const FUNCTION = /Function|ObjectMethod|ClassMethod|ClassPrivateMethod/

/**
 * Refuses alternatives inside of code that tools read, or that runs apart from visitors' pages.
 * @param path from the program to the edit
 * @param file its path in the repository
 */
export function refuseStaticCode(
  source: string,
  path: readonly PathStep[],
  { start, end, edit }: Alternative,
  file: string,
): void {
  const program = path[0]?.node
  if (program === undefined) return
  refuseServerFunctions(path, edit)
  refuseExports(path, edit, file)
  const imports = importsOf(program)
  const from = path.findLastIndex(({ node }) => FUNCTION.test(node.type))
  for (const [index, { node }] of path.entries()) {
    const isEdit = node.start === start && node.end === end
    if (index <= from) continue
    const found = staticCode(node, path[index + 1], imports)
    if (found !== undefined && !(isEdit && found.isUnit))
      throw new UnsupportedEditError(edit, found.why, found.isUnit ? showUnits(source, [node]) : [])
  }
}

type Imports = ReadonlyMap<string, string>

/** The modules by the local names that come from them. */
export function importsOf(program: SourceNode): Imports {
  const found = new Map<string, string>()
  for (const declaration of listOf(program, 'body')) {
    const module = textOf(childOf(declaration, 'source'), 'value')
    if (declaration.type !== 'ImportDeclaration' || module === undefined) continue
    for (const specifier of listOf(declaration, 'specifiers')) {
      const name = textOf(childOf(specifier, 'local'), 'name')
      if (name !== undefined) found.set(name, module)
    }
  }
  return found
}

/** `next`: the step from the node towards the edit. */
function staticCode(node: SourceNode, next: PathStep | undefined, imports: Imports): StaticCode | undefined {
  switch (node.type) {
    case 'NewExpression':
      return newCode(node)
    case 'CallExpression':
    case 'OptionalCallExpression':
      return next?.field === 'callee' ? undefined : callCode(node, imports)
    case 'TaggedTemplateExpression': {
      const name = textOf(childOf(node, 'tag'), 'name') ?? ''
      if (COLLECTED_TAGS.test(name))
        return { why: `${name} is replaced when the site is built`, isUnit: false }
      return TRANSLATED_TAGS.test(name) || isTranslation(imports.get(name)) ? TRANSLATED : undefined
    }
    case 'JSXElement':
      return elementCode(node, imports)
    case 'Decorator':
      return {
        why: 'it is part of a decorator, which works once, when the class is made. Angular reads its templates from there when the site is built: only properties and methods of such a class can have alternatives',
        isUnit: false,
      }
  }
  return undefined
}

function newCode(node: SourceNode): StaticCode | undefined {
  const name = textOf(childOf(node, 'callee'), 'name') ?? ''
  const isAddress =
    /^(Shared)?Worker$/.test(name) || (name === 'URL' && listOf(node, 'arguments').some(isImportMeta))
  return isAddress ? ADDRESS : undefined
}

function callCode(node: SourceNode, imports: Imports): StaticCode | undefined {
  const callee = childOf(node, 'callee')
  const object = childOf(callee, 'object')
  const name = textOf(callee, 'name') ?? ''
  const method = textOf(childOf(callee, 'property'), 'name') ?? ''
  const module = imports.get(name)
  if (isImportMeta(callee) || textOf(object, 'name') === 'require') return ADDRESS
  if (/^(addModule|importScripts)$/.test(method || name)) return ADDRESS
  if (method === 'register' && textOf(childOf(object, 'property'), 'name') === 'serviceWorker') return ADDRESS
  if (MACROS.test(name))
    return { why: `${name} is read when the site is built, before any code runs`, isUnit: false }
  if (module !== undefined && /^next\/(font\/|dynamic$)/.test(module))
    return { why: `Next reads what ${name} is given when the site is built`, isUnit: false }
  const usesLingui = [...imports.values()].some((one) => one.startsWith('@lingui/'))
  if (isTranslation(module) || (usesLingui && LINGUI_CALLS.test(name)))
    return isHook(name) ? undefined : TRANSLATED
  return method === 'formatMessage' ? TRANSLATED : undefined
}

const isHook = (name: string): boolean => /^use[A-Z]/.test(name)

const isTranslation = (module: string | undefined): boolean =>
  module !== undefined && TRANSLATIONS.test(module)

/** `import.meta`, or a member of it. */
function isImportMeta(node: SourceNode | undefined): boolean {
  if (node === undefined) return false
  return node.type === 'MetaProperty' || isImportMeta(childOf(node, 'object'))
}

function elementCode(node: SourceNode, imports: Imports): StaticCode | undefined {
  const opening = childOf(node, 'openingElement')
  const name = textOf(childOf(opening, 'name'), 'name') ?? ''
  const isImported = isTranslation(imports.get(name)) && TRANSLATED_IMPORTS.test(name)
  if (isImported || TRANSLATED_ELEMENTS.test(name)) return TRANSLATED
  const hasJsx = listOf(opening, 'attributes').some((one) => textOf(childOf(one, 'name'), 'name') === 'jsx')
  return name === 'style' && hasJsx
    ? { why: 'styled-jsx reads its styles when the site is built: take the whole element', isUnit: true }
    : undefined
}

const ON_SERVER = /^use (server|cache)/

/** Functions that run on the server only, for all visitors alike. */
function refuseServerFunctions(path: readonly PathStep[], edit: number | null): void {
  for (const { node } of path) {
    const block = FUNCTION.test(node.type)
      ? childOf(node, 'body')
      : node.type === 'Program'
        ? node
        : undefined
    const directive = listOf(block, 'directives')
      .map((one) => textOf(childOf(one, 'value'), 'value') ?? '')
      .find((value) => ON_SERVER.test(value))
    if (directive !== undefined)
      throw new UnsupportedEditError(
        edit,
        `'${directive}': it runs on the server only, apart from visitors' pages`,
      )
  }
}

/** Exports that frameworks read: settings, and functions of the server or the build. */
const EXPORTS =
  /^(dynamic|dynamicParams|revalidate|fetchCache|runtime|preferredRegion|maxDuration|experimental_ppr|metadata|viewport|generate(StaticParams|Metadata|Viewport)|get(StaticProps|StaticPaths|ServerSideProps|ServerData)|prerender|ssr|csr|trailingSlash|unstable_settings)$/
/** Names that mean something in the routes of some frameworks only. */
const ROUTE_EXPORTS = /^(config|load|entries|actions|loader|action|headers)$/
const ROUTE = /(^|\/)(\+[\w.-]+|root\.[jt]sx?|(app|pages|routes)\/.*)$/

function refuseExports(path: readonly PathStep[], edit: number | null, file: string): void {
  const [, statement, declaration] = path
  if (statement?.node.type !== 'ExportNamedDeclaration') return
  const declarator = path.find(({ node }) => node.type === 'VariableDeclarator')
  const name = textOf(childOf((declarator ?? declaration)?.node, 'id'), 'name') ?? ''
  if (EXPORTS.test(name) || (ROUTE_EXPORTS.test(name) && ROUTE.test(file)))
    throw new UnsupportedEditError(
      edit,
      `the framework reads \`${name}\` when the site is built or on the server, apart from visitors' pages`,
    )
}

const FILES: readonly { readonly file: RegExp; readonly why: string }[] = [
  {
    file: /((^|\/)(vite|vitest|next|nuxt|svelte|astro|vue|react-router|remix|docusaurus|rspack|rsbuild|rollup|webpack|babel|postcss|tailwind|uno|lingui|next-i18next|quasar|craco|metro)\.config|(^|\/)gatsby-(node|config|ssr)|(^|\/)\.vitepress\/config)\.[cm]?[jt]s$/,
    why: 'it is read when the site is built, before any visitor comes',
  },
  {
    file: /(\.worker|(^|\/)(worker|sw|service-?worker))\.[cm]?[jt]s$/i,
    why: 'it runs in a worker, which has no visitor and shows nothing',
  },
  {
    file: /(\.server\.[cm]?[jt]sx?|(^|\/)(\+server|middleware|instrumentation)\.[cm]?[jt]s|(^|\/)_document\.[jt]sx?|(^|\/)lib\/server\/.*|(^|\/)app\/(.*\/)?(route|opengraph-image|twitter-image|icon|apple-icon)\.[jt]sx?|(^|\/)pages\/api\/.*|(^|\/)server\/(api|routes|middleware)\/.*)$/,
    why: 'it runs on the server only, where nothing is shown and so no exposure is counted: choose the text where a page shows it',
  },
]

/** Refuses files whose code does not run in visitors' pages. */
export function refuseStaticFile(file: string): void {
  const why = FILES.find((one) => one.file.test(file))?.why
  if (why !== undefined) throw new UnsupportedEditError(null, why)
}
