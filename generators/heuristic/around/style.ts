import type { Facts } from '../facts.js'
import type { Site } from '../idea.js'
import { bothBelow, NOTHING_BELOW } from '../mechanisms/phones/below.js'

/** How the site looks on its pages together: its classes, and what stays where it is while pages scroll. */
export class Style {
  /** classes that stand somewhere: what the site has a style for */
  readonly classes = new Set<string>()
  /** some page has a part that stays at the top of the window */
  sticks = false
  /** what stays at the lower edge of the window */
  #below = NOTHING_BELOW
  readonly #clipped = new Set<string>()
  readonly #labels = new Map<string, number>()

  add(classes: readonly string[], facts: Pick<Facts, 'sticks' | 'below' | 'clips' | 'labelStyle'>): void {
    for (const one of classes) this.classes.add(one)
    this.sticks ||= facts.sticks
    this.#below = bothBelow(this.#below, facts.below)
    for (const part of facts.clips) this.#clipped.add(part)
    if (facts.labelStyle !== null)
      this.#labels.set(facts.labelStyle, (this.#labels.get(facts.labelStyle) ?? 0) + 1)
  }

  /** What parts of pages run into that stick to the window. */
  atEdges(): Pick<Site, 'clipped' | 'below'> {
    return { clipped: [...this.#clipped].sort(), below: this.#below }
  }

  /** The classes that most labels have. */
  labelStyle(): string | null {
    return [...this.#labels].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))[0]?.[0] ?? null
  }
}
