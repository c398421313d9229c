/**
 * Attributes of HTML whose text means nothing: `disabled=""` disables. Frameworks take a bound text for a
 * condition, so that a choice between texts is not what stood there.
 */
const BOOLEAN_ATTRIBUTES =
  /^(allowfullscreen|async|autofocus|autoplay|checked|controls|default|defer|disabled|disablepictureinpicture|disableremoteplayback|formnovalidate|hidden|inert|ismap|itemscope|loop|multiple|muted|nomodule|novalidate|open|playsinline|readonly|required|reversed|seamless|selected|webkitdirectory)$/i

export const isBooleanAttribute = (name: string): boolean => BOOLEAN_ATTRIBUTES.test(name)
