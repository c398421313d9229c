const STEM = 'svc-experiments'

/** The helper's name; where it lies is the site's choice. */
export const HELPER_FILE = `${STEM}.js`
/** Its declaration, beside it where TypeScript is compiled: without `allowJs` nothing else types a file of JavaScript. */
export const HELPER_TYPES_FILE = `${STEM}.d.ts`

/** A path or address that ends in the helper's file name, with or without its ending. */
export const HELPER_NAME = new RegExp(`(^|/)${STEM}(\\.js)?$`)

/** Whether a file may load or import the helper: when no file does, the helper's own file can go. */
export const mentionsHelper = (text: string): boolean => text.includes(STEM)
