import { escapeControls } from '../output.js'
import { type Color, colorize, type TerminalStyle } from './terminal-style.js'

export function renderDiff(style: TerminalStyle, diff: string): string {
  return diff
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => colorize(style, paintOf(line), line.split('\t').map(escapeControls).join('\t')))
    .join('\n')
    .concat('\n')
}

function paintOf(line: string): Color | undefined {
  if (line.startsWith('+++') || line.startsWith('---')) return 'bold'
  if (line.startsWith('@@')) return 'cyan'
  if (line.startsWith('+')) return 'green'
  if (line.startsWith('-')) return 'red'
  return undefined
}
