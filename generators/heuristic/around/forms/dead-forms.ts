import type { Findings } from '../../analyse.js'
import type { Facts } from '../../facts.js'
import { scriptsAt, sendsNoForm } from '../../form-handlers.js'
import { nameOf, plain } from '../../uses.js'
import { firstThere, type Read } from '../first.js'
import { MAX_PAGES } from '../pages.js'
import { MAX_RECEIVERS } from './receivers.js'

/** One alone may be meant to be sent by what is not in the repository. */
const FEW_FORMS = 2

/** Which forms nobody takes: those of pages, of the parts that these show, and of sites in which nothing is sent at all. */
export class DeadForms {
  readonly #forms: { path: string; forms: Facts['forms']; shows: readonly string[] }[] = []
  /** pages whose forms nothing sends but a script, if one of these does */
  readonly #mayBeIdle: ({ path: string } & NonNullable<Findings['idle']>)[] = []
  readonly #idle = new Set<string>()
  /** some file asks a server for something */
  #asksServer = false

  add(path: string, { forms, shows }: Pick<Facts, 'forms' | 'shows'>): void {
    if (forms !== null || shows.length > 0) this.#forms.push({ path, forms, shows })
  }

  addSending(path: string, { idle, asksServer }: Pick<Findings, 'idle' | 'asksServer'>): void {
    this.#asksServer ||= asksServer
    if (idle !== null) this.#mayBeIdle.push({ path, ...idle })
  }

  /** Whether there are forms of which none sends anything, and no code asks a server. */
  get sendNothing(): boolean {
    const forms = this.#forms.flatMap((one) => one.forms ?? [])
    return !this.#asksServer && forms.length >= FEW_FORMS && forms.every((one) => one === 'dead')
  }

  /** Reads the scripts of pages whose forms nothing else sends, each once. */
  async readMore(read: Read): Promise<void> {
    const leaving = new Map<string, boolean>()
    const leaves = async (path: string, src: string): Promise<boolean> => {
      const files = scriptsAt(path, src)
      const key = files.join(' ')
      const known = leaving.get(key) ?? sendsNoForm((await firstThere(files, read))?.text ?? null)
      leaving.set(key, known)
      return known
    }
    for (const { path, scripts, areAll } of this.#mayBeIdle.slice(0, MAX_RECEIVERS)) {
      let isIdle = true
      for (const src of scripts) isIdle &&= await leaves(path, src)
      if (!isIdle) continue
      this.#idle.add(path)
      if (areAll) for (const one of this.#forms) if (one.path === path) one.forms = 'dead'
    }
  }

  /** Pages with forms that no script of theirs sends. */
  idle(): string[] {
    return [...this.#idle].sort().slice(0, MAX_PAGES)
  }

  /** Pages of which nobody takes what is filled in: on themselves, or in the parts that they show. */
  deadEnds(): string[] {
    const dead = new Set<string>()
    const live = new Set<string>()
    for (const { path, forms } of this.#forms)
      if (forms !== null) (forms === 'dead' ? dead : live).add(plain(nameOf(path)))
    if (dead.size === 0) return []
    return this.#forms
      .filter(({ forms, shows }) => forms === 'dead' || shows.some((one) => dead.has(one)))
      .filter(({ forms, shows }) => forms !== 'live' && !shows.some((one) => live.has(one)))
      .map(({ path }) => path)
      .sort()
      .slice(0, MAX_PAGES)
  }
}
