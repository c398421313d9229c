import type { Command } from 'commander'
import type { Context } from '../context.js'

export function define(_command: Command, _context: Context): void {}
