const EVENT_NAME = /^[A-Za-z0-9_.$-]{1,500}$/

export const isEventName = (name: string): boolean => EVENT_NAME.test(name)
