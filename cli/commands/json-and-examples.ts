import type { Command } from 'commander'

/** What every command has beside its own: `--json` and examples, which the tests run as they stand. */
export function addJsonAndExamples(
  command: Command,
  examples: readonly string[],
  json = 'print the answer as it came',
): Command {
  return command.option('--json', json).addHelpText('after', examplesText(examples))
}

export function examplesText(examples: readonly string[]): string {
  return `\nExamples:\n${examples.map((example) => `  ${example}`).join('\n')}`
}

/** Appends to a list option each time it is given. */
export function collect(value: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), value]
}
