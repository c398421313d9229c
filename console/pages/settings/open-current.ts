import { toApiError } from '../../client/api-error'
import { toast } from '../../components/toasts'

/** Reads a resource before a dialog opens on it, so that its write fails if someone else was faster. */
export function openCurrent<Data>(read: Promise<Data>, open: (current: Data) => void): void {
  read.then(open, (thrown: unknown) => toast(toApiError(thrown).message))
}
