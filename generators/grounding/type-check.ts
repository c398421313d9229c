import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type ts from 'typescript'
import { importedFrom, missingModules } from './missing-modules.js'

export type Compiler = typeof ts

/** Milliseconds of all checks of a batch, and of one of them. */
const BATCH_MS = 60_000
const CHECK_MS = 10_000
/** How far imports are followed, and how many paths are asked for and characters read in one batch. */
const MAX_DEPTH = 6
const MAX_PATHS = 8_000
const MAX_CHARACTERS = 6_000_000
const MAX_ERRORS = 3
/** The place of the repository for the compiler. Everything else is the compiler's own library. */
const ROOT = '/repository/'
const CONFIG = 'tsconfig.json'
const SHIM = '/missing-modules.d.ts'
/**
 * Errors that only follow from packages and globals that are not at hand: modules, names and types that are
 * not found (`undeclaredIn` judges names), and type arguments of what is `any`.
 */
const IMPLIED = new Set([2304, 2305, 2307, 2318, 2347, 2503, 2552, 2614, 2686, 2688, 2702, 2724, 2792])
const isImplied = (code: number): boolean =>
  IMPLIED.has(code) || (code >= 2580 && code <= 2593) || (code >= 2874 && code <= 2879) || code >= 6000

/**
 * Compares the type errors of a repository's TypeScript files before and after an edit. It reads only the
 * repository: what its packages export is `any`. One instance serves one batch, and its files stay the same.
 */
export class TypeCheck {
  #compiler: Promise<Compiler | null> | undefined
  readonly #texts = new Map<string, string | null>()
  readonly #sources = new Map<string, ts.SourceFile>()
  /** Files whose types could not be looked at: no compiler, or no time left. */
  readonly unchecked = new Set<string>()
  /** Keys of the errors that a file has without the edit. */
  readonly #before = new Map<string, Set<string>>()
  #characters = 0
  #msLeft = BATCH_MS

  /**
   * @param now a clock in milliseconds
   * @param load the compiler, or `null` if it is not installed
   */
  constructor(
    private readonly read: (path: string) => Promise<string | null>,
    private readonly now: () => number = () => performance.now(),
    private readonly load: () => Promise<Compiler | null> = installedCompiler,
  ) {}

