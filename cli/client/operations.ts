// Made by scripts/client-types.mjs from the OpenAPI document: not edited by hand.

export interface components {
  schemas: {
    readonly AuditEntry: {
      readonly id: string
      readonly at: string
      readonly action: string
      readonly resourceType: string
      readonly resourceId: string
      readonly actorApiKeyId: string | null
      readonly actorApiKeyName: string | null
      readonly actorPersonId: string | null
      readonly actorPersonName: string
      readonly requestId: string
      readonly summary: string
    }
    readonly AuditPage: {
      readonly data: readonly components['schemas']['AuditEntry'][]
      readonly pagination: components['schemas']['Pagination']
    }
    readonly Change:
      | components['schemas']['CreateFile']
      | components['schemas']['ModifyFile']
      | components['schemas']['DeleteFile']
    readonly ContainsFilter: {
      readonly property: string
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly operator: 'contains'
      readonly value: string
    }
    readonly ConversionTarget: {
      readonly eventName: string
      readonly name: string
      /** @enum {string} */
      readonly direction: 'increase' | 'decrease'
      readonly windowHours: number | null
      readonly filters: readonly components['schemas']['PropertyFilter'][]
      readonly metric?: components['schemas']['Metric']
    }
    readonly ConversionTargetInput: {
      readonly eventName: string
      readonly name?: string
      /** @enum {string} */
      readonly direction?: 'increase' | 'decrease'
      readonly windowHours?: number | null
      readonly filters?: readonly components['schemas']['PropertyFilter'][]
      readonly metric?: components['schemas']['Metric']
    }
    readonly CreateExperiment: {
      readonly name: string
      readonly key?: string
      readonly variants: readonly components['schemas']['VariantInput'][]
      readonly conversionTargets: readonly components['schemas']['ConversionTargetInput'][]
      readonly mechanism?: string
      readonly notes?: string
      readonly hypothesis?: string
      /** @enum {string} */
      readonly kind?: 'experiment' | 'feature'
      /** @enum {string} */
      readonly testType?: 'dom' | 'message'
      /** @enum {string} */
      readonly priority?: 'low' | 'medium' | 'high'
      readonly surfaces?: readonly components['schemas']['SurfaceInput'][]
      readonly changes?: readonly components['schemas']['Change'][]
      readonly acknowledgeOverlap?: boolean
    }
    readonly CreateFile: {
      readonly path: string
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly action: 'create'
      readonly content: string
    }
    readonly CreateFunnel: {
      readonly name: string
      readonly description?: string
      readonly windowSeconds?: number
      readonly steps: readonly components['schemas']['FunnelStepInput'][]
    }
    readonly Decision: components['schemas']['ShipDecision'] | components['schemas']['RejectDecision']
    readonly DeleteFile: {
      readonly path: string
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly action: 'delete'
    }
    readonly EqualityFilter: {
      readonly property: string
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly operator: 'eq' | 'neq'
      readonly value: unknown
    }
    readonly Error: {
      /** @enum {string} */
      readonly code:
        | 'VALIDATION_FAILED'
        | 'MALFORMED_JSON'
        | 'UNAUTHENTICATED'
        | 'MISSING_PERMISSION'
        | 'API_KEY_NOT_ALLOWED_HERE'
        | 'WORKSPACE_MISMATCH'
        | 'NOT_FOUND'
        | 'METHOD_NOT_ALLOWED'
        | 'ILLEGAL_TRANSITION'
        | 'NOT_EDITABLE'
        | 'SURFACE_OVERLAP'
        | 'PROPOSAL_FILES_MISSING'
        | 'PROPOSAL_SNAPSHOT_STALE'
        | 'GENERATION_IN_FLIGHT'
        | 'REFINE_IN_FLIGHT'
        | 'EVENT_HISTORY_UNAVAILABLE'
        | 'REPOSITORY_NOT_CONNECTED'
        | 'KEY_TAKEN'
        | 'NAME_TAKEN'
        | 'IDEMPOTENCY_IN_FLIGHT'
        | 'PAYLOAD_TOO_LARGE'
        | 'UNSUPPORTED_MEDIA_TYPE'
        | 'IDEMPOTENCY_KEY_REUSED'
        | 'RATE_LIMITED'
        | 'INTERNAL'
        | 'UNAVAILABLE'
      readonly message: string
      readonly requestId: string
      readonly details: readonly {
        readonly path: string
        readonly message: string
      }[]
    }
    readonly Event: {
      readonly id: string
      readonly event: string
      readonly userId: string | null
      readonly anonymousId: string | null
      readonly personId: string
      readonly properties: Record<string, never>
      readonly timestamp: string
      readonly originalTimestamp: string | null
      /** @enum {string} */
      readonly timestampAdjustment: 'none' | 'skew' | 'clamped_past' | 'clamped_future'
      readonly receivedAt: string
      readonly insertId: string | null
      readonly sdkVersion: string | null
    }
    readonly EventName: {
      readonly eventName: string
      readonly count: number
      readonly firstSeenAt: string
      readonly lastSeenAt: string
    }
    readonly EventNameList: {
      readonly data: readonly components['schemas']['EventName'][]
    }
    readonly EventPage: {
      readonly data: readonly components['schemas']['Event'][]
      readonly pagination: components['schemas']['Pagination']
    }
    readonly EventTrend: {
      readonly eventName: string
      readonly counts: readonly number[]
    }
    readonly EventTrends: {
      readonly from: string
      /** @enum {string} */
      readonly interval: 'minute' | 'hour' | 'day'
      readonly data: readonly components['schemas']['EventTrend'][]
    }
    readonly ExistenceFilter: {
      readonly property: string
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly operator: 'exists' | 'not_exists'
    }
    readonly Experiment: {
      readonly id: string
      readonly key: string
      readonly name: string
      readonly mechanism: string
      readonly notes: string
      readonly hypothesis: string
      /** @enum {string} */
      readonly kind: 'experiment' | 'feature'
      /** @enum {string} */
      readonly testType: 'dom' | 'message'
      /** @enum {string} */
      readonly status:
        | 'proposed'
        | 'dismissed'
        | 'approved'
        | 'generating_pr'
        | 'pr_failed'
        | 'pr_open'
        | 'ready'
        | 'running'
        | 'paused'
        | 'ended'
        | 'settling'
        | 'shipped'
        | 'rejected'
        | 'concluded'
      /** @enum {string} */
      readonly priority: 'low' | 'medium' | 'high'
      /** @enum {string} */
      readonly origin: 'generated' | 'api'
      readonly experimentRunId: string | null
      readonly variants: readonly components['schemas']['Variant'][]
      readonly conversionTargets: readonly components['schemas']['ConversionTarget'][]
      readonly surfaces: readonly components['schemas']['Surface'][]
      readonly pullRequest: components['schemas']['PullRequest'] | null
      readonly cleanupPullRequest: components['schemas']['PullRequest'] | null
      readonly dismissal: {
        readonly reasons: readonly (
          | 'not_relevant'
          | 'too_risky'
          | 'low_impact'
          | 'duplicate'
          | 'wrong_surface'
          | 'other'
          | 'replaced'
        )[]
        readonly note: string | null
        readonly dismissedAt: string
        readonly personId: string
      } | null
      readonly rejectedStage: ('pr' | 'outcome') | null
      readonly decision: {
        /** @enum {string} */
        readonly outcome: 'ship' | 'reject'
        readonly variant: string | null
        readonly reason: string | null
        readonly decidedAt: string
        readonly settlesAt: string
        readonly personId: string | null
      } | null
      readonly measurements: {
        readonly usersExposed: number | null
        readonly estimatedLift: number | null
        readonly confidence: number | null
        readonly asOf: string
      } | null
      readonly createdAt: string
      readonly updatedAt: string
      readonly startedAt: string | null
      readonly endedAt: string | null
    }
    readonly ExperimentCounts: {
      readonly total: number
      readonly byStatus: {
        readonly proposed: number
        readonly dismissed: number
        readonly approved: number
        readonly generating_pr: number
        readonly pr_failed: number
        readonly pr_open: number
        readonly ready: number
        readonly running: number
        readonly paused: number
        readonly ended: number
        readonly settling: number
        readonly shipped: number
        readonly rejected: number
        readonly concluded: number
      }
    }
    readonly ExperimentDetail: {
      readonly id: string
      readonly key: string
      readonly name: string
      readonly mechanism: string
      readonly notes: string
      readonly hypothesis: string
      /** @enum {string} */
      readonly kind: 'experiment' | 'feature'
      /** @enum {string} */
      readonly testType: 'dom' | 'message'
      /** @enum {string} */
      readonly status:
        | 'proposed'
        | 'dismissed'
        | 'approved'
        | 'generating_pr'
        | 'pr_failed'
        | 'pr_open'
        | 'ready'
        | 'running'
        | 'paused'
        | 'ended'
        | 'settling'
        | 'shipped'
        | 'rejected'
        | 'concluded'
      /** @enum {string} */
      readonly priority: 'low' | 'medium' | 'high'
      /** @enum {string} */
      readonly origin: 'generated' | 'api'
      readonly experimentRunId: string | null
      readonly variants: readonly components['schemas']['Variant'][]
      readonly conversionTargets: readonly components['schemas']['ConversionTarget'][]
      readonly surfaces: readonly components['schemas']['Surface'][]
      readonly pullRequest: components['schemas']['PullRequest'] | null
      readonly cleanupPullRequest: components['schemas']['PullRequest'] | null
      readonly dismissal: {
        readonly reasons: readonly (
          | 'not_relevant'
          | 'too_risky'
          | 'low_impact'
          | 'duplicate'
          | 'wrong_surface'
          | 'other'
          | 'replaced'
        )[]
        readonly note: string | null
        readonly dismissedAt: string
        readonly personId: string
      } | null
      readonly rejectedStage: ('pr' | 'outcome') | null
      readonly decision: {
        /** @enum {string} */
        readonly outcome: 'ship' | 'reject'
        readonly variant: string | null
        readonly reason: string | null
        readonly decidedAt: string
        readonly settlesAt: string
        readonly personId: string | null
      } | null
      readonly measurements: {
        readonly usersExposed: number | null
        readonly estimatedLift: number | null
        readonly confidence: number | null
        readonly asOf: string
      } | null
      readonly createdAt: string
      readonly updatedAt: string
      readonly startedAt: string | null
      readonly endedAt: string | null
      readonly results: components['schemas']['Results'] | null
      readonly readiness: components['schemas']['ExperimentReadiness']
      readonly plan?: components['schemas']['Plan']
    }
    readonly ExperimentPage: {
      readonly data: readonly components['schemas']['Experiment'][]
      readonly pagination: components['schemas']['Pagination']
    }
    readonly ExperimentReadiness: {
      readonly canStart: boolean
      readonly checks: readonly {
        /** @enum {string} */
        readonly code: 'status' | 'event_history'
        readonly ok: boolean
        readonly message: string
      }[]
    }
    readonly ExperimentStatus: {
      readonly id: string
      readonly key: string
      /** @enum {string} */
      readonly status:
        | 'proposed'
        | 'dismissed'
        | 'approved'
        | 'generating_pr'
        | 'pr_failed'
        | 'pr_open'
        | 'ready'
        | 'running'
        | 'paused'
        | 'ended'
        | 'settling'
        | 'shipped'
        | 'rejected'
        | 'concluded'
      readonly settled: boolean
      readonly rejectedStage: ('pr' | 'outcome') | null
      readonly pullRequest: components['schemas']['PullRequest'] | null
      readonly updatedAt: string
    }
    readonly Funnel: {
      readonly id: string
      readonly name: string
      readonly description: string
      readonly windowSeconds: number
      readonly steps: readonly components['schemas']['FunnelStep'][]
      readonly createdAt: string
      readonly updatedAt: string
    }
    readonly FunnelBreakdownGroup: {
      readonly value: unknown
      readonly entered: number
      readonly completed: number
      readonly conversionRate: number | null
      readonly steps: readonly components['schemas']['FunnelStepResult'][]
    }
    readonly FunnelDraftQuery: {
      readonly steps: readonly components['schemas']['FunnelStepInput'][]
      readonly from?: string
      readonly to?: string
      readonly windowSeconds?: number
      /** @enum {string} */
      readonly order?: 'ordered' | 'strict' | 'any'
      readonly breakdown?: {
        readonly property: string
        readonly limit?: number
      }
      /** @enum {string} */
      readonly interval?: 'hour' | 'day' | 'week' | 'month'
      readonly filters?: readonly components['schemas']['PropertyFilter'][]
      readonly exclusions?: readonly {
        readonly eventName: string
        readonly fromStep: number
        readonly toStep: number
      }[]
      readonly experiment?: string
    }
    readonly FunnelDraftResult: {
      readonly from: string
      readonly to: string
      readonly windowSeconds: number
      /** @enum {string} */
      readonly order: 'ordered' | 'strict' | 'any'
      readonly entered: number
      readonly completed: number
      readonly conversionRate: number | null
      readonly steps: readonly components['schemas']['FunnelStepResult'][]
      readonly breakdown: readonly components['schemas']['FunnelBreakdownGroup'][] | null
      readonly trend: readonly components['schemas']['FunnelTrendPoint'][] | null
      readonly query: {
        readonly elapsedMs: number
        readonly rowsRead: number
      }
    }
    readonly FunnelList: {
      readonly data: readonly components['schemas']['Funnel'][]
    }
    readonly FunnelQuery: {
      readonly from?: string
      readonly to?: string
      readonly windowSeconds?: number
      /** @enum {string} */
      readonly order?: 'ordered' | 'strict' | 'any'
      readonly breakdown?: {
        readonly property: string
        readonly limit?: number
      }
      /** @enum {string} */
      readonly interval?: 'hour' | 'day' | 'week' | 'month'
      readonly filters?: readonly components['schemas']['PropertyFilter'][]
      readonly exclusions?: readonly {
        readonly eventName: string
        readonly fromStep: number
        readonly toStep: number
      }[]
      readonly experiment?: string
    }
    readonly FunnelQueryResult: {
      readonly funnelId: string
      readonly from: string
      readonly to: string
      readonly windowSeconds: number
      /** @enum {string} */
      readonly order: 'ordered' | 'strict' | 'any'
      readonly entered: number
      readonly completed: number
      readonly conversionRate: number | null
      readonly steps: readonly components['schemas']['FunnelStepResult'][]
      readonly breakdown: readonly components['schemas']['FunnelBreakdownGroup'][] | null
      readonly trend: readonly components['schemas']['FunnelTrendPoint'][] | null
      readonly query: {
        readonly elapsedMs: number
        readonly rowsRead: number
      }
    }
    readonly FunnelStep: {
      readonly name: string
      readonly eventName: string
      readonly filters: readonly components['schemas']['PropertyFilter'][]
    }
    readonly FunnelStepInput: {
      readonly name?: string
      readonly eventName: string
      readonly filters?: readonly components['schemas']['PropertyFilter'][]
    }
    readonly FunnelStepResult: {
      readonly index: number
      readonly name: string
      readonly eventName: string
      readonly count: number
      readonly conversionFromPrevious: number | null
      readonly conversionFromStart: number | null
      readonly dropOff: number
      readonly medianSecondsFromPrevious: number | null
      readonly p90SecondsFromPrevious: number | null
    }
    readonly FunnelTrendPoint: {
      readonly at: string
      readonly entered: number
      readonly completed: number
      readonly conversionRate: number | null
      readonly complete: boolean
    }
    readonly GenerationAccepted: {
      readonly runId: string
      /** @enum {string} */
      readonly status: 'queued' | 'running'
    }
    readonly GenerationRun: {
      readonly id: string
      /** @enum {string} */
      readonly status: 'queued' | 'running' | 'succeeded' | 'failed'
      readonly requested: number
      readonly generated: number
      readonly survived: number
      readonly dropped: readonly {
        readonly reason: string
        readonly count: number
      }[]
      readonly startedAt: string | null
      readonly finishedAt: string | null
      readonly durationMs: number | null
      readonly error: {
        readonly step: string
        readonly message: string
      } | null
      readonly createdAt: string
    }
    readonly GenerationRunPage: {
      readonly data: readonly components['schemas']['GenerationRun'][]
      readonly pagination: components['schemas']['Pagination']
    }
    readonly InFilter: {
      readonly property: string
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly operator: 'in'
      readonly value: readonly unknown[]
    }
    readonly Learning: {
      readonly id: string
      readonly experimentId: string
      readonly experimentKey: string
      readonly title: string
      /** @enum {string} */
      readonly decision: 'ship' | 'reject' | 'conclude'
      readonly variant: string | null
      /** @enum {string} */
      readonly reviewStatus: 'draft' | 'approved'
      readonly interpretation: string
      readonly evidence: {
        readonly [key: string]: unknown
      }
      readonly evidenceHash: string
      readonly createdAt: string
      readonly updatedAt: string
    }
    readonly LearningPage: {
      readonly data: readonly components['schemas']['Learning'][]
      readonly pagination: components['schemas']['Pagination']
    }
    readonly Me: {
      readonly workspace: {
        readonly id: string
        readonly name: string
      }
      readonly key: {
        readonly id: string
        readonly name: string
        readonly scopes: readonly (
          | 'proposals.review'
          | 'experiments.manage'
          | 'experiments.decide'
          | 'funnels.manage'
        )[]
      } | null
      readonly person: {
        readonly id: string
        readonly name: string
        readonly email: string
      }
    }
    readonly MeanMetric: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly type: 'mean'
      readonly property: string
      readonly percentile?: number
      readonly cuped?: boolean
    }
    readonly Metric: components['schemas']['ProportionMetric'] | components['schemas']['MeanMetric']
    readonly ModifyFile: {
      readonly path: string
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly action: 'modify'
      readonly edits?: readonly {
        readonly find: string
        readonly replace: string
        readonly variant?: string
      }[]
      readonly content?: string
    }
    readonly OrderFilter: {
      readonly property: string
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly operator: 'gt' | 'gte' | 'lt' | 'lte'
      readonly value: string | number
    }
    readonly Pagination: {
      readonly limit: number
      readonly offset: number
      readonly total: number
      readonly hasMore: boolean
    }
    readonly PermissionList: {
      readonly data: readonly (
        | 'proposals.review'
        | 'experiments.manage'
        | 'experiments.decide'
        | 'funnels.manage'
      )[]
    }
    readonly Plan: {
      readonly commit: string | null
      readonly files: readonly components['schemas']['PlanFile'][]
    }
    readonly PlanFile: {
      readonly path: string
      /** @enum {string} */
      readonly action: 'create' | 'modify' | 'delete'
      readonly summary: string
      readonly diff: string | null
      readonly state: ('current' | 'changed' | 'moved' | 'gone') | null
      readonly movedTo: string | null
    }
    readonly PropertyFilter:
      | components['schemas']['EqualityFilter']
      | components['schemas']['OrderFilter']
      | components['schemas']['ContainsFilter']
      | components['schemas']['InFilter']
      | components['schemas']['ExistenceFilter']
    readonly ProportionMetric: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly type: 'proportion'
    }
    readonly PullRequest: {
      readonly number: number | null
      readonly url: string | null
      readonly branch: string | null
      /** @enum {string} */
      readonly state: 'open' | 'merged' | 'closed' | 'failed'
      readonly error: string | null
    }
    readonly Readiness: {
      readonly canGenerate: boolean
      readonly canRun: boolean
      readonly checks: readonly {
        /** @enum {string} */
        readonly code: 'repository' | 'generator' | 'events_received' | 'log' | 'clickhouse'
        readonly ok: boolean
        readonly message: string
        readonly fix: string
      }[]
      readonly ingestUrl: string | null
    }
    readonly Refinement: {
      readonly id: string
      /** @enum {string} */
      readonly status: 'queued' | 'running' | 'done' | 'failed'
      readonly instructions: string
      readonly error: string | null
      readonly createdAt: string
      readonly finishedAt: string | null
    }
    readonly RejectDecision: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly outcome: 'reject'
      readonly reason?: string
      readonly force?: boolean
    }
    readonly Results: {
      readonly asOf: string
      /** @enum {string} */
      readonly state: 'no_data' | 'collecting' | 'ready'
      readonly reason: string | null
      readonly exposed: number
      readonly multipleVariants: number
      readonly srm: {
        readonly pValue: number
        readonly ok: boolean
      }
      readonly dataQuality: {
        readonly multipleVariants: number
        readonly unknownVariants: number
        readonly beforeStart: number
        readonly clampedShare: number
        readonly lagSeconds: number
      }
      readonly targets: readonly components['schemas']['TargetResults'][]
    }
    readonly ResultsBySegment: {
      readonly data: readonly {
        readonly value: unknown
        readonly exploratory: boolean
        readonly results: components['schemas']['Results']
      }[]
    }
    readonly Session: {
      readonly token: string
      readonly expiresAt: string
    }
    readonly ShipDecision: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly outcome: 'ship'
      readonly variant: string
      readonly reason?: string
      readonly force?: boolean
    }
    readonly Surface: {
      readonly path: string
      readonly anchor: string | null
    }
    readonly SurfaceInput: {
      readonly path: string
      readonly anchor?: string | null
    }
    readonly TargetResults: {
      readonly eventName: string
      /** @enum {string} */
      readonly direction: 'increase' | 'decrease'
      readonly primary: boolean
      readonly variants: readonly components['schemas']['VariantResults'][]
    }
    readonly UpdateExperiment: {
      readonly name?: string
      readonly mechanism?: string
      readonly notes?: string
      readonly hypothesis?: string
      /** @enum {string} */
      readonly priority?: 'low' | 'medium' | 'high'
      readonly variants?: readonly components['schemas']['VariantSplit'][]
      readonly conversionTargets?: readonly components['schemas']['ConversionTargetInput'][]
    }
    readonly UpdateFunnel: {
      readonly name?: string
      readonly description?: string
      readonly windowSeconds?: number
      readonly steps?: readonly components['schemas']['FunnelStepInput'][]
    }
    readonly Variant: {
      readonly key: string
      readonly displayName: string
      readonly trafficSplit: number
      readonly isControl: boolean
    }
    readonly VariantInput: {
      readonly displayName: string
      readonly trafficSplit: number
    }
    readonly VariantResults: {
      readonly key: string
      readonly exposed: number
      readonly converted: number
      readonly rate: number | null
      readonly mean?: number | null
      readonly standardDeviation?: number | null
      readonly adjustedMean?: number | null
      readonly vsControl: components['schemas']['VsControl'] | null
    }
    readonly VariantSplit: {
      readonly key: string
      readonly trafficSplit: number
    }
    readonly VsControl: {
      readonly lift: number | null
      readonly liftCi: readonly number[] | null
      readonly pValue: number | null
      readonly adjustedPValue: number | null
      readonly chanceToWin: number | null
      readonly risk: number | null
      readonly sequentialCi: readonly number[] | null
      readonly sequentialPValue: number | null
    }
  }
  responses: never
  parameters: never
  requestBodies: never
  headers: never
  pathItems: never
}
export interface operations {
  readonly listExperiments: {
    readonly parameters: {
      readonly query?: {
        readonly status?: string
        readonly priority?: string
        readonly origin?: string
        readonly experimentRunId?: string
        readonly search?: string
        readonly rejectedStage?: 'pr' | 'outcome'
        readonly hasPr?: boolean
        readonly createdAfter?: string
        readonly createdBefore?: string
        readonly kind?: 'experiment' | 'feature'
        readonly testType?: 'dom' | 'message'
        readonly sortBy?:
          | 'createdAt'
          | 'updatedAt'
          | 'startedAt'
          | 'usersExposed'
          | 'name'
          | 'estimatedLift'
          | 'confidence'
          | 'priority'
        readonly sortDir?: 'asc' | 'desc'
        readonly limit?: number
        readonly offset?: number
      }
      readonly header?: never
      readonly path?: never
      readonly cookie?: never
    }
    readonly requestBody?: never
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown
        }
        content: {
          readonly 'application/json': components['schemas']['ExperimentPage']
        }
      }
    }
  }
  readonly createExperiment: {
    readonly parameters: {
      readonly query?: never
      readonly header?: never
      readonly path?: never
      readonly cookie?: never
    }
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['CreateExperiment']
      }
    }
    readonly responses: {
      readonly 201: {
        headers: {
          readonly [name: string]: unknown
        }
        content: {
          readonly 'application/json': components['schemas']['Experiment']
        }
      }
    }
  }
  readonly countExperiments: {
    readonly parameters: {
      readonly query?: never
      readonly header?: never
      readonly path?: never
      readonly cookie?: never
    }
    readonly requestBody?: never
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown
        }
        content: {
          readonly 'application/json': components['schemas']['ExperimentCounts']
        }
      }
    }
  }
  readonly getExperiment: {
    readonly parameters: {
      readonly query?: never
      readonly header?: never
      readonly path: {
        readonly id: string
      }
      readonly cookie?: never
    }
    readonly requestBody?: never
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown
        }
        content: {
          readonly 'application/json': components['schemas']['ExperimentDetail']
        }
      }
    }
  }
  readonly updateExperiment: {
    readonly parameters: {
      readonly query?: never
      readonly header?: never
      readonly path: {
        readonly id: string
      }
      readonly cookie?: never
    }
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['UpdateExperiment']
      }
    }
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown
        }
        content: {
          readonly 'application/json': components['schemas']['Experiment']
        }
      }
    }
  }
  readonly listExperimentSegments: {
    readonly parameters: {
      readonly query: {
        readonly breakdown: string
        readonly limit?: number
      }
      readonly header?: never
      readonly path: {
        readonly id: string
      }
      readonly cookie?: never
    }
    readonly requestBody?: never
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown
        }
        content: {
          readonly 'application/json': components['schemas']['ResultsBySegment']
        }
      }
    }
  }
  readonly getExperimentStatus: {
    readonly parameters: {
      readonly query?: never
      readonly header?: never
      readonly path: {
        readonly id: string
      }
      readonly cookie?: never
    }
    readonly requestBody?: never
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown
        }
        content: {
          readonly 'application/json': components['schemas']['ExperimentStatus']
        }
      }
    }
  }
  readonly replaceConversionTargets: {
    readonly parameters: {
      readonly query?: never
      readonly header?: never
      readonly path: {
        readonly id: string
      }
      readonly cookie?: never
    }
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': {
          readonly conversionTargets: readonly components['schemas']['ConversionTargetInput'][]
        }
      }
    }
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown
        }
        content: {
          readonly 'application/json': components['schemas']['Experiment']
        }
      }
    }
  }
  readonly generateProposals: {
    readonly parameters: {
      readonly query?: never
      readonly header?: never
      readonly path?: never
      readonly cookie?: never
    }
    readonly requestBody?: {
      readonly content: {
        readonly 'application/json': {
          readonly count?: number
          readonly focus?: string
          readonly replace?: boolean
        }
      }
    }
    readonly responses: {
      readonly 202: {
        headers: {
          readonly [name: string]: unknown
        }
        content: {
          readonly 'application/json': components['schemas']['GenerationAccepted']
        }
      }
    }
  }
  readonly approveProposal: {
    readonly parameters: {
      readonly query?: never
      readonly header?: never
      readonly path: {
        readonly id: string
      }
      readonly cookie?: never
    }
    readonly requestBody?: {
      readonly content: {
        readonly 'application/json': {
          readonly acknowledgeOverlap?: boolean
        }
      }
    }
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown
        }
        content: {
          readonly 'application/json': components['schemas']['Experiment']
        }
      }
    }
  }
  readonly dismissProposal: {
    readonly parameters: {
      readonly query?: never
      readonly header?: never
      readonly path: {
        readonly id: string
      }
      readonly cookie?: never
    }
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': {
          readonly reasons: readonly (
            | 'not_relevant'
            | 'too_risky'
            | 'low_impact'
            | 'duplicate'
            | 'wrong_surface'
            | 'other'
          )[]
          readonly note?: string
        }
      }
    }
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown
        }
        content: {
          readonly 'application/json': components['schemas']['Experiment']
        }
      }
    }
  }
  readonly getRefinement: {
    readonly parameters: {
      readonly query?: never
      readonly header?: never
      readonly path: {
        readonly id: string
      }
      readonly cookie?: never
    }
    readonly requestBody?: never
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown
        }
        content: {
          readonly 'application/json': components['schemas']['Refinement'] | null
        }
      }
    }
  }
  readonly refineProposal: {
    readonly parameters: {
      readonly query?: never
      readonly header?: never
      readonly path: {
        readonly id: string
      }
      readonly cookie?: never
    }
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': {
          readonly instructions: string
        }
      }
    }
    readonly responses: {
      readonly 202: {
        headers: {
          readonly [name: string]: unknown
        }
        content: {
          readonly 'application/json': components['schemas']['Refinement']
        }
      }
    }
  }
  readonly generatePullRequest: {
    readonly parameters: {
      readonly query?: never
      readonly header?: never
      readonly path: {
        readonly id: string
      }
      readonly cookie?: never
    }
    readonly requestBody?: never
    readonly responses: {
      readonly 202: {
        headers: {
          readonly [name: string]: unknown
        }
        content: {
          readonly 'application/json': components['schemas']['Experiment']
        }
      }
    }
  }
  readonly startExperiment: {
    readonly parameters: {
      readonly query?: never
      readonly header?: never
      readonly path: {
        readonly id: string
      }
      readonly cookie?: never
    }
    readonly requestBody?: {
      readonly content: {
        readonly 'application/json': Record<string, never>
      }
    }
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown
        }
        content: {
          readonly 'application/json': components['schemas']['Experiment']
        }
      }
    }
  }
  readonly pauseExperiment: {
    readonly parameters: {
      readonly query?: never
      readonly header?: never
      readonly path: {
        readonly id: string
      }
      readonly cookie?: never
    }
    readonly requestBody?: {
      readonly content: {
        readonly 'application/json': Record<string, never>
      }
    }
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown
        }
        content: {
          readonly 'application/json': components['schemas']['Experiment']
        }
      }
    }
  }
  readonly resumeExperiment: {
    readonly parameters: {
      readonly query?: never
      readonly header?: never
      readonly path: {
        readonly id: string
      }
      readonly cookie?: never
    }
    readonly requestBody?: {
      readonly content: {
        readonly 'application/json': Record<string, never>
      }
    }
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown
        }
        content: {
          readonly 'application/json': components['schemas']['Experiment']
        }
      }
    }
  }
  readonly endExperiment: {
    readonly parameters: {
      readonly query?: never
      readonly header?: never
      readonly path: {
        readonly id: string
      }
      readonly cookie?: never
    }
    readonly requestBody?: {
      readonly content: {
        readonly 'application/json': {
          readonly conclude?: boolean
        }
      }
    }
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown
        }
        content: {
          readonly 'application/json': components['schemas']['Experiment']
        }
      }
    }
  }
  readonly shipExperiment: {
    readonly parameters: {
      readonly query?: never
      readonly header?: never
      readonly path: {
        readonly id: string
      }
      readonly cookie?: never
    }
    readonly requestBody?: {
      readonly content: {
        readonly 'application/json': {
          readonly variant?: string
        }
      }
    }
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown
        }
        content: {
          readonly 'application/json': components['schemas']['Experiment']
        }
      }
    }
  }
  readonly decideExperiment: {
    readonly parameters: {
      readonly query?: never
      readonly header?: never
      readonly path: {
        readonly id: string
      }
      readonly cookie?: never
    }
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['Decision']
      }
    }
    readonly responses: {
      readonly 202: {
        headers: {
          readonly [name: string]: unknown
        }
        content: {
          readonly 'application/json': components['schemas']['Experiment']
        }
      }
    }
  }
  readonly listLearnings: {
    readonly parameters: {
      readonly query?: {
        readonly search?: string
        readonly decision?: 'ship' | 'reject' | 'conclude'
        readonly reviewStatus?: 'draft' | 'approved'
        readonly from?: string
        readonly to?: string
        readonly limit?: number
        readonly offset?: number
      }
      readonly header?: never
      readonly path?: never
      readonly cookie?: never
    }
    readonly requestBody?: never
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown
        }
        content: {
          readonly 'application/json': components['schemas']['LearningPage']
        }
      }
    }
  }
  readonly getLearning: {
    readonly parameters: {
      readonly query?: never
      readonly header?: never
      readonly path: {
        readonly id: string
      }
      readonly cookie?: never
    }
    readonly requestBody?: never
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown
        }
        content: {
          readonly 'application/json': components['schemas']['Learning']
        }
      }
    }
  }
  readonly updateLearning: {
    readonly parameters: {
      readonly query?: never
      readonly header?: never
      readonly path: {
        readonly id: string
      }
      readonly cookie?: never
    }
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': {
          readonly interpretation?: string
          /** @enum {string} */
          readonly reviewStatus?: 'draft' | 'approved'
        }
      }
    }
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown
        }
        content: {
          readonly 'application/json': components['schemas']['Learning']
        }
      }
    }
  }
  readonly listGenerationRuns: {
    readonly parameters: {
      readonly query?: {
        readonly limit?: number
        readonly offset?: number
      }
      readonly header?: never
      readonly path?: never
      readonly cookie?: never
    }
    readonly requestBody?: never
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown
        }
        content: {
          readonly 'application/json': components['schemas']['GenerationRunPage']
        }
      }
    }
  }
  readonly getGenerationRun: {
    readonly parameters: {
      readonly query?: never
      readonly header?: never
      readonly path: {
        readonly runId: string
      }
      readonly cookie?: never
    }
    readonly requestBody?: never
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown
        }
        content: {
          readonly 'application/json': components['schemas']['GenerationRun']
        }
      }
    }
  }
  readonly listFunnels: {
    readonly parameters: {
      readonly query?: never
      readonly header?: never
      readonly path?: never
      readonly cookie?: never
    }
    readonly requestBody?: never
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown
        }
        content: {
          readonly 'application/json': components['schemas']['FunnelList']
        }
      }
    }
  }
  readonly createFunnel: {
    readonly parameters: {
      readonly query?: never
      readonly header?: never
      readonly path?: never
      readonly cookie?: never
    }
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['CreateFunnel']
      }
    }
    readonly responses: {
      readonly 201: {
        headers: {
          readonly [name: string]: unknown
        }
        content: {
          readonly 'application/json': components['schemas']['Funnel']
        }
      }
    }
  }
  readonly listEventNames: {
    readonly parameters: {
      readonly query?: never
      readonly header?: never
      readonly path?: never
      readonly cookie?: never
    }
    readonly requestBody?: never
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown
        }
        content: {
          readonly 'application/json': components['schemas']['EventNameList']
        }
      }
    }
  }
  readonly getFunnel: {
    readonly parameters: {
      readonly query?: never
      readonly header?: never
      readonly path: {
        readonly funnelId: string
      }
      readonly cookie?: never
    }
    readonly requestBody?: never
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown
        }
        content: {
          readonly 'application/json': components['schemas']['Funnel']
        }
      }
    }
  }
  readonly deleteFunnel: {
    readonly parameters: {
      readonly query?: never
      readonly header?: never
      readonly path: {
        readonly funnelId: string
      }
      readonly cookie?: never
    }
    readonly requestBody?: never
    readonly responses: {
      readonly 204: {
        headers: {
          readonly [name: string]: unknown
        }
        content?: never
      }
    }
  }
  readonly updateFunnel: {
    readonly parameters: {
      readonly query?: never
      readonly header?: never
      readonly path: {
        readonly funnelId: string
      }
      readonly cookie?: never
    }
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['UpdateFunnel']
      }
    }
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown
        }
        content: {
          readonly 'application/json': components['schemas']['Funnel']
        }
      }
    }
  }
  readonly queryFunnel: {
    readonly parameters: {
      readonly query?: never
      readonly header?: never
      readonly path: {
        readonly funnelId: string
      }
      readonly cookie?: never
    }
    readonly requestBody?: {
      readonly content: {
        readonly 'application/json': components['schemas']['FunnelQuery']
      }
    }
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown
        }
        content: {
          readonly 'application/json': components['schemas']['FunnelQueryResult']
        }
      }
    }
  }
  readonly queryFunnelDraft: {
    readonly parameters: {
      readonly query?: never
      readonly header?: never
      readonly path?: never
      readonly cookie?: never
    }
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['FunnelDraftQuery']
      }
    }
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown
        }
        content: {
          readonly 'application/json': components['schemas']['FunnelDraftResult']
        }
      }
    }
  }
  readonly listEvents: {
    readonly parameters: {
      readonly query?: {
        readonly limit?: number
        readonly offset?: number
        readonly sortBy?: 'receivedAt' | 'event'
        readonly sortDir?: 'asc' | 'desc'
      }
      readonly header?: never
      readonly path?: never
      readonly cookie?: never
    }
    readonly requestBody?: never
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown
        }
        content: {
          readonly 'application/json': components['schemas']['EventPage']
        }
      }
    }
  }
  readonly streamEvents: {
    readonly parameters: {
      readonly query?: {
        readonly event?: string
      }
      readonly header?: never
      readonly path?: never
      readonly cookie?: never
    }
    readonly requestBody?: never
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown
        }
        content: {
          readonly 'text/event-stream': string
        }
      }
    }
  }
  readonly listEventTrends: {
    readonly parameters: {
      readonly query: {
        readonly events: string
        readonly interval?: 'minute' | 'hour' | 'day'
      }
      readonly header?: never
      readonly path?: never
      readonly cookie?: never
    }
    readonly requestBody?: never
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown
        }
        content: {
          readonly 'application/json': components['schemas']['EventTrends']
        }
      }
    }
  }
  readonly getEvent: {
    readonly parameters: {
      readonly query?: never
      readonly header?: never
      readonly path: {
        readonly eventId: string
      }
      readonly cookie?: never
    }
    readonly requestBody?: never
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown
        }
        content: {
          readonly 'application/json': components['schemas']['Event']
        }
      }
    }
  }
  readonly getMe: {
    readonly parameters: {
      readonly query?: never
      readonly header?: never
      readonly path?: never
      readonly cookie?: never
    }
    readonly requestBody?: never
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown
        }
        content: {
          readonly 'application/json': components['schemas']['Me']
        }
      }
    }
  }
  readonly listMyPermissions: {
    readonly parameters: {
      readonly query?: never
      readonly header?: never
      readonly path?: never
      readonly cookie?: never
    }
    readonly requestBody?: never
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown
        }
        content: {
          readonly 'application/json': components['schemas']['PermissionList']
        }
      }
    }
  }
  readonly getReadiness: {
    readonly parameters: {
      readonly query?: never
      readonly header?: never
      readonly path?: never
      readonly cookie?: never
    }
    readonly requestBody?: never
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown
        }
        content: {
          readonly 'application/json': components['schemas']['Readiness']
        }
      }
    }
  }
  readonly createSession: {
    readonly parameters: {
      readonly query?: never
      readonly header?: never
      readonly path?: never
      readonly cookie?: never
    }
    readonly requestBody?: never
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown
        }
        content: {
          readonly 'application/json': components['schemas']['Session']
        }
      }
    }
  }
  readonly listAuditEntries: {
    readonly parameters: {
      readonly query?: {
        readonly actorApiKeyId?: string
        readonly action?: string
        readonly from?: string
        readonly to?: string
        readonly limit?: number
        readonly offset?: number
      }
      readonly header?: never
      readonly path?: never
      readonly cookie?: never
    }
    readonly requestBody?: never
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown
        }
        content: {
          readonly 'application/json': components['schemas']['AuditPage']
        }
      }
    }
  }
}

