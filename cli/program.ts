import { Command, CommanderError } from 'commander'
import { CommandError, EXIT, usageError } from './command-error.js'
import type { CommandEntry } from './commands/table.js'
import type { Context } from './context.js'
import { isTopic, TOPICS, topicText } from './help-topics.js'
import { escapeControls, escapeLines, type Terminal } from './output.js'
import { colorize } from './render/terminal-style.js'

const NARROWEST_HELP = 40
const HELP_COLUMNS = 100
/** For the scripts of `svc completion`; not in the help. */
const COMPLETE = '__complete'

export interface ProgramOptions {
  readonly version: string
  readonly entries: readonly CommandEntry[]
  /** Creates the context. Global options are parsed by the time it is used. */
  readonly context: (options: () => { readonly profile?: string; readonly color: boolean }) => Context
}

/** Runs one command line (without node and script) and returns the exit code. Throws only on bugs. */
export async function runCommandLine(
  args: readonly string[],
  terminal: Terminal,
  options: ProgramOptions,
): Promise<number> {
  try {
    if (args[0] === COMPLETE) {
      await complete(args.slice(1), terminal, options)
      return EXIT.ok
    }
    const program = await buildProgram(args, terminal, options)
    await program.parseAsync(args, { from: 'user' })
    return EXIT.ok
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage
    if (!(error instanceof CommandError)) throw error
    const code = error.code === undefined ? '' : ` (${error.code})`
    const style = { color: (terminal.isInteractive ?? false) && (terminal.supportsColor ?? false) }
    terminal.err(`${colorize(style, 'red', 'svc:')} ${escapeLines(error.message)}${code}\n`)
    for (const line of error.details) terminal.err(`  ${escapeControls(line)}\n`)
    return error.exitCode
  }
}

/** Prints one candidate per line. */
async function complete(
  words: readonly string[],
  terminal: Terminal,
  options: ProgramOptions,
): Promise<void> {
  const { candidatesFor } = await import('./completion/candidates.js')
  const program = await buildProgram(words, terminal, options)
  const context = options.context(() => ({ color: false }))
  for (const candidate of await candidatesFor(program, words, context))
    terminal.out(`${escapeControls(candidate)}\n`)
}

/** Builds the commands named in the arguments whole, and the others as names and descriptions only. */
export async function buildProgram(
  args: readonly string[],
  terminal: Terminal,
  { version, entries, context: makeContext }: ProgramOptions,
): Promise<Command> {
  const program = new Command('svc')
  const context = makeContext(() => program.opts())
  program
    .description('Runs experiments and reads funnels on svc.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .option(
      '--profile <name>',
      'the stored address and key to use (default: SVC_PROFILE, else the last login)',
    )
    .option('--no-color', 'no colours, as with NO_COLOR')
    // Commands inherit these, so they are set first.
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => terminal.out(text),
      writeErr: (text) => terminal.err(text),
      outputError: (text, write) => write(text.replace(/^error: /, 'svc: ')),
      getOutHelpWidth: () => Math.max(NARROWEST_HELP, terminal.size?.columns ?? HELP_COLUMNS),
      getErrHelpWidth: () => Math.max(NARROWEST_HELP, terminal.size?.columns ?? HELP_COLUMNS),
    })
    .showHelpAfterError('(add --help to see commands and options)')
    .addHelpText(
      'after',
      `
Help on more than commands: ${TOPICS.map((topic) => `svc help ${topic}`).join(', ')}

Exit codes: 0 done, 1 refused, 2 wrong usage, 3 not authenticated.`,
    )
  for (const entry of entries) {
    const command = program.command(entry.name).description(entry.description).helpGroup(entry.group)
    if (args.includes(entry.name)) (await entry.load())(command, context)
  }
  program
    .command('help')
    .description('show help of a command or a topic')
    .helpGroup('This client:')
    .argument('[words...]', 'a command, or a topic')
    .action((words: readonly string[]) => {
      const [first] = words
      if (first !== undefined && words.length === 1 && isTopic(first)) return terminal.out(topicText(first))
      let command = program
      for (const word of words) {
        const below = command.commands.find((each) => each.name() === word)
        if (below === undefined)
          throw usageError(
            `there is no help on ${JSON.stringify(words.join(' '))}: see svc help for the commands; topics are ${TOPICS.join(', ')}`,
          )
        command = below
      }
      command.outputHelp()
    })
  return program
}
