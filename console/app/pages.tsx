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

const PAGES: readonly (readonly [path: string, page: ComponentType])[] = [
  ['/', lazyPage(() => import('../pages/live/index'))],
  ['/events', lazyPage(() => import('../pages/events/index'))],
  ['/persons', lazyPage(() => import('../pages/persons/index'))],
  ['/trends', lazyPage(() => import('../pages/trends/index'))],
  ['/retention', lazyPage(() => import('../pages/retention/index'))],
  ['/setup', lazyPage(() => import('../pages/setup/index'))],
  ['/experiments', lazyPage(() => import('../pages/experiments/list'))],
  ['/proposals', lazyPage(() => import('../pages/proposals/index'))],
  ['/runs', lazyPage(() => import('../pages/runs/index'))],
  ['/learnings', lazyPage(() => import('../pages/learnings/index'))],
]
const Funnels = lazyPage<{ id?: string }>(() => import('../pages/funnels/index'))
const Dashboards = lazyPage<{ id?: string }>(() => import('../pages/dashboards/index'))
const Settings = lazyPage(() => import('../pages/settings/index'))
const NewExperiment = lazyPage(() => import('../pages/experiments/form/new-experiment'))
const EditExperiment = lazyPage<{ id: string }>(() => import('../pages/experiments/form/edit-experiment'))
const Experiment = lazyPage<{ id: string }>(() => import('../pages/experiments/detail'))

export function Pages() {
  return (
    <Switch>
      {PAGES.map(([path, Opened]) => (
        <Route key={path} path={path}>
          <Opened />
        </Route>
      ))}
      <Route path="/funnels">
        <Funnels />
      </Route>
      <Route path="/funnels/:id">{({ id }) => <Funnels key={id} id={id} />}</Route>
      {/* No experiment has this key. */}
      <Route path="/experiments/-/new">
        <NewExperiment />
      </Route>
      <Route path="/experiments/:id/edit">{({ id }) => <EditExperiment key={id} id={id} />}</Route>
      <Route path="/dashboards">
        <Dashboards />
      </Route>
      <Route path="/dashboards/:id">{({ id }) => <Dashboards key={id} id={id} />}</Route>
      <Route path="/experiments/:id">{({ id }) => <Experiment key={id} id={id} />}</Route>
      <Route path="/settings/:section?">
        <Settings />
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
