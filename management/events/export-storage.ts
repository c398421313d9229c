import { S3mini, S3ServiceError } from 's3mini'
import { errorReason } from '../../runtime/errors.js'
import { JobError } from '../jobs/failure.js'
import type { ExportSettings } from '../services.js'

const REQUEST_MS = 120_000

/** A bucket of S3-compatible storage. Errors name the variable to look at. */
export class ExportStorage {
  private readonly client: S3mini

  /** @param signal ends requests */
  constructor(
    private readonly settings: ExportSettings,
    private readonly signal: AbortSignal,
  ) {
    const { endpoint, bucket, region, accessKeyId, secretAccessKey } = settings
    this.client = new S3mini({
      endpoint: `${endpoint.replace(/\/+$/, '')}/${bucket}`,
      region,
      accessKeyId,
      secretAccessKey,
      fetch: (input, init) =>
        fetch(input, {
          ...init,
          redirect: 'manual',
          signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MS)]),
        }),
    })
  }

  /** Writes an object, or replaces it. @throws JobError */
  async put(name: string, bytes: Uint8Array, contentType: string): Promise<void> {
    await this.ask(() => this.client.putObject(this.keyOf(name), bytes, contentType))
  }

  /** Removes an object if it exists. @throws JobError */
  async remove(name: string): Promise<void> {
    await this.ask(() => this.client.deleteObject(this.keyOf(name)))
  }

  private keyOf(name: string): string {
    return this.settings.prefix === '' ? name : `${this.settings.prefix}/${name}`
  }

  private async ask(request: () => Promise<unknown>): Promise<void> {
    try {
      await request()
    } catch (error) {
      this.signal.throwIfAborted()
      // An operator puts it right, or it passes: each is tried again.
      throw new JobError(this.problem(error), { retryable: true, cause: error })
    }
  }

  private problem(error: unknown): string {
    const { endpoint, bucket, region } = this.settings
    if (!(error instanceof S3ServiceError))
      return `The storage at ${endpoint} cannot be reached (${errorReason(error)}): check SVC_EXPORT_S3_ENDPOINT`
    const code = /<Code>([A-Za-z0-9]{1,60})<\/Code>/.exec(error.body ?? '')?.[1] ?? `status ${error.status}`
    const advice: Readonly<Record<string, string>> = {
      SignatureDoesNotMatch:
        'The storage refuses the signature (SignatureDoesNotMatch): check SVC_EXPORT_S3_SECRET_ACCESS_KEY',
      InvalidAccessKeyId:
        'The storage does not know the key (InvalidAccessKeyId): check SVC_EXPORT_S3_ACCESS_KEY_ID',
      NoSuchBucket: `The storage has no bucket ${bucket} (NoSuchBucket): check SVC_EXPORT_S3_BUCKET`,
      AccessDenied: `The key of SVC_EXPORT_S3_ACCESS_KEY_ID may not write to the bucket ${bucket} (AccessDenied): allow s3:PutObject and s3:DeleteObject`,
    }
    const wrongRegion = [
      'AuthorizationHeaderMalformed',
      'PermanentRedirect',
      'IllegalLocationConstraintException',
    ]
    if (wrongRegion.includes(code))
      return `The bucket ${bucket} is not in the region ${region} (${code}): check SVC_EXPORT_S3_REGION`
    return advice[code] ?? `The storage at ${endpoint} answered ${error.status} (${code})`
  }
}
