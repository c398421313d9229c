import { Page } from '../../parts/page'

export default function Experiment(props: { readonly id: string }) {
  return <Page title={props.id} />
}
