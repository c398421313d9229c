import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import ts from 'typescript'
import { packageRoot } from '../runtime/package-root.js'
import { script } from './support/scripts.js'

const { rootFolders } = await script<{ rootFolders(): string[] }>('folders.mjs')
const root = packageRoot()
const FOLDERS = rootFolders()
const MAX_COMMENT_COLUMN = 110
/** Names that several files may export, because each file implements the same port or dialect. */
const MAX_SHARED_NAMES = 10

/**
 * Statements of tests that only wait for a time: those whose subject is a time, or that show that nothing
 * happens.
 */
const MAX_PLAIN_SLEEPS = 36

const isSource = (file: string): boolean =>
  /\.(ts|tsx|mjs)$/.test(file) && !/(^|\/)(node_modules|fixtures)\//.test(file)
const isTest = (file: string): boolean => /(^|\/)test\//.test(file)
const filesBelow = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file))
const read = (file: string) => {
  const text = readFileSync(join(root, file), 'utf8')
  return { file, text, tree: ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true) }
}
const files = [...FOLDERS, 'scripts'].flatMap(filesBelow).filter(isSource).sort()
const sources = files.filter((file) => !isTest(file)).map(read)
const tests = files.filter(isTest).map(read)

/** The names that a file exports and declares itself. */
function exportedNames(tree: ts.SourceFile): string[] {
  return tree.statements.flatMap((statement) => {
    const exported =
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
    if (!exported) return []
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.flatMap(({ name }) =>
        ts.isIdentifier(name) ? [name.text] : [],
      )
    const { name } = statement as { name?: ts.Identifier }
    return name === undefined ? [] : [name.text]
  })
}

t.test('an exported name means one thing', async (t) => {
  const filesOf = new Map<string, Set<string>>()
  for (const { file, tree } of sources)
    for (const name of exportedNames(tree)) filesOf.set(name, (filesOf.get(name) ?? new Set()).add(file))
  const shared = [...filesOf].filter(([, declaredIn]) => declaredIn.size > 1)
  t.ok(
    shared.length <= MAX_SHARED_NAMES,
    `${shared.length} names: ${shared.map(([name, declaredIn]) => `${name} (${[...declaredIn].join(', ')})`).join('; ')}`,
  )
})

t.test('bounds begin with MAX_ or MIN_', async (t) => {
  const old = /\b(MOST|LEAST)_[A-Z]/
  t.same(
    sources.filter(({ text }) => old.test(text)).map(({ file }) => file),
    [],
  )
})

