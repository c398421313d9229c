import { printable } from '../output.js'
import { type Look, type Paint, paint } from './look.js'

/** A unified diff with its lines coloured: what comes green, what goes red. */
export function renderDiff(look: Look, diff: string): string {
  return diff
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => paint(look, paintOf(line), line.split('\t').map(printable).join('\t')))
    .join('\n')
    .concat('\n')
}

function paintOf(line: string): Paint | undefined {
  if (line.startsWith('+++') || line.startsWith('---')) return 'bold'
  if (line.startsWith('@@')) return 'cyan'
  if (line.startsWith('+')) return 'green'
  if (line.startsWith('-')) return 'red'
  return undefined
}
