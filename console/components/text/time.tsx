const stamp = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })
const utcDay = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' })
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })

/** A time in the viewer's zone, with UTC in its title. `clock` omits the day if it is today. */
export function Time(props: {
  readonly at: string
  readonly as?: 'stamp' | 'exact' | 'clock' | 'day' | 'utc-day'
}) {
  const at = new Date(props.at)
  const today = at.toDateString() === new Date().toDateString()
  const format = { stamp, exact, clock: today ? clock : exact, day, 'utc-day': utcDay }[props.as ?? 'stamp']
  return (
    <time dateTime={props.at} title={`${at.toISOString().replace('T', ' ').replace('Z', '')} UTC`}>
      {format.format(at)}
    </time>
  )
}
