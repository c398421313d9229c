import { Link } from 'wouter-preact'
import { api, unwrap } from '../../client/api'
import { useQueryParams } from '../../client/query-params'
import { useResource } from '../../client/resource'
import { Pager } from '../../components/controls/pager'
import { SearchField } from '../../components/controls/search-field'
import { Select } from '../../components/controls/select'
import { EmptyState } from '../../components/loading/empty-state'
import { ResourceView } from '../../components/loading/resource-view'
import { Page } from '../../components/page'
import { LearningCard } from './learning'

const PAGE_SIZE = 25
const POLL_MS = 30_000

export default function LearningsPage() {
  const address = useQueryParams()
  const [params, change] = address
  const decision = params.get('decision') as 'ship' | 'reject' | 'conclude' | null
  const reviewStatus = params.get('reviewStatus') as 'draft' | 'approved' | null
  const search = params.get('search')
  const query = {
    ...(search === null ? {} : { search }),
    ...(decision === null ? {} : { decision }),
    ...(reviewStatus === null ? {} : { reviewStatus }),
    limit: PAGE_SIZE,
    offset: Number(params.get('offset') ?? 0),
  }
  const page = useResource(
    JSON.stringify(query),
    (signal) => unwrap(api.GET('/learnings', { params: { query }, signal })),
    { refetchMs: POLL_MS },
  )
  const narrowed = search !== null || decision !== null || reviewStatus !== null
  return (
    <Page title="Learnings" lead="What was decided, on which results, and what it means.">
      <div class="toolbar">
        <div class="wide">
          <SearchField address={address} />
        </div>
        <Select
          label="Decision"
          value={decision ?? ''}
          options={[
            ['', 'Any'],
            ['ship', 'Shipped'],
            ['reject', 'Rejected'],
            ['conclude', 'Concluded'],
          ]}
          onChange={(value) => change({ decision: value === '' ? null : value, offset: null })}
        />
        <Select
          label="Review"
          value={reviewStatus ?? ''}
          options={[
            ['', 'Any'],
            ['draft', 'Draft'],
            ['approved', 'Approved'],
          ]}
          onChange={(value) => change({ reviewStatus: value === '' ? null : value, offset: null })}
        />
      </div>
      <ResourceView of={page} what="learnings" calm>
        {({ data, pagination }) =>
          data.length === 0 ? (
            <EmptyState title={narrowed ? 'No matches' : 'No learnings yet'}>
              <p class="text">
                {narrowed ? (
                  'No learning matches these filters.'
                ) : (
                  <>
                    A learning is written when an <Link href="/experiments">experiment</Link> is decided or
                    concluded: its evidence is frozen, its interpretation drafted for you to review.
                  </>
                )}
              </p>
            </EmptyState>
          ) : (
            <>
              <ul role="list" class="stack">
                {data.map((learning) => (
                  <LearningCard
                    key={learning.id}
                    learning={learning}
                    open={params.get('open') === learning.id}
                    toggle={(open) => change({ open: open ? learning.id : null })}
                    changed={page.reload}
                  />
                ))}
              </ul>
              <Pager
                page={pagination}
                what="learnings"
                go={(offset) => change({ offset: offset === 0 ? null : String(offset) })}
              />
            </>
          )
        }
      </ResourceView>
    </Page>
  )
}
