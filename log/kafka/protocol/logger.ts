/** The part of pino's loggers that the log uses. */
export interface KafkaLogger {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
