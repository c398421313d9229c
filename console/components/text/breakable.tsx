/** An identifier that wraps after its separators first, so that words stay whole in narrow columns. */
export function Breakable(props: { readonly text: string }) {
  return props.text.split(/(?<=[_.$@/])/).map((part, at) => (
    <>
      {at > 0 && <wbr />}
      {part}
    </>
  ))
}
