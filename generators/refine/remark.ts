const BEGIN = 'Last revision: '

/** A model's remark on its revision, as a line of the notes. */
export const remarkOf = (message: string): string => `${BEGIN}${message}`

export const isRemark = (line: string): boolean => line.startsWith(BEGIN)
