const stamp = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })

/** A moment in the viewer's zone, and in UTC for whoever points at it. */
export function Time(props: { readonly at: string; readonly as?: 'stamp' | 'exact' | 'day' }) {
  const at = new Date(props.at)
  const format = { stamp, exact, day }[props.as ?? 'stamp']
  return (
    <time dateTime={props.at} title={`${at.toISOString().replace('T', ' ').replace('Z', '')} UTC`}>
      {format.format(at)}
    </time>
  )
}
