/** The commands of the one-file client, in a separate file so that `--version` does not compile them. */
export { COMMANDS as entries } from './commands/table.js'
export { run } from './run.js'
