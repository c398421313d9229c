import type { PasswordStep } from '../../analyse.js'

/** What the code has of setting a forgotten password anew. */
export class Passwords {
  readonly #steps = new Set<PasswordStep>()

  add(steps: readonly PasswordStep[]): void {
    for (const step of steps) this.#steps.add(step)
  }

  /** Of code that no page shows it counts alone that a mail is sent. */
  addSent(steps: readonly PasswordStep[]): void {
    if (steps.includes('sent')) this.#steps.add('sent')
  }

  /** Whether a forgotten password can be set anew: what a library mails leads to where the new one is taken. */
  get areSetAnew(): boolean {
    // A link to a page that is not there is none.
    if (this.#steps.has('leads nowhere') || !this.#steps.has('reached')) return false
    return this.#steps.has('offered') && (!this.#steps.has('mailed') || this.#steps.has('taken'))
  }

  /** Whether it is known, too, that a mail is sent to those who have forgotten it. */
  areMailedAnew(isKit: boolean): boolean {
    // A kit has nobody yet who sends it, and says that it is sent.
    return this.areSetAnew && (this.#steps.has('sent') || (isKit && this.#steps.has('said')))
  }
}
