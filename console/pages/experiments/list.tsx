import { Page } from '../../parts/page'

export default function Experiments() {
  return <Page title="Experiments" />
}
