import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import ts from 'typescript'
import { packageRoot } from '../runtime/package-root.js'
import { script } from './support/scripts.js'

const { rootFolders } = await script<{ rootFolders(): string[] }>('folders.mjs')
const FOLDERS = rootFolders().filter((folder) => !['bench', 'test', 'console'].includes(folder))
/** A whole handler that drops the thrown error. */
const DROPS = /^(\(\)|_\w*|\(_\w*\)) => (\{\}|undefined|null|\[\]|false)$/

/**
 * Places where a file breaks the rules for errors: names, reading messages, and failures dropped without a
 * reason.
 */
function problemsIn(name: string, text: string): string[] {
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true)
  const found: string[] = []
  const report = (node: ts.Node, what: string): void => {
    found.push(`${name}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1} ${what}`)
  }
  /** A comment within a node, or on the two lines above its statement. */
  const isExplained = (node: ts.Node): boolean => {
    const above = text.slice(0, node.getStart()).split('\n').slice(-3).join('\n')
    return /\/\/|\*\//.test(above) || node.getText().includes('//')
  }
  const visit = (node: ts.Node): void => {
    if (ts.isClassDeclaration(node) && node.name !== undefined) {
      const base = node.heritageClauses?.[0]?.types[0]?.expression.getText() ?? ''
      if (base.endsWith('Error') && !node.name.text.endsWith('Error'))
        report(node, 'its name does not end in Error')
    }
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { expression: subject, name: method } = node.expression
      const isTest = /^(includes|match|startsWith|endsWith)$/.test(method.text)
      if (isTest && /\b(error|failure|cause|reason|thrown)\.message$/.test(subject.getText()))
        report(node, 'looks at a message')
      if (method.text === 'catch' && DROPS.test(node.arguments[0]?.getText() ?? '') && !isExplained(node))
        report(node, 'drops a failure without a reason')
    }
    if (ts.isCatchClause(node) && node.variableDeclaration === undefined) {
      const throws = node.block.statements.some((statement) => ts.isThrowStatement(statement))
      const parses = /\bJSON\.parse\(/.test(node.parent.tryBlock.getText())
      if (!throws && !parses && !/\/\//.test(node.getText())) report(node, 'drops a failure without a reason')
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

t.test(
  'errors have one suffix, no code reads their messages, and none is dropped without a reason',
  async (t) => {
    const root = packageRoot()
    const files = FOLDERS.flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .map((file) => join(folder, file))
        .filter((file) => file.endsWith('.ts') && !file.includes('/test/')),
    )
    t.ok(files.includes('runtime/errors.ts'))
    t.same(
      files.flatMap((name) => problemsIn(name, readFileSync(join(root, name), 'utf8'))),
      [],
    )
  },
)

t.test('each kind of problem is found', async (t) => {
  for (const [text, what] of [
    ['class Refusal extends Error {}', /does not end in Error/],
    ["if (error.message.includes('denied')) stop()", /looks at a message/],
    ['await close().catch(() => {})', /drops a failure/],
    ['try { close() } catch { }', /drops a failure/],
    ['function f() { try { return read() } catch { return undefined } }', /drops a failure/],
  ] as const)
    t.match(problemsIn('a.ts', text), [what], text)
  for (const text of [
    'class StoreError extends ServiceError {}',
    '// Closed anyway.\nawait close().catch(() => {})',
    'try { close() } catch {\n // It is closed.\n }',
    "try { read() } catch { throw new StoreError('unreadable') }",
  ])
    t.same(problemsIn('a.ts', text), [], text)
})
