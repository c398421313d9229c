import { Page } from '../../parts/page'

export default function Runs() {
  return <Page title="Runs" />
}
