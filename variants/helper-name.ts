const STEM = 'svc-experiments'

/** The helper's file name. The site chooses its folder. */
export const HELPER_FILE = `${STEM}.js`
/** The helper's types. Without `allowJs`, TypeScript needs a declaration for a JavaScript file. */
export const HELPER_TYPES_FILE = `${STEM}.d.ts`

/** A path or URL that ends in the helper's file name, with or without extension. */
export const HELPER_NAME = new RegExp(`(^|/)${STEM}(\\.js)?$`)

/** Whether a file may load or import the helper. If no file does, the helper can be deleted. */
export const mentionsHelper = (text: string): boolean => text.includes(STEM)
