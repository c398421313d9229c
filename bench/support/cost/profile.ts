import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'

const FLAG = '--cpu-prof'

/** Whether this process writes a profile, and so do all that it starts with its own Node arguments. */
export function isProfiled(): boolean {
  return process.execArgv.includes(FLAG)
}

/** Runs the same program again with the same arguments, in a process that writes profiles into the folder. */
export async function runProfiled(args: readonly string[], folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const [program = ''] = process.argv.slice(1)
  const child = spawn(
    process.execPath,
    [...process.execArgv, FLAG, `${FLAG}-dir=${folder}`, program, ...args],
    { stdio: 'inherit' },
  )
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve))
  if (code !== 0) throw new Error(`the profiled run ended with ${code}`)
  process.stdout.write(`profiles, one for each process and thread, in ${folder}\n`)
}