/** Method and path of each operation, below `/v1`. */
export const OPERATIONS = {
  listExperiments: { method: 'GET', path: '/experiments' },
  createExperiment: { method: 'POST', path: '/experiments' },
  countExperiments: { method: 'GET', path: '/experiments/counts' },
  getExperiment: { method: 'GET', path: '/experiments/{id}' },
  updateExperiment: { method: 'PATCH', path: '/experiments/{id}' },
  listExperimentSegments: { method: 'GET', path: '/experiments/{id}/results' },
  getExperimentStatus: { method: 'GET', path: '/experiments/{id}/status' },
  replaceConversionTargets: { method: 'PUT', path: '/experiments/{id}/conversion-targets' },
  generateProposals: { method: 'POST', path: '/experiments/generate' },
  approveProposal: { method: 'POST', path: '/experiments/{id}/approve' },
  dismissProposal: { method: 'POST', path: '/experiments/{id}/dismiss' },
  refineProposal: { method: 'POST', path: '/experiments/{id}/refine' },
  getRefinement: { method: 'GET', path: '/experiments/{id}/refine' },
  generatePullRequest: { method: 'POST', path: '/experiments/{id}/generate-pr' },
  startExperiment: { method: 'POST', path: '/experiments/{id}/start' },
  pauseExperiment: { method: 'POST', path: '/experiments/{id}/pause' },
  resumeExperiment: { method: 'POST', path: '/experiments/{id}/resume' },
  endExperiment: { method: 'POST', path: '/experiments/{id}/end' },
  shipExperiment: { method: 'POST', path: '/experiments/{id}/ship' },
  decideExperiment: { method: 'POST', path: '/experiments/{id}/decide' },
  listLearnings: { method: 'GET', path: '/learnings' },
  getLearning: { method: 'GET', path: '/learnings/{id}' },
  updateLearning: { method: 'PATCH', path: '/learnings/{id}' },
  listGenerationRuns: { method: 'GET', path: '/experiment-runs' },
  getGenerationRun: { method: 'GET', path: '/experiment-runs/{runId}' },
  listFunnels: { method: 'GET', path: '/funnel' },
  createFunnel: { method: 'POST', path: '/funnel' },
  listEventNames: { method: 'GET', path: '/funnel/events' },
  getFunnel: { method: 'GET', path: '/funnel/{funnelId}' },
  updateFunnel: { method: 'PATCH', path: '/funnel/{funnelId}' },
  deleteFunnel: { method: 'DELETE', path: '/funnel/{funnelId}' },
  queryFunnel: { method: 'POST', path: '/funnel/{funnelId}/query' },
  queryFunnelDraft: { method: 'POST', path: '/funnel/query' },
  listEvents: { method: 'GET', path: '/events' },
  streamEvents: { method: 'GET', path: '/events/live' },
  listEventTrends: { method: 'GET', path: '/events/trends' },
  getEvent: { method: 'GET', path: '/events/{eventId}' },
  getMe: { method: 'GET', path: '/me' },
  listMyPermissions: { method: 'GET', path: '/me/permissions' },
  getReadiness: { method: 'GET', path: '/readiness' },
  createSession: { method: 'POST', path: '/sessions' },
  listAuditEntries: { method: 'GET', path: '/audit' },
} as const satisfies Record<keyof operations, { method: string; path: string }>
