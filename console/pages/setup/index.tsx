import { Page } from '../../parts/page'

export default function Setup() {
  return <Page title="Setup" />
}
