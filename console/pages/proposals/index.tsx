import { Page } from '../../parts/page'

export default function Proposals() {
  return <Page title="Proposals" />
}
