const STEM = 'svc-experiments'

/** The helper's file name. The site chooses its folder. */
export const HELPER_FILE = `${STEM}.js`
/** The helper's types. Without `allowJs`, TypeScript needs a declaration for a JavaScript file. */
export const HELPER_TYPES_FILE = `${STEM}.d.ts`
/** The component beside the helper that shows variants in Server Components, and its types. */
export const COMPONENT_FILE = `${STEM}-component.js`
export const COMPONENT_TYPES_FILE = `${STEM}-component.d.ts`

/** A path or URL that ends in the helper's file name, with or without extension. */
export const HELPER_NAME = new RegExp(`(^|/)${STEM}(\\.js)?$`)
/** The same for the component. */
export const COMPONENT_NAME = new RegExp(`(^|/)${STEM}-component(\\.js)?$`)

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

export const isComponentFile = (path: string): boolean =>
  [COMPONENT_FILE, COMPONENT_TYPES_FILE].includes(nameOf(path))

/** Whether a path is the helper, its component or the types of one of them. */
export const isHelperFile = (path: string): boolean =>
  isComponentFile(path) || [HELPER_FILE, HELPER_TYPES_FILE].includes(nameOf(path))

/** Whether a file may import the component. */
export const mentionsComponent = (text: string): boolean => text.includes(`${STEM}-component`)

/** Whether a file may load or import the helper or its component. If no file does, they can be deleted. */
export const mentionsHelper = (text: string): boolean => text.includes(STEM)
