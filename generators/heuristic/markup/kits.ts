import type { Page } from './tree.js'

/** Whether the looks of a file are written in its classes, as utilities or a grid kit have them. */
export const isUtility = ({ text }: Page): boolean =>
  /class(Name)?="[^"]*(?<=["\s:])[mp][tblrxy]?-(\d|\[)/.test(text) &&
  /class(Name)?="[^"]*(?<=["\s:])(text|flex|bg|font|items|justify|max-w)-/.test(text) &&
  !isGrid({ text })
export const isGrid = ({ text }: Pick<Page, 'text'>): boolean =>
  /class(Name)?="[^"]*\b(col-(sm|md|lg|xl)-\d|btn btn-(primary|secondary|lg|outline|success|warning|danger|info|light|dark))/.test(
    text,
  )
