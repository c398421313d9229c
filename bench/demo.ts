import { readEnvironment } from '../cli/client/config.js'
import { processTerminal } from '../cli/process-terminal.js'
import { errorMessage } from '../runtime/errors.js'
import { experimentDemo } from './demos/experiment/demo.js'
import { streamDemo } from './demos/stream.js'
import { localTarget } from './support/client.js'

const USAGE = `npm run demo                              a small shop's events, streamed to the service that runs here, and a funnel of them
npm run demo -- experiment [--serve]      an experiment from its declaration to what was learned, on a service and a shop of the demo;
                                          --serve leaves both open to look at
`

async function main(args: readonly string[]): Promise<number> {
  const [name, ...options] = args
  if (name === undefined) await streamDemo(localTarget(process.env))
  else if (name === 'experiment' && options.every((option) => option === '--serve'))
    return experimentDemo(processTerminal(readEnvironment()), options.includes('--serve'))
  else {
    process.stderr.write(USAGE)
    return 2
  }
  return 0
}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${errorMessage(error)}\n`)
    process.exit(1)
  },
)
