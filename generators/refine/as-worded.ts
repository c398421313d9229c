/** In a reason, between a text that states what the code does not and the instructions. */
export const AS_WORDED = ' stands there as the instructions word it: '

/** Whether a reason warns that a text states what the code does not. */
export const saysUnstated = (reason: string): boolean => reason.includes(AS_WORDED)
