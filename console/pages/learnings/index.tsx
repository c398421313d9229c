import { Page } from '../../parts/page'

export default function Learnings() {
  return <Page title="Learnings" />
}
