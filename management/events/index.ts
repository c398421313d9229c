export { CSV, csvOf, PARQUET, parquetOf } from './export-formats.js'
export { presentBatches, presentEvents } from './present-events.js'
