/** Renders text between backticks as code. */
export function InlineCode(props: { readonly text: string }) {
  return (
    <>
      {props.text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}
    </>
  )
}
