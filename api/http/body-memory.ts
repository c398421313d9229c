import { HttpError } from './http-error.js'

/** Of one workspace: 64 of the largest bodies. */
const MAX_OF_OWNER_BYTES = 64 * 1024 * 1024
const MAX_BYTES = 256 * 1024 * 1024

/** Limits the memory of bodies that are being received or are at work. */
export class BodyMemory {
  private used = 0
  private readonly byOwner = new Map<string, number>()

  /**
   * @param owner the workspace, or who else the body counts for
   * @returns gives the bytes back
   * @throws HttpError RATE_LIMITED
   */
  reserve(owner: string, bytes: number): () => void {
    const before = this.byOwner.get(owner) ?? 0
    if (before + bytes > MAX_OF_OWNER_BYTES || this.used + bytes > MAX_BYTES) throw tooMuchMemory()
    this.add(owner, bytes)
    return () => this.add(owner, -bytes)
  }

  private add(owner: string, bytes: number): void {
    this.used += bytes
    const after = (this.byOwner.get(owner) ?? 0) + bytes
    if (after === 0) this.byOwner.delete(owner)
    else this.byOwner.set(owner, after)
  }
}

function tooMuchMemory(): HttpError {
  return new HttpError(
    'RATE_LIMITED',
    'Too many large bodies are at work: wait for the answers to earlier ones, or send smaller ones',
    [],
    { 'Retry-After': '1' },
  )
}
