/** A key for trying an experiment before it has one: of the form that is stored, and in no file yet. */
export const experimentKeyOf = ({ name }: { name: string }): string => {
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? []
  return `candidate-${words.join('-')}`.slice(0, 60).replace(/-+$/, '')
}
