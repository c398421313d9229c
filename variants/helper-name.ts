/** A path or address that ends in the helper's file name, with or without its ending. */
export const HELPER_NAME = /(^|\/)svc-experiments(\.js)?$/

/** Whether a file may load or import the helper: when no file does, the helper's own file can go. */
export const mentionsHelper = (text: string): boolean => text.includes('svc-experiments')
