/** The level at which a difference counts as one. By itself, because it is needed before any result is. */
export const ALPHA = 0.05
