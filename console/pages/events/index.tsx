import { Page } from '../../parts/page'

export default function Events() {
  return <Page title="Events" />
}
