import { Argument, type Command } from 'commander'
import type { Context } from '../context.js'
import { examplesText } from './json-and-examples.js'

const SHELLS = ['bash', 'zsh', 'fish'] as const

export function define(command: Command, context: Context): void {
  command
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .addHelpText(
      'after',
      `
Completes commands, flags, and keys of experiments and names of funnels, which it asks the API for.
${examplesText(['svc completion bash > svc.bash', 'svc completion zsh > _svc', 'svc completion fish > svc.fish'])}

bash: source the file in ~/.bashrc. zsh: put it into a folder of $fpath. fish: put it into ~/.config/fish/completions.`,
    )
    .action(async (shell: (typeof SHELLS)[number]) => {
      const { completionScript } = await import('../completion/scripts.js')
      context.terminal.out(completionScript(shell))
    })
}