/** Every comment of a file, by position. Line comments that follow one another are one. */
function commentsOf(tree: ts.SourceFile): ts.TextRange[] {
  const { text } = tree
  const ranges = new Map<number, ts.CommentRange>()
  const note = (pos: number, end: number, kind: ts.CommentKind): undefined => {
    ranges.set(pos, { pos, end, kind })
  }
  // Most nodes hold no comment, and listing the tokens of all would take half of the test's time.
  const marks = [...text.matchAll(/\/[/*]/g)].map(({ index }) => index)
  const visit = (node: ts.Node): void => {
    if (node.kind === ts.SyntaxKind.JsxText) return
    ts.forEachLeadingCommentRange(text, node.pos, note)
    ts.forEachTrailingCommentRange(text, node.end, note)
    if (marks.some((mark) => mark >= node.pos && mark < node.end)) node.getChildren(tree).forEach(visit)
  }
  visit(tree)
  const comments: { pos: number; end: number }[] = []
  for (const { pos, end, kind } of [...ranges.values()].sort((a, b) => a.pos - b.pos)) {
    const last = comments.at(-1)
    const continues = kind === ts.SyntaxKind.SingleLineCommentTrivia && last !== undefined
    if (continues && text.startsWith('//', last.pos) && /^\n *$/.test(text.slice(last.end, pos)))
      last.end = end
    else comments.push({ pos, end })
  }
  return comments
}
const comments = [...sources, ...tests].flatMap(({ file, tree }) =>
  commentsOf(tree).map(({ pos, end }) => {
    const { line, character } = tree.getLineAndCharacterOfPosition(pos)
    return { file, line: line + 1, indent: character, text: tree.text.slice(pos, end) }
  }),
)

t.test('a comment ends before column 110', async (t) => {
  t.same(
    comments.flatMap(({ file, line, indent, text }) =>
      text
        .split('\n')
        .flatMap((part, index) =>
          (index === 0 ? indent : 0) + part.length > MAX_COMMENT_COLUMN ? `${file}:${line + index}` : [],
        ),
    ),
    [],
  )
})

/** Sentences of a comment that begin with a question word and are no question. */
const hiddenSubjects = (comment: string): string[] =>
  comment
    .replace(/^\s*(\/\/|\/\*+|\*(?!\/))/gm, ' ')
    .replace(/\*\/$/, '')
    .replace(/\s+/g, ' ')
    .split(/(?<=[.;:!?]) /)
    .map((sentence) => sentence.trim())
    .filter((sentence) => /^(What|Where|Which|Who)(ever|se|m)?\b/.test(sentence) && !sentence.endsWith('?'))

t.test('a comment names its subject first', async (t) => {
  t.same(hiddenSubjects('/** What is left. Where it\n * lies; What for? */'), [
    'What is left.',
    'Where it lies;',
  ])
  t.same(
    comments.flatMap(({ file, line, text }) =>
      hiddenSubjects(text).map((sentence) => `${file}:${line} ${sentence}`),
    ),
    [],
  )
})

t.test('the words of the old dialect stay away', async (t) => {
  const old = /\b(whoever|stands for)\b/i
  const here = 'test/readability.ts'
  t.same(
    [...sources, ...tests]
      .filter(({ file, text }) => file !== here && old.test(text))
      .map(({ file }) => file),
    [],
  )
})

/** Names under which a file imports the promise of `setTimeout`. */
const sleepNames = (text: string): string[] =>
  [...text.matchAll(/import \{ [^}]*\bsetTimeout(?: as (\w+))?[^}]*\} from 'node:timers\/promises'/g)].map(
    ([, name = 'setTimeout']) => name,
  )

/** Line numbers of the statements outside of loops that only wait for a time. */
function plainSleeps(tree: ts.SourceFile): number[] {
  const names = sleepNames(tree.text)
  const found: number[] = []
  const isSleep = (node: ts.Expression): boolean =>
    ts.isNewExpression(node)
      ? /^new Promise(<void>)?\(\(\w+\) => setTimeout\(\w+, /.test(node.getText(tree))
      : ts.isCallExpression(node) && names.includes(node.expression.getText(tree))
  const visit = (node: ts.Node, inLoop: boolean): void => {
    const { expression } = node as { expression?: ts.Node }
    if (ts.isExpressionStatement(node) && expression !== undefined && ts.isAwaitExpression(expression))
      if (!inLoop && isSleep(expression.expression))
        found.push(tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1)
    const loops = !ts.isFunctionLike(node) && (inLoop || ts.isIterationStatement(node, false))
    ts.forEachChild(node, (child) => visit(child, loops))
  }
  visit(tree, false)
  return found
}

t.test('tests await events instead of waiting for a time', async (t) => {
  const sample = `import { setTimeout as sleep } from 'node:timers/promises'
    await sleep(10)
    await new Promise((resolve) => setTimeout(resolve, 10))
    while (!isReady()) await sleep(10)`
  t.same(plainSleeps(ts.createSourceFile('a.ts', sample, ts.ScriptTarget.Latest, true)), [2, 3])
  // Faults come at random times there.
  const measured = tests.filter(({ file }) => !/^test\/(chaos|fuzz)\//.test(file))
  const sleeps = measured.flatMap(({ file, tree }) => plainSleeps(tree).map((line) => `${file}:${line}`))
  t.ok(sleeps.length <= MAX_PLAIN_SLEEPS, `${sleeps.length} sleeps: ${sleeps.join(', ')}`)
})

t.test('no file only passes on what another file exports', async (t) => {
  const onlyPassesOn = (tree: ts.SourceFile): boolean =>
    tree.statements.length === 1 &&
    tree.statements.every((one) => ts.isExportDeclaration(one) && one.moduleSpecifier !== undefined)
  t.same(
    sources.filter(({ tree }) => onlyPassesOn(tree)).map(({ file }) => file),
    [],
  )
})
