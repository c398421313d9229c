/** What the log says of itself, as pino's loggers take it. */
export interface KafkaLogger {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
