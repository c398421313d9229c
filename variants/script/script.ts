import { type Dialect, type Outcome, UnsupportedEditError, type VariantTask } from '../dialect.js'
import { COMPONENT_FILE, HELPER_FILE } from '../helper-name.js'
import { splice } from '../text.js'
import {
  applied,
  asSplices,
  draftsOf,
  mannerOf,
  maskBlock,
  placesOf,
  proveByHand,
  proveDrafts,
} from './code.js'
import { codeBlockOf } from './code-draft.js'
import { isServerComponent } from './component-unit.js'
import { mayCallHooks, REACT_HOOKS } from './fixed-calls.js'
import { COMPONENT, FUNCTION, helperCall, importLine, importSplice, unusedImports } from './import.js'
import { refuseStaticFile } from './static-code.js'
import { childOf, everyNode, pathTo, programOf, type SourceNode, syntaxOf, textOf } from './syntax.js'
import { unitsNear } from './units.js'

/** JavaScript and TypeScript, with or without JSX. */
export const script: Dialect = {
  check: (text, path) => {
    programOf(text, syntaxOf(path))
  },
  write,
  unitsNear: (text, path, { start, end }) =>
    unitsNear(text, pathTo(programOf(text, syntaxOf(path)), start, end)),
  withoutHelper: (text, path) => splice(text, unusedImports(text, programOf(text, syntaxOf(path)), '', 0)),
}

function write({ path, text, experiment, alternatives, helper }: VariantTask): Outcome {
  if (helper === undefined || !('importPath' in helper))
    throw new UnsupportedEditError(
      null,
      'sources import the helper: it has to be a module in the folder of the sources',
    )
  const block = codeBlockOf(text, 0, text.length, syntaxOf(path))
  refuseScripts(path, block.program)
  const { importPath, rendersOnServer = false, hasServerComponents = false } = helper
  refuseStaticFile(path)
  const isOnServer = rendersOnServer && isServerComponent(path, block.program, hasServerComponents)
  const byFunction = helperCall(block.program, text, '')
  const byComponent = helperCall(block.program, text, '', COMPONENT)
  const { call: name, isThere } = isOnServer ? byComponent : byFunction
  const manner = { ...mannerOf(text, block.program), call: byFunction.call, tag: byComponent.call }
  const fixed = mayCallHooks(path, text) ? REACT_HOOKS : undefined
  const surroundings = { file: path, isModule: true, rendersOnServer, isOnServer, elsewhere: '', fixed }
  const drafts = draftsOf(block, experiment, alternatives, manner, surroundings)
  const masked = maskBlock(block, drafts)
  proveByHand(masked, drafts, experiment)
  const module = isOnServer ? importPath.replace(HELPER_FILE, COMPONENT_FILE) : importPath
  const line = importLine(name, module, manner, isOnServer ? COMPONENT : FUNCTION)
  const inserts = isThere ? [] : [importSplice(text, block.program, line, 0, text.length)]
  const result = applied(masked.text, drafts, inserts)
  proveDrafts(programOf(result, block.syntax), drafts, placesOf(drafts, [...inserts, ...asSplices(drafts)]))
  return { drafts, inserts }
}

/**
 * Only modules can import. Without imports and exports, the file name or a build folder must show that it is
 * one.
 */
function refuseScripts(path: string, program: SourceNode): void {
  if (/\.d\.[cm]?ts$/i.test(path))
    throw new UnsupportedEditError(null, 'a file of declarations holds no code that runs')
  if (program.sourceType === 'module') return
  const isCommon = /\.c[jt]s$/i.test(path) || [...everyNode(program)].some(({ node }) => isCommonJs(node))
  if (isCommon)
    throw new UnsupportedEditError(null, 'the file is a CommonJS module, which cannot import the helper')
  if (!/(\.(mjs|jsx|m?tsx?)$)|(^|\/)src\//i.test(path))
    throw new UnsupportedEditError(
      null,
      'the file imports and exports nothing, so that browsers may load it as a classic script, which cannot import the helper',
    )
}

function isCommonJs(node: SourceNode): boolean {
  const name = (field: string): string | undefined => textOf(childOf(node, field), 'name')
  if (node.type === 'CallExpression') return name('callee') === 'require'
  return (
    node.type === 'MemberExpression' &&
    (name('object') === 'exports' || (name('object') === 'module' && name('property') === 'exports'))
  )
}
