/** What the one-file client loads for anything but its version: a file beside it in the archive, since compiling it takes longer than `--version` may. */
export { COMMANDS as entries } from './commands/table.js'
export { run } from './run.js'
