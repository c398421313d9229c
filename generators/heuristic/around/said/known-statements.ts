import type { Facts } from '../../facts.js'
import type { KnownStatement } from '../../idea.js'
import { OTHERWISE, statementsIn } from '../../statements.js'
import { FIGURE, IS_FREE, type StatementKind } from '../../words/statements.js'
import { firstByPath } from '../first.js'
import type { Names } from '../names.js'
import type { KeyedText } from './keyed-texts.js'

const LONGEST_KEYED = 200
const MAX_STATEMENTS = 120

/** A statement that a page shows by its key: the whole of such a text. */
function statementOf({ path, shows, call, value, language }: KeyedText): KnownStatement[] {
  if (value.length > LONGEST_KEYED) return []
  const [first] = statementsIn(value, language)
  return first === undefined ? [] : [{ ...first, says: value, isFramed: false, path, shows, keyed: call }]
}

/** Whole sentences that help those who hesitate, as far as the site says them in one way. */
export class KnownStatements {
  readonly #names: Names
  readonly #statements: KnownStatement[] = []
  /** by kind, the figures that the site names */
  readonly #figures = new Map<StatementKind, Set<string>>()

  constructor(names: Names) {
    this.#names = names
  }

  add(path: string, { figures, statements, shows }: Pick<Facts, 'figures' | 'statements' | 'shows'>): void {
    for (const { kind, figure } of figures)
      this.#figures.set(kind, (this.#figures.get(kind) ?? new Set()).add(figure))
    this.#statements.push(...statements.map((one) => ({ ...one, path, shows })))
  }

  known(keyed: readonly KeyedText[]): KnownStatement[] {
    const all = [...this.#statements, ...keyed.flatMap(statementOf)]
    return firstByPath(
      all.filter((one) => !this.#isDisputed(one) && this.#names.isLinked(one.path)),
      MAX_STATEMENTS,
    )
  }

  /** Whether some page says that who goes has to say so before, or is bound for some time. */
  get deniesCancel(): boolean {
    return this.#figures.get('cancel')?.has(OTHERWISE) === true
  }

  /** Whether the site names more than one figure for what is said with one: which holds is not told. */
  #isDisputed({ kind, says }: KnownStatement): boolean {
    const figures = new Set([...says.matchAll(FIGURE)].map(([one]) => one))
    const named = this.#figures.get(kind)
    const isDenied = named?.has(OTHERWISE) === true
    if (isDenied && (kind !== 'returns' || IS_FREE.test(says))) return true
    return figures.size > 0 && (named?.size ?? 0) - (isDenied ? 1 : 0) > figures.size
  }
}
