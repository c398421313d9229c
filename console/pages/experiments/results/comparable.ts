import type { components } from '../../../../contract/operations.js'

type Target = components['schemas']['TargetResults']

/** With fewer, a rate or a lift is mostly noise. The verdict has the same limit of conversions. */
export const MIN_PERSONS = 100
const MIN_CONVERSIONS = 5

/** Whether the control and another variant have enough persons and conversions for percentages. */
export function isComparable({ variants }: Target): boolean {
  const [control, ...others] = variants
  return control !== undefined && isEnough(control) && others.some(isEnough)
}

function isEnough({ exposed, converted }: Target['variants'][number]): boolean {
  return exposed >= MIN_PERSONS && converted >= MIN_CONVERSIONS
}
