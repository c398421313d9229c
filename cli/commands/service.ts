import { Argument, type Command } from 'commander'
import type { CommonOptions, Context } from '../context.js'
import { parseId } from '../option-parsers.js'
import { addJsonAndExamples, addPaging, examplesText, lazy, parseTime } from './define.js'

const SHELLS = ['bash', 'zsh', 'fish'] as const

export function defineAudit(command: Command, context: Context): void {
  const filtered = addJsonAndExamples(command, [
    'svc audit --limit 10',
    'svc audit --action experiment.start --from 7d',
    'svc audit --from 30d --ndjson > audit.ndjson',
  ])
    .option('--key <id>', 'only what this key did')
    .option('--person <id>', 'only what this person did, with a key or without', parseId)
    .option('--action <name>', 'only this action, such as funnel.create')
    .option('--resource-type <name>', 'only resources of this type, such as experiment')
    .option('--resource <id>', 'only what was done to this resource')
    .option('--from <time>', 'at or after a time, or an age such as 2d, 12h, 90m', parseTime(context))
    .option('--to <time>', 'before a time or an age', parseTime(context))
    .option('--ndjson', 'print all entries, not a page of them, one per line as JSON')
  addPaging(filtered, 25, 100).action(
    lazy(context, async () => (await import('./read.js')).listAuditEntriesCommand),
  )
}

export function defineCounts(command: Command, context: Context): void {
  addJsonAndExamples(command, ['svc counts', 'svc counts --json']).action(
    lazy(context, async () => (await import('./read.js')).showCounts),
  )
}

export function defineReadiness(command: Command, context: Context): void {
  addJsonAndExamples(command, ['svc readiness', 'svc readiness --json']).action(
    lazy(context, async () => (await import('../service/doctor.js')).showReadiness),
  )
}

export function defineDoctor(command: Command, context: Context): void {
  addJsonAndExamples(
    command,
    ['svc doctor', 'svc doctor --json'],
    'print { ok, checks: [{ code, ok, message, fix }] }',
  )
    .addHelpText(
      'after',
      `
With SVC_SERVER_KEY it sends one event, $svc_doctor, and waits until the API lists it. Exits 1 if a check fails.`,
    )
    .action(lazy(context, async () => (await import('../service/doctor.js')).doctor))
}

export function defineLogin(command: Command, context: Context): void {
  command
    .option('--json', 'print the answer of /me unchanged')
    .addHelpText(
      'after',
      `
The key is never an argument, because other users of the machine could read it: type it at the hidden prompt, or send it on
standard input. It is tried first, and stored under --profile with its address (SVC_API_URL, else that of the profile, else
this machine).
${examplesText(['svc login < key.txt', 'svc login --profile staging < key.txt'])}`,
    )
    .action(async (_, leaf: Command) =>
      (await import('../session.js')).login(context, leaf.optsWithGlobals()),
    )
}

export function defineLogout(command: Command, context: Context): void {
  addJsonAndExamples(command, ['svc logout --profile staging', 'svc logout'], 'print { profile, removed }')
    .option('--all', 'every profile')
    .action(async (_, leaf: Command) =>
      (await import('../session.js')).logout(context, leaf.optsWithGlobals()),
    )
}

export function defineWhoami(command: Command, context: Context): void {
  addJsonAndExamples(
    command,
    ['svc whoami', 'svc whoami --json'],
    'print the answer of /me unchanged',
  ).action(lazy<[CommonOptions]>(context, async () => (await import('../session.js')).whoami))
}

export function defineCompletion(command: Command, context: Context): void {
  command
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .addHelpText(
      'after',
      `
Completes commands, flags, keys of experiments and names of funnels. It asks the API for keys and names.
${examplesText(['svc completion bash > svc.bash', 'svc completion zsh > _svc', 'svc completion fish > svc.fish'])}

bash: source the file in ~/.bashrc. zsh: put it into a folder of $fpath. fish: put it into ~/.config/fish/completions.`,
    )
    .action(async (shell: (typeof SHELLS)[number]) => {
      const { completionScript } = await import('../completion/scripts.js')
      context.terminal.out(completionScript(shell))
    })
}
