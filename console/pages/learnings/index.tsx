import { Link } from 'wouter-preact'
import { api, unwrap } from '../../client/api'
import { useQueryParams } from '../../client/query-params'
import { useResource } from '../../client/resource'
import { FilterSelect } from '../../components/controls/filter-select'
import { SearchField } from '../../components/controls/search-field'
import { EmptyState } from '../../components/loading/empty-state'
import { ListView } from '../../components/loading/list-view'
import { Page } from '../../components/page'
import { LearningCard } from './learning'

const PAGE_SIZE = 25
const POLL_MS = 30_000
const DECISIONS = { ship: 'Shipped', reject: 'Rejected', conclude: 'Concluded' }
const REVIEWS = { draft: 'Draft', approved: 'Approved' }

export default function LearningsPage() {
  const address = useQueryParams()
  const [params, change] = address
  const given = Object.fromEntries(
    ['search', 'decision', 'reviewStatus'].flatMap((name) => {
      const value = params.get(name)
      return value === null ? [] : [[name, value]]
    }),
  )
  const query = { ...given, limit: PAGE_SIZE, offset: Number(params.get('offset') ?? 0) }
  const page = useResource(
    JSON.stringify(query),
    (signal) => unwrap(api.GET('/learnings', { params: { query }, signal })),
    { refetchMs: POLL_MS },
  )
  return (
    <Page title="Learnings" lead="What was decided, on which results, and what it means.">
      <div class="toolbar">
        <div class="wide">
          <SearchField address={address} />
        </div>
        <FilterSelect address={address} name="decision" label="Decision" options={DECISIONS} />
        <FilterSelect address={address} name="reviewStatus" label="Review" options={REVIEWS} />
      </div>
      <ListView
        of={page}
        what="learnings"
        change={change}
        empty={<NoLearnings narrowed={Object.keys(given).length > 0} />}
      >
        {(learnings) => (
          <ul role="list" class="stack">
            {learnings.map((learning) => (
              <LearningCard
                key={learning.id}
                learning={learning}
                open={params.get('open') === learning.id}
                toggle={(open) => change({ open: open ? learning.id : null })}
                changed={page.reload}
              />
            ))}
          </ul>
        )}
      </ListView>
    </Page>
  )
}

function NoLearnings(props: { readonly narrowed: boolean }) {
  if (props.narrowed)
    return (
      <EmptyState title="No matches">
        <p class="text">No learning matches these filters.</p>
      </EmptyState>
    )
  return (
    <EmptyState title="No learnings yet">
      <p class="text">
        A learning is written when an <Link href="/experiments">experiment</Link> is decided or concluded: its
        evidence is frozen, its interpretation drafted for you to review.
      </p>
    </EmptyState>
  )
}
