/** Loaded on first use: its hundreds of small files would add an eighth of a second to every start. */
export const statistics = () => import('../../domain/statistics/index.js')
