/** The pages that the navigation names, in its order. */
export const NAV_ITEMS = [
  { path: '/', name: 'Live' },
  { path: '/events', name: 'Events' },
  { path: '/funnels', name: 'Funnels' },
  { path: '/experiments', name: 'Experiments' },
  { path: '/proposals', name: 'Proposals' },
  { path: '/runs', name: 'Runs' },
  { path: '/learnings', name: 'Learnings' },
  { path: '/setup', name: 'Setup' },
] as const

/** Whether a page lies at a place or below it. */
export function isActivePath(path: string, place: string): boolean {
  return path === place || (place !== '/' && path.startsWith(`${place}/`))
}
