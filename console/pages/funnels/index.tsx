import { Page } from '../../parts/page'

export default function Funnels(props: { readonly id?: string }) {
  return <Page title={props.id ?? 'Funnels'} />
}
