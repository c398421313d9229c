import { isNamedForSamples, isTitledKit, saysKit } from '../exhibits.js'
import type { Facts } from '../facts.js'
import { isShownByPlace } from '../reach.js'
import type { Read } from './first.js'
import type { DeadForms } from './forms/dead-forms.js'

/** What sheets of samples are called. */
const SAMPLE =
  /(?:^|\/)((?:ui[-_])?(?:blank|plain[-_]page|buttons?|cards?|charts?(?:js)?|echarts|other[-_]charts|(?:data-?)?tables?|tables[-_]\w+|typography|widgets|icons|(?:general[-_])?elements|forms?[-_](?:advanced|validation|wizards?|upload|buttons|elements|basic|layouts?)|utilities[-_]\w+|modals?|alerts|badges|progress|tooltips|tabs|accordions?|carousel|dropdowns?|pagination))\.(?:html?|[jt]sx|vue)$/i
/** With fewer, a page is only called so. */
const MIN_SAMPLES = 4

/** What is there to be taken and made a site of: kits, themes, and the sheets of samples that these have. */
export class Themes {
  readonly #forms: DeadForms
  /** pages that show how parts of a kit may look, with whether their title says that there is one */
  readonly #showing = new Map<string, boolean>()
  /** it says of itself that it is there to be taken */
  #saysKit = false
  /** by folder, pages that a theme has to show what it can do */
  readonly #samples = new Map<string, Set<string>>()
  readonly #pagePaths: string[] = []

  constructor(forms: DeadForms) {
    this.#forms = forms
  }

  add(path: string, { samples, titled }: Pick<Facts, 'samples' | 'titled'>): void {
    const isTitled = isTitledKit(titled ?? '')
    if (samples) this.#showing.set(path, isTitled)
    this.#saysKit ||= isTitled
  }

  /** A page, by where its file is. */
  addPage(path: string): void {
    this.#addSample(path)
    // What runs beside pages is none, wherever it stands.
    if (!/\.m?js$/i.test(path) || isShownByPlace(path)) this.#pagePaths.push(path)
  }

  /**
   * Whether a page shows a theme and not a site: in its folder, or one above it, stand sheets of samples. Nobody comes to these to do what they speak of. Where a
   * repository has no page beside them, the theme is what it is there for, and its sheets of samples alone are nobody's.
   */
  isTheme(path: string): boolean {
    const parts = path.split('/')
    const folder = parts
      .map((_, at) => parts.slice(0, at).join('/'))
      .find((one) => (this.#samples.get(one)?.size ?? 0) >= MIN_SAMPLES)
    if (folder !== undefined && (SAMPLE.test(path) || !this.#isAllOfIt(folder))) return true
    return (
      this.#isShowing(path) && (folder !== undefined || this.#saysKit || this.#showing.get(path) === true)
    )
  }

  /**
   * Whether the repository is a kit that others make their site of: a theme as a whole, or what says so of itself and has forms of which none sends anything, where no code asks a
   * server.
   */
  get isKit(): boolean {
    for (const [folder, names] of this.#samples)
      if (names.size >= MIN_SAMPLES && this.#isAllOfIt(folder)) return true
    return this.#saysKit && this.#forms.sendNothing
  }

  /** Reads what a repository says of itself, where it may be a kit and nothing else has told that. */
  async readMore(read: Read): Promise<void> {
    const mayBe = this.#showing.size > 0 || this.#pagePaths.some(isNamedForSamples) || this.#forms.sendNothing
    if (this.#saysKit || !mayBe) return
    this.#saysKit = saysKit(await read('package.json'), await read('README.md'))
  }

  /** Whether a page shows how parts of a kit may look, where there is one. */
  #isShowing(path: string): boolean {
    return this.#showing.has(path) || isNamedForSamples(path)
  }

  /** Whether a folder has all pages that there are. */
  #isAllOfIt(folder: string): boolean {
    return folder === '' || this.#pagePaths.every((one) => one.startsWith(`${folder}/`))
  }

  #addSample(path: string): void {
    const name = SAMPLE.exec(path)?.[1]?.toLowerCase()
    if (name === undefined) return
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')))
    this.#samples.set(folder, (this.#samples.get(folder) ?? new Set()).add(name))
  }
}
