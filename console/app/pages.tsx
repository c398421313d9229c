import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Link, Route, Switch } from 'wouter-preact'
import { ErrorMessage } from '../components/loading/error-message'
import { Skeleton } from '../components/loading/skeleton'
import { Page } from '../components/page'

type Module<Props> = { readonly default: ComponentType<Props> }

/** A page whose code is loaded when it is first opened. */
function lazyPage<Props extends object>(load: () => Promise<Module<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined
  return function Lazy(props: Props) {
    const [, setTurn] = useState(0)
    const [failed, setFailed] = useState(false)
    const [attempt, setAttempt] = useState(0)
    useEffect(() => {
      if (loaded !== undefined) return
      setFailed(false)
      load().then(
        (module) => {
          loaded = module.default
          setTurn((before) => before + 1)
        },
        () => setFailed(true),
      )
    }, [attempt])
    if (loaded !== undefined) {
      const Component = loaded
      return <Component {...props} />
    }
    if (failed)
      return (
        <Page title="Not loaded">
          <ErrorMessage
            message="This page could not be loaded. The server may have been updated meanwhile."
            retry={() => (attempt > 0 ? window.location.reload() : setAttempt(attempt + 1))}
          />
        </Page>
      )
    return <Skeleton />
  }
}

const Live = lazyPage(() => import('../pages/live/index'))
const Events = lazyPage(() => import('../pages/events/index'))
const Setup = lazyPage(() => import('../pages/setup/index'))
const Funnels = lazyPage<{ id?: string }>(() => import('../pages/funnels/index'))
const Experiments = lazyPage(() => import('../pages/experiments/list'))
const Experiment = lazyPage<{ id: string }>(() => import('../pages/experiments/detail'))
const Proposals = lazyPage(() => import('../pages/proposals/index'))
const Runs = lazyPage(() => import('../pages/runs/index'))
const Learnings = lazyPage(() => import('../pages/learnings/index'))

export function Pages() {
  return (
    <Switch>
      <Route path="/">
        <Live />
      </Route>
      <Route path="/events">
        <Events />
      </Route>
      <Route path="/setup">
        <Setup />
      </Route>
      <Route path="/funnels">
        <Funnels />
      </Route>
      <Route path="/funnels/:id">{({ id }) => <Funnels key={id} id={id} />}</Route>
      <Route path="/experiments">
        <Experiments />
      </Route>
      <Route path="/experiments/:id">{({ id }) => <Experiment key={id} id={id} />}</Route>
      <Route path="/proposals">
        <Proposals />
      </Route>
      <Route path="/runs">
        <Runs />
      </Route>
      <Route path="/learnings">
        <Learnings />
      </Route>
      <Route>
        <Page title="Not found">
          <p>
            There is no page at this address. <Link href="/">Go to Live</Link>
          </p>
        </Page>
      </Route>
    </Switch>
  )
}
