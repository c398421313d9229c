/**
 * For glibc's allocator, read by no other. Left to itself it gives what a commit or an inflated body has freed back to the system and asks for it again for the next one: with batches the page faults
 * were a sixth of all CPU. Blocks of up to 4 MB stay with the process, 32 MB of them at the end of the heap.
 */
const KEEP_FREED_MEMORY = {
  MALLOC_MMAP_THRESHOLD_: String(4 * 2 ** 20),
  MALLOC_TRIM_THRESHOLD_: String(32 * 2 ** 20),
}

/** How a gateway process is started, beside what its program was started with. An operator's own settings of the allocator come first. */
export function gatewayProcessSettings(): {
  readonly env: NodeJS.ProcessEnv
  readonly execArgv: string[]
} {
  return {
    env: { ...KEEP_FREED_MEMORY, ...process.env },
    // Requests of 175 KB fill the default nursery in no time: a larger one lets most of them die young.
    execArgv: [...process.execArgv, '--max-semi-space-size=64'],
  }
}
