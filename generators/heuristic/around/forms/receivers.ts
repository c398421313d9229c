import type { Findings } from '../../analyse.js'
import type { FieldReads } from '../../field-reads.js'
import {
  filesFor,
  type Handler,
  handlerOf,
  leavesForms,
  type Receiver,
  receiverKey,
  scriptOfForm,
  scriptsAt,
  servedBy,
} from '../../form-handlers.js'
import type { Site } from '../../idea.js'
import { firstThere, inOrder, type Read } from '../first.js'

/** How many forms are followed to the code that receives them. */
export const MAX_RECEIVERS = 300

/** Whether all scripts that a form's page loads from its own site leave forms alone. */
async function leaveForms(path: string, to: Receiver, read: Read): Promise<boolean> {
  for (const src of to.kind === 'address' ? (to.scripts ?? []) : []) {
    let text: string | null = null
    for (const file of scriptsAt(path, src)) text ??= await read(file)
    if (!leavesForms(text)) return false
  }
  return true
}

/** The one of a page's scripts that has to do with forms, where it sends that one. */
async function scriptAmong(
  path: string,
  { id, scripts }: Extract<Receiver, { kind: 'script' }>,
  read: Read,
): Promise<Handler | null> {
  const found: Handler[] = []
  for (const src of scripts) {
    const script = await firstThere(scriptsAt(path, src), read)
    if (leavesForms(script?.text ?? null)) continue
    const handler = script === null ? null : scriptOfForm(script.file, script.text, id)
    if (handler === null) return null
    found.push(handler)
  }
  return found.length === 1 ? (found[0] ?? null) : null
}

/** Who receives what forms send, and what the code there reads of it. */
export class Receivers {
  readonly #fieldReads = { asTheyAre: new Set<string>(), needed: new Set<string>() }
  /** by address, the files whose own server takes what is sent there */
  readonly #posts = new Map<string, string[]>()
  readonly #receivers: { path: string; to: Receiver }[] = []
  readonly #handlers = new Map<string, Handler>()

  add(
    path: string,
    {
      fieldReads: { asTheyAre, needed },
      posts,
      receivers,
    }: Pick<Findings, 'fieldReads' | 'posts' | 'receivers'>,
  ): void {
    for (const post of posts) this.#posts.set(post, [...(this.#posts.get(post) ?? []), path].sort())
    this.#receivers.push(...receivers.map((to) => ({ path, to })))
    for (const one of asTheyAre) this.#fieldReads.asTheyAre.add(one)
    for (const one of needed) this.#fieldReads.needed.add(one)
  }

  /** Whether some form sends to somebody. */
  get hasAny(): boolean {
    return this.#receivers.length > 0
  }

  /** Reads the files that forms name, and no others. */
  async readMore(read: Read): Promise<void> {
    for (const { path, to } of this.#receivers.slice(0, MAX_RECEIVERS)) {
      if (to.kind === 'script') this.#set(path, to, await scriptAmong(path, to, read))
      else await this.#readHandler(path, to, read)
    }
  }

  async #readHandler(path: string, to: Exclude<Receiver, { kind: 'script' }>, read: Read): Promise<void> {
    if (!(await leaveForms(path, to, read))) return
    this.#set(path, to, servedBy(to))
    // What stands in the page itself is no other file.
    const found = await firstThere(
      filesFor(path, to, this.#posts).filter((file) => file !== path),
      read,
    )
    this.#set(path, to, found === null ? null : handlerOf(found.file, found.text, to))
  }

  /** @param handler `null`: it is not known */
  #set(path: string, to: Receiver, handler: Handler | null): void {
    if (handler !== null) this.#handlers.set(receiverKey(path, to), handler)
  }

  /** How the code reads fields of forms. */
  fieldReads(): FieldReads {
    return { asTheyAre: [...this.#fieldReads.asTheyAre].sort(), needed: [...this.#fieldReads.needed].sort() }
  }

  handlers(): Site['handlers'] {
    return Object.fromEntries(inOrder(this.#handlers))
  }
}
