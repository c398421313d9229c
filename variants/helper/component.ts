import { HELPER_FILE } from '../helper-name.js'

/**
 * The component that shows variants in Server Components. They see no visitor, so they hand over all arms as
 * elements, and this component chooses when a page is rendered for its visitor and in the browser.
 */
export function componentSource(): string {
  return `'use client'
// Used by the experiments of this site: shows a visitor's variant in a Server Component. It chooses on the
// server, when a page is rendered for its visitor, and again in the browser.
// The same file for every experiment. The cleanup of the last one deletes it.
import { variant } from './${HELPER_FILE}'

/**
 * The arm of the visitor's variant. The children if it has none, as the control has.
 * @param {object} props
 * @param {string} props.experiment its key
 * @param {Readonly<Record<string, number>>} props.splits whole percents by variant, the control first
 * @param {Readonly<Record<string, any>>} props.arms what to show instead of the children, by variant
 * @param {any} [props.children]
 * @returns {any}
 */
export function SvcVariant({ experiment, splits, arms, children }) {
  const arm = variant(experiment, splits)
  return Object.keys(arms).includes(arm) ? arms[arm] : children
}
`
}

/** Its declaration file. */
export function componentTypes(): string {
  return `import type { ReactElement, ReactNode } from 'react'

/**
 * Shows the arm of the visitor's variant, or else the children. A Server Component can render it.
 *
 * @param props.experiment its key
 * @param props.splits whole percents by variant, the control first
 * @param props.arms what to show instead of the children, by variant
 */
export function SvcVariant(props: {
  readonly experiment: string
  readonly splits: Readonly<Record<string, number>>
  readonly arms: Readonly<Record<string, ReactNode>>
  readonly children?: ReactNode
}): ReactElement
`
}
