import type { Argument, Command, Option } from 'commander'
import type { Api } from '../client/api.js'
import type { Context } from '../context.js'

const MAX_KEYS = 200

/** Commands, flags, flag values and names that can come next. Without names if the API fails. */
export async function candidatesFor(
  program: Command,
  words: readonly string[],
  context: Context,
): Promise<readonly string[]> {
  let command = program
  const rest: string[] = []
  for (const word of words) {
    const below = rest.length === 0 ? command.commands.find((each) => each.name() === word) : undefined
    if (below !== undefined) command = below
    else rest.push(word)
  }
  const options = [...command.options, ...(command === program ? [] : program.options)].filter(
    ({ hidden }) => !hidden,
  )
  const waiting = options.find((option) => isFor(option, rest.at(-1)) && option.required)
  if (waiting !== undefined) return waiting.argChoices ?? []
  const subcommands = command.commands.map((each) => each.name())
  const flags = [...options.flatMap(({ long }) => long ?? []), '--help']
  const given = rest.filter(
    (word, at) => !word.startsWith('-') && !options.some((o) => o.required && isFor(o, rest[at - 1])),
  )
  const argument = command.registeredArguments[given.length] ?? variadic(command.registeredArguments)
  const named =
    argument === undefined ? [] : (argument.argChoices ?? (await namesFor(command, argument, context)))
  return [
    ...subcommands,
    ...named.filter((name) => !given.includes(name)),
    ...flags.filter((flag) => !rest.includes(flag)),
  ]
}

function isFor(option: Option, word: string | undefined): boolean {
  return word !== undefined && (option.long === word || option.short === word)
}

function variadic(args: readonly Argument[]): Argument | undefined {
  const last = args.at(-1)
  return last?.variadic ? last : undefined
}

/** The names of what a command is about. */
async function storedNames(api: Api, command: string): Promise<readonly string[]> {
  const query = { limit: MAX_KEYS }
  switch (command) {
    case 'funnels':
      return (await api.call('listFunnels', {})).body.data.map(({ name }) => name)
    case 'insights':
      return (await api.call('listInsights', { query })).body.data.map(({ name }) => name)
    case 'dashboards':
      return (await api.call('listDashboards', { query })).body.data.map(({ name }) => name)
    case 'events':
      return (await api.call('listEventNames', { query })).body.data.map(({ eventName }) => eventName)
    default:
      return []
  }
}

async function namesFor(command: Command, argument: Argument, context: Context): Promise<readonly string[]> {
  const parent = command.parent?.name()
  const isId = argument.name() === 'id' || argument.name() === 'ids'
  try {
    const isName = ['name', 'names', 'event'].includes(argument.name()) && command.name() !== 'create'
    if (isName && parent !== undefined) return await storedNames(await context.api(), parent)
    if (!isId || (parent !== 'experiments' && parent !== 'proposals')) return []
    const query = { limit: MAX_KEYS, ...(parent === 'proposals' ? { status: 'proposed' } : {}) }
    const { body } = await (await context.api()).call('listExperiments', { query })
    return body.data.map(({ key }) => key)
  } catch {
    // A shell that completes a word has no place for an error.
    return []
  }
}
