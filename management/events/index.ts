export { CSV, csvOf, PARQUET, parquetOf } from './export-formats.js'
export { EXPORT_SWEEP_MS, exportJob, exportSweep } from './export-job.js'
export { presentBatches, presentEvents } from './present-events.js'
