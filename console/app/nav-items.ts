export const NAV_ITEMS = [
  { path: '/', name: 'Live' },
  { path: '/events', name: 'Events' },
  { path: '/persons', name: 'Persons' },
  { path: '/trends', name: 'Trends' },
  { path: '/retention', name: 'Retention' },
  { path: '/funnels', name: 'Funnels' },
  { path: '/dashboards', name: 'Dashboards' },
  { path: '/experiments', name: 'Experiments' },
  { path: '/proposals', name: 'Proposals' },
  { path: '/runs', name: 'Runs' },
  { path: '/learnings', name: 'Learnings' },
  { path: '/setup', name: 'Setup' },
  { path: '/settings', name: 'Settings' },
] as const

/** Whether `path` is at or below `place`. */
export function isActivePath(path: string, place: string): boolean {
  return path === place || (place !== '/' && path.startsWith(`${place}/`))
}