  /** The first type errors that files have as they are written and had not before, in a sentence, or null. */
  async newErrorsIn(written: ReadonlyMap<string, string>): Promise<string | null> {
    const paths = [...written.keys()].filter((path) => /\.[cm]?tsx?$/.test(path))
    const [path] = paths
    if (path === undefined) return null
    this.#compiler ??= this.load()
    const compiler = await this.#compiler
    if (compiler === null || this.#msLeft <= 0) return this.#skip(paths)
    const began = this.now()
    try {
      const options = await this.#optionsFor(compiler, path)
      const fresh = paths.filter((one) => !this.#before.has(one))
      if (fresh.length > 0)
        for (const [one, errors] of await this.#errorsIn(compiler, options, fresh, new Map()))
          this.#before.set(one, new Set(errors.map(({ key }) => key)))
      const messages: string[] = []
      for (const [one, errors] of await this.#errorsIn(compiler, options, paths, written))
        for (const { key, message } of errors)
          if (this.#before.get(one)?.has(key) === false) messages.push(`${one}: ${message}`)
      return messages.length === 0 ? null : messages.slice(0, MAX_ERRORS).join('. ')
    } catch (error) {
      if (error instanceof compiler.OperationCanceledException) return this.#skip(paths)
      throw error
    } finally {
      this.#msLeft -= this.now() - began
    }
  }

  #skip(paths: readonly string[]): null {
    for (const path of paths) this.unchecked.add(path)
    return null
  }

  async #errorsIn(
    compiler: Compiler,
    options: ts.CompilerOptions,
    paths: readonly string[],
    written: ReadonlyMap<string, string>,
  ): Promise<Map<string, TypeProblem[]>> {
    const program = await this.#programOf(compiler, options, paths, written)
    const end = this.now() + Math.min(CHECK_MS, this.#msLeft)
    const isLate = (): boolean => this.now() > end
    const throwIfLate = (): void => {
      if (isLate()) throw new compiler.OperationCanceledException()
    }
    const token = { isCancellationRequested: isLate, throwIfCancellationRequested: throwIfLate }
    return new Map(
      paths.map((path) => {
        const errors = program.getSemanticDiagnostics(program.getSourceFile(ROOT + path), token)
        return [path, errors.filter(({ code }) => !isImplied(code)).map((one) => problemOf(compiler, one))]
      }),
    )
  }

  /** The files and what they import, read until the compiler asks for nothing new. */
  async #programOf(
    compiler: Compiler,
    options: ts.CompilerOptions,
    paths: readonly string[],
    written: ReadonlyMap<string, string>,
  ): Promise<ts.Program> {
    const rootNames = paths.map((path) => ROOT + path)
    for (let depth = 0; ; depth++) {
      const asked = new Set<string>()
      const missing = new Set<string>()
      const host = this.#hostOf(compiler, written, asked, missing)
      const program = compiler.createProgram({ rootNames, options, host })
      const isFull = this.#texts.size > MAX_PATHS || this.#characters > MAX_CHARACTERS
      if (asked.size > 0 && depth < MAX_DEPTH && !isFull) {
        for (const path of asked) await this.#open(path)
        continue
      }
      const files = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(ROOT))
      const shim = missingModules(files.flatMap((file) => importedFrom(compiler, file, missing)))
      const both = this.#hostOf(compiler, new Map([...written, [SHIM, shim]]), asked, missing)
      return compiler.createProgram({ rootNames: [...rootNames, SHIM], options, host: both })
    }
  }

  async #open(path: string): Promise<string | null> {
    const text = await this.read(path)
    this.#texts.set(path, text)
    this.#characters += text?.length ?? 0
    return text
  }

  #hostOf(
    compiler: Compiler,
    written: ReadonlyMap<string, string>,
    asked: Set<string>,
    missing: Set<string>,
  ): ts.CompilerHost {
    const library = dirname(compiler.getDefaultLibFilePath({}))
    const readFile = (name: string): string | undefined => {
      if (name.startsWith(library)) return readFileSync(name, 'utf8')
      const path = name.replace(ROOT, '')
      if (name === SHIM || /(^|\/)node_modules\//.test(path)) return written.get(path)
      if (!this.#texts.has(path)) asked.add(path)
      return written.get(path) ?? this.#texts.get(path) ?? undefined
    }
    const host: ts.CompilerHost = {
      readFile,
      fileExists: (name) => readFile(name) !== undefined,
      directoryExists: (name) => !name.includes('node_modules'),
      getSourceFile: (name, languageVersion) => {
        const isWritten = written.has(name.replace(ROOT, ''))
        const known = isWritten ? undefined : this.#sources.get(name)
        const text = known === undefined ? readFile(name) : undefined
        if (text === undefined) return known
        const file = compiler.createSourceFile(name, text, languageVersion)
        if (!isWritten) this.#sources.set(name, file)
        return file
      },
      resolveModuleNameLiterals: (literals, from, _, options) =>
        literals.map(({ text }) => {
          const found = compiler.resolveModuleName(text, from, options, host)
          if (found.resolvedModule === undefined) missing.add(text)
          return found
        }),
      getDefaultLibFileName: (options) => join(library, compiler.getDefaultLibFileName(options)),
      getDefaultLibLocation: () => library,
      getCurrentDirectory: () => ROOT,
      getCanonicalFileName: (name) => name,
      useCaseSensitiveFileNames: () => true,
      getNewLine: () => '\n',
      writeFile: () => {},
    }
    return host
  }

  /** The options of the nearest tsconfig.json, or of the first that it refers to if it has no files. */
  async #optionsFor(compiler: Compiler, path: string): Promise<ts.CompilerOptions> {
    let folder = dirname(path)
    while (folder !== '.' && (await this.#open(join(folder, CONFIG))) === null) folder = dirname(folder)
    let name = join(ROOT, folder, CONFIG)
    let options: ts.CompilerOptions = {}
    for (let depth = 0; depth < MAX_DEPTH; depth++) {
      const asked = new Set<string>()
      const compiling = this.#hostOf(compiler, new Map(), asked, new Set())
      const host = { ...compiling, useCaseSensitiveFileNames: true, readDirectory: () => [] }
      const { config = {} } = compiler.readConfigFile(name, host.readFile)
      const parsed = compiler.parseJsonConfigFileContent(config, host, dirname(name), {}, name)
      options = parsed.options
      const reference = config.files?.length === 0 ? parsed.projectReferences?.[0]?.path : undefined
      if (reference !== undefined) name = reference.endsWith('.json') ? reference : join(reference, CONFIG)
      else if (asked.size === 0) break
      for (const one of asked) await this.#open(one)
    }
    return {
      ...options,
      allowJs: true,
      jsx: compiler.JsxEmit.Preserve,
      module: compiler.ModuleKind.ESNext,
      moduleResolution: compiler.ModuleResolutionKind.Bundler,
      noEmit: true,
      noImplicitAny: false,
      resolveJsonModule: true,
      target: Math.max(options.target ?? 0, compiler.ScriptTarget.ES2022),
      types: [],
    }
  }
}

interface TypeProblem {
  /** The same before and after an edit, also if the types are worded in another way. */
  key: string
  message: string
}

function problemOf(
  compiler: Compiler,
  { code, messageText, file, start = 0, length = 0 }: ts.Diagnostic,
): TypeProblem {
  const text = file?.text ?? ''
  const says = compiler.flattenDiagnosticMessageText(messageText, ' ').replace(/\s+/g, ' ').replace(/\.$/, '')
  const from = Math.max(text.lastIndexOf('\n', start) + 1, start - 40)
  const line = text.slice(from, start + 60).split('\n', 1)[0] ?? ''
  return {
    key: `${code} ${text.slice(start, start + length)}`,
    message: `the types do not fit in ${JSON.stringify(line.trim())}: ${says.slice(0, 300)}`,
  }
}

/** The compiler is no dependency of the service, and is missing if only those are installed. */
async function installedCompiler(): Promise<Compiler | null> {
  try {
    return (await import('typescript')).default
  } catch {
    // The run counts the files whose types were not checked.
    return null
  }
}
