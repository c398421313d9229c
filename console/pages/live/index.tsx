import { Page } from '../../parts/page'

export default function Live() {
  return <Page title="Live" />
}
