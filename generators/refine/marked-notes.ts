/** Lines of the notes of a proposal that a revision writes anew. */

/** In a reason, between a text that states what the code does not and the instructions. */
export const AS_WORDED = ' stands there as the instructions word it: '
const REMARK = 'Last revision: '

/** Whether a reason warns that a text states what the code does not. */
export const saysUnstated = (reason: string): boolean => reason.includes(AS_WORDED)

/** A model's remark on its revision, as a line of the notes. */
export const remarkOf = (message: string): string => `${REMARK}${message}`

export const isRemark = (line: string): boolean => line.startsWith(REMARK)
