// Made by scripts/client-types.mjs from the OpenAPI document: not edited by hand.

export interface paths {
  '/experiments': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listExperiments']
    put?: never
    post: operations['createExperiment']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/experiments/counts': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['countExperiments']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/experiments/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getExperiment']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch: operations['updateExperiment']
    trace?: never
  }
  '/experiments/{id}/results': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listExperimentSegments']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/experiments/{id}/status': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getExperimentStatus']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/experiments/{id}/conversion-targets': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put: operations['replaceConversionTargets']
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/experiments/generate': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['generateProposals']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/experiments/{id}/approve': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['approveProposal']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/experiments/{id}/dismiss': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['dismissProposal']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/experiments/{id}/refine': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getRefinement']
    put?: never
    post: operations['refineProposal']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/experiments/{id}/generate-pr': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['generatePullRequest']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/experiments/{id}/start': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['startExperiment']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/experiments/{id}/pause': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['pauseExperiment']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/experiments/{id}/resume': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['resumeExperiment']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/experiments/{id}/end': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['endExperiment']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/experiments/{id}/ship': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['shipExperiment']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/experiments/{id}/decide': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['decideExperiment']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/learnings': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listLearnings']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/learnings/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getLearning']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch: operations['updateLearning']
    trace?: never
  }
  '/experiment-runs': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listGenerationRuns']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/experiment-runs/{runId}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getGenerationRun']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/funnel': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listFunnels']
    put?: never
    post: operations['createFunnel']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/funnel/events': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listEventNames']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/funnel/{funnelId}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getFunnel']
    put?: never
    post?: never
    delete: operations['deleteFunnel']
    options?: never
    head?: never
    patch: operations['updateFunnel']
    trace?: never
  }
  '/funnel/{funnelId}/query': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['queryFunnel']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/funnel/query': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['queryFunnelDraft']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/events': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listEvents']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/events/live': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['streamEvents']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/events/trends': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listEventTrends']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/events/{eventId}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getEvent']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/me': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getMe']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/me/permissions': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listMyPermissions']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/readiness': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getReadiness']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/sessions': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['createSession']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/audit': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listAuditEntries']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
}
export interface components {
  schemas: {
    AuditEntry: {
      id: string
      at: string
      action: string
      resourceType: string
      resourceId: string
      actorApiKeyId: string | null
      actorApiKeyName: string | null
      actorPersonId: string | null
      actorPersonName: string
      requestId: string
      summary: string
    }
    AuditPage: {
      data: components['schemas']['AuditEntry'][]
      pagination: components['schemas']['Pagination']
    }
    Change:
      | components['schemas']['CreateFile']
      | components['schemas']['ModifyFile']
      | components['schemas']['DeleteFile']
    ContainsFilter: {
      property: string
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      operator: 'contains'
      value: string
    }
    ConversionTarget: {
      eventName: string
      name: string
      /** @enum {string} */
      direction: 'increase' | 'decrease'
      windowHours: number | null
      filters: components['schemas']['PropertyFilter'][]
      metric?: components['schemas']['Metric']
    }
    ConversionTargetInput: {
      eventName: string
      name?: string
      /** @enum {string} */
      direction?: 'increase' | 'decrease'
      windowHours?: number | null
      filters?: components['schemas']['PropertyFilter'][]
      metric?: components['schemas']['Metric']
    }
    CreateExperiment: {
      name: string
      key?: string
      variants: components['schemas']['VariantInput'][]
      conversionTargets: components['schemas']['ConversionTargetInput'][]
      mechanism?: string
      notes?: string
      hypothesis?: string
      /** @enum {string} */
      kind?: 'experiment' | 'feature'
      /** @enum {string} */
      testType?: 'dom' | 'message'
      /** @enum {string} */
      priority?: 'low' | 'medium' | 'high'
      surfaces?: components['schemas']['SurfaceInput'][]
      changes?: components['schemas']['Change'][]
      acknowledgeOverlap?: boolean
    }
    CreateFile: {
      path: string
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      action: 'create'
      content: string
    }
    CreateFunnel: {
      name: string
      description?: string
      windowSeconds?: number
      steps: components['schemas']['FunnelStepInput'][]
    }
    Decision: components['schemas']['ShipDecision'] | components['schemas']['RejectDecision']
    DeleteFile: {
      path: string
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      action: 'delete'
    }
    EqualityFilter: {
      property: string
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      operator: 'eq' | 'neq'
      value: unknown
    }
    Error: {
      /** @enum {string} */
      code:
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
      message: string
      requestId: string
      details: {
        path: string
        message: string
      }[]
    }
    Event: {
      id: string
      event: string
      userId: string | null
      anonymousId: string | null
      personId: string
      properties: Record<string, never>
      timestamp: string
      originalTimestamp: string | null
      /** @enum {string} */
      timestampAdjustment: 'none' | 'skew' | 'clamped_past' | 'clamped_future'
      receivedAt: string
      insertId: string | null
      sdkVersion: string | null
    }
    EventName: {
      eventName: string
      count: number
      firstSeenAt: string
      lastSeenAt: string
    }
    EventNameList: {
      data: components['schemas']['EventName'][]
    }
    EventPage: {
      data: components['schemas']['Event'][]
      pagination: components['schemas']['Pagination']
    }
    EventTrend: {
      eventName: string
      counts: number[]
    }
    EventTrends: {
      from: string
      /** @enum {string} */
      interval: 'minute' | 'hour' | 'day'
      data: components['schemas']['EventTrend'][]
    }
    ExistenceFilter: {
      property: string
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      operator: 'exists' | 'not_exists'
    }
    Experiment: {
      id: string
      key: string
      name: string
      mechanism: string
      notes: string
      hypothesis: string
      /** @enum {string} */
      kind: 'experiment' | 'feature'
      /** @enum {string} */
      testType: 'dom' | 'message'
      /** @enum {string} */
      status:
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
      priority: 'low' | 'medium' | 'high'
      /** @enum {string} */
      origin: 'generated' | 'api'
      experimentRunId: string | null
      variants: components['schemas']['Variant'][]
      conversionTargets: components['schemas']['ConversionTarget'][]
      surfaces: components['schemas']['Surface'][]
      pullRequest: components['schemas']['PullRequest'] | null
      cleanupPullRequest: components['schemas']['PullRequest'] | null
      dismissal: {
        reasons: (
          | 'not_relevant'
          | 'too_risky'
          | 'low_impact'
          | 'duplicate'
          | 'wrong_surface'
          | 'other'
          | 'replaced'
        )[]
        note: string | null
        dismissedAt: string
        personId: string
      } | null
      rejectedStage: ('pr' | 'outcome') | null
      decision: {
        /** @enum {string} */
        outcome: 'ship' | 'reject'
        variant: string | null
        reason: string | null
        decidedAt: string
        settlesAt: string
        personId: string | null
      } | null
      measurements: {
        usersExposed: number | null
        estimatedLift: number | null
        confidence: number | null
        asOf: string
      } | null
      createdAt: string
      updatedAt: string
      startedAt: string | null
      endedAt: string | null
    }
    ExperimentCounts: {
      total: number
      byStatus: {
        proposed: number
        dismissed: number
        approved: number
        generating_pr: number
        pr_failed: number
        pr_open: number
        ready: number
        running: number
        paused: number
        ended: number
        settling: number
        shipped: number
        rejected: number
        concluded: number
      }
    }
    ExperimentDetail: {
      id: string
      key: string
      name: string
      mechanism: string
      notes: string
      hypothesis: string
      /** @enum {string} */
      kind: 'experiment' | 'feature'
      /** @enum {string} */
      testType: 'dom' | 'message'
      /** @enum {string} */
      status:
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
      priority: 'low' | 'medium' | 'high'
      /** @enum {string} */
      origin: 'generated' | 'api'
      experimentRunId: string | null
      variants: components['schemas']['Variant'][]
      conversionTargets: components['schemas']['ConversionTarget'][]
      surfaces: components['schemas']['Surface'][]
      pullRequest: components['schemas']['PullRequest'] | null
      cleanupPullRequest: components['schemas']['PullRequest'] | null
      dismissal: {
        reasons: (
          | 'not_relevant'
          | 'too_risky'
          | 'low_impact'
          | 'duplicate'
          | 'wrong_surface'
          | 'other'
          | 'replaced'
        )[]
        note: string | null
        dismissedAt: string
        personId: string
      } | null
      rejectedStage: ('pr' | 'outcome') | null
      decision: {
        /** @enum {string} */
        outcome: 'ship' | 'reject'
        variant: string | null
        reason: string | null
        decidedAt: string
        settlesAt: string
        personId: string | null
      } | null
      measurements: {
        usersExposed: number | null
        estimatedLift: number | null
        confidence: number | null
        asOf: string
      } | null
      createdAt: string
      updatedAt: string
      startedAt: string | null
      endedAt: string | null
      results: components['schemas']['Results'] | null
      readiness: components['schemas']['ExperimentReadiness']
      plan?: components['schemas']['Plan']
    }
    ExperimentPage: {
      data: components['schemas']['Experiment'][]
      pagination: components['schemas']['Pagination']
    }
    ExperimentReadiness: {
      canStart: boolean
      checks: {
        /** @enum {string} */
        code: 'status' | 'event_history'
        ok: boolean
        message: string
      }[]
    }
    ExperimentStatus: {
      id: string
      key: string
      /** @enum {string} */
      status:
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
      settled: boolean
      rejectedStage: ('pr' | 'outcome') | null
      pullRequest: components['schemas']['PullRequest'] | null
      updatedAt: string
    }
    Funnel: {
      id: string
      name: string
      description: string
      windowSeconds: number
      steps: components['schemas']['FunnelStep'][]
      createdAt: string
      updatedAt: string
    }
    FunnelBreakdownGroup: {
      value: unknown
      entered: number
      completed: number
      conversionRate: number | null
      steps: components['schemas']['FunnelStepResult'][]
    }
    FunnelDraftQuery: {
      steps: components['schemas']['FunnelStepInput'][]
      from?: string
      to?: string
      windowSeconds?: number
      /** @enum {string} */
      order?: 'ordered' | 'strict' | 'any'
      breakdown?: {
        property: string
        limit?: number
      }
      /** @enum {string} */
      interval?: 'hour' | 'day' | 'week' | 'month'
      filters?: components['schemas']['PropertyFilter'][]
      exclusions?: {
        eventName: string
        fromStep: number
        toStep: number
      }[]
      experiment?: string
    }
    FunnelDraftResult: {
      from: string
      to: string
      windowSeconds: number
      /** @enum {string} */
      order: 'ordered' | 'strict' | 'any'
      entered: number
      completed: number
      conversionRate: number | null
      steps: components['schemas']['FunnelStepResult'][]
      breakdown: components['schemas']['FunnelBreakdownGroup'][] | null
      trend: components['schemas']['FunnelTrendPoint'][] | null
      query: {
        elapsedMs: number
        rowsRead: number
      }
    }
    FunnelList: {
      data: components['schemas']['Funnel'][]
    }
    FunnelQuery: {
      from?: string
      to?: string
      windowSeconds?: number
      /** @enum {string} */
      order?: 'ordered' | 'strict' | 'any'
      breakdown?: {
        property: string
        limit?: number
      }
      /** @enum {string} */
      interval?: 'hour' | 'day' | 'week' | 'month'
      filters?: components['schemas']['PropertyFilter'][]
      exclusions?: {
        eventName: string
        fromStep: number
        toStep: number
      }[]
      experiment?: string
    }
    FunnelQueryResult: {
      funnelId: string
      from: string
      to: string
      windowSeconds: number
      /** @enum {string} */
      order: 'ordered' | 'strict' | 'any'
      entered: number
      completed: number
      conversionRate: number | null
      steps: components['schemas']['FunnelStepResult'][]
      breakdown: components['schemas']['FunnelBreakdownGroup'][] | null
      trend: components['schemas']['FunnelTrendPoint'][] | null
      query: {
        elapsedMs: number
        rowsRead: number
      }
    }
    FunnelStep: {
      name: string
      eventName: string
      filters: components['schemas']['PropertyFilter'][]
    }
    FunnelStepInput: {
      name?: string
      eventName: string
      filters?: components['schemas']['PropertyFilter'][]
    }
    FunnelStepResult: {
      index: number
      name: string
      eventName: string
      count: number
      conversionFromPrevious: number | null
      conversionFromStart: number | null
      dropOff: number
      medianSecondsFromPrevious: number | null
      p90SecondsFromPrevious: number | null
    }
    FunnelTrendPoint: {
      at: string
      entered: number
      completed: number
      conversionRate: number | null
      complete: boolean
    }
    GenerationAccepted: {
      runId: string
      /** @enum {string} */
      status: 'queued' | 'running'
    }
    GenerationRun: {
      id: string
      /** @enum {string} */
      status: 'queued' | 'running' | 'succeeded' | 'failed'
      step: ('read' | 'understand' | 'propose' | 'ground' | 'filter' | 'store') | null
      progress: number
      requested: number
      generated: number
      survived: number
      dropped: {
        reason: string
        count: number
      }[]
      startedAt: string | null
      finishedAt: string | null
      durationMs: number | null
      error: {
        step: string
        message: string
      } | null
      createdAt: string
    }
    GenerationRunPage: {
      data: components['schemas']['GenerationRun'][]
      pagination: components['schemas']['Pagination']
    }
    InFilter: {
      property: string
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      operator: 'in'
      value: unknown[]
    }
    Learning: {
      id: string
      experimentId: string
      experimentKey: string
      title: string
      /** @enum {string} */
      decision: 'ship' | 'reject' | 'conclude'
      variant: string | null
      /** @enum {string} */
      reviewStatus: 'draft' | 'approved'
      interpretation: string
      evidence: {
        [key: string]: unknown
      }
      evidenceHash: string
      createdAt: string
      updatedAt: string
    }
    LearningPage: {
      data: components['schemas']['Learning'][]
      pagination: components['schemas']['Pagination']
    }
    Me: {
      workspace: {
        id: string
        name: string
      }
      key: {
        id: string
        name: string
        scopes: ('proposals.review' | 'experiments.manage' | 'experiments.decide' | 'funnels.manage')[]
      } | null
      person: {
        id: string
        name: string
        email: string
      }
    }
    MeanMetric: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'mean'
      property: string
      percentile?: number
      cuped?: boolean
    }
    Metric: components['schemas']['ProportionMetric'] | components['schemas']['MeanMetric']
    ModifyFile: {
      path: string
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      action: 'modify'
      edits?: {
        find: string
        replace: string
        variant?: string
      }[]
      content?: string
    }
    OrderFilter: {
      property: string
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      operator: 'gt' | 'gte' | 'lt' | 'lte'
      value: string | number
    }
    Pagination: {
      limit: number
      offset: number
      total: number
      hasMore: boolean
    }
    PermissionList: {
      data: ('proposals.review' | 'experiments.manage' | 'experiments.decide' | 'funnels.manage')[]
    }
    Plan: {
      commit: string | null
      files: components['schemas']['PlanFile'][]
    }
    PlanFile: {
      path: string
      /** @enum {string} */
      action: 'create' | 'modify' | 'delete'
      summary: string
      diff: string | null
      state: ('current' | 'changed' | 'moved' | 'gone') | null
      movedTo: string | null
    }
    PropertyFilter:
      | components['schemas']['EqualityFilter']
      | components['schemas']['OrderFilter']
      | components['schemas']['ContainsFilter']
      | components['schemas']['InFilter']
      | components['schemas']['ExistenceFilter']
    ProportionMetric: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'proportion'
    }
    PullRequest: {
      number: number | null
      url: string | null
      branch: string | null
      /** @enum {string} */
      state: 'open' | 'merged' | 'closed' | 'failed'
      error: string | null
    }
    Readiness: {
      canGenerate: boolean
      canRun: boolean
      checks: {
        /** @enum {string} */
        code: 'repository' | 'generator' | 'events_received' | 'log' | 'clickhouse'
        ok: boolean
        message: string
        fix: string
      }[]
      ingestUrl: string | null
    }
    Refinement: {
      id: string
      /** @enum {string} */
      status: 'queued' | 'running' | 'done' | 'failed'
      instructions: string
      error: string | null
      createdAt: string
      finishedAt: string | null
    }
    RejectDecision: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      outcome: 'reject'
      reason?: string
      force?: boolean
    }
    Results: {
      asOf: string
      /** @enum {string} */
      state: 'no_data' | 'collecting' | 'ready'
      reason: string | null
      exposed: number
      multipleVariants: number
      srm: {
        pValue: number
        ok: boolean
      }
      dataQuality: {
        multipleVariants: number
        unknownVariants: number
        beforeStart: number
        clampedShare: number
        lagSeconds: number
      }
      targets: components['schemas']['TargetResults'][]
    }
    ResultsBySegment: {
      data: {
        value: unknown
        exploratory: boolean
        results: components['schemas']['Results']
      }[]
    }
    Session: {
      token: string
      expiresAt: string
    }
    ShipDecision: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      outcome: 'ship'
      variant: string
      reason?: string
      force?: boolean
    }
    Surface: {
      path: string
      anchor: string | null
    }
    SurfaceInput: {
      path: string
      anchor?: string | null
    }
    TargetResults: {
      eventName: string
      /** @enum {string} */
      direction: 'increase' | 'decrease'
      primary: boolean
      variants: components['schemas']['VariantResults'][]
    }
    UpdateExperiment: {
      name?: string
      mechanism?: string
      notes?: string
      hypothesis?: string
      /** @enum {string} */
      priority?: 'low' | 'medium' | 'high'
      variants?: components['schemas']['VariantSplit'][]
      conversionTargets?: components['schemas']['ConversionTargetInput'][]
    }
    UpdateFunnel: {
      name?: string
      description?: string
      windowSeconds?: number
      steps?: components['schemas']['FunnelStepInput'][]
    }
    Variant: {
      key: string
      displayName: string
      trafficSplit: number
      isControl: boolean
    }
    VariantInput: {
      displayName: string
      trafficSplit: number
    }
    VariantResults: {
      key: string
      exposed: number
      converted: number
      rate: number | null
      mean?: number | null
      standardDeviation?: number | null
      adjustedMean?: number | null
      vsControl: components['schemas']['VsControl'] | null
    }
    VariantSplit: {
      key: string
      trafficSplit: number
    }
    VsControl: {
      lift: number | null
      liftCi: number[] | null
      pValue: number | null
      adjustedPValue: number | null
      chanceToWin: number | null
      risk: number | null
      sequentialCi: number[] | null
      sequentialPValue: number | null
    }
  }
  responses: never
  parameters: never
  requestBodies: never
  headers: never
  pathItems: never
}
export interface operations {
  listExperiments: {
    parameters: {
      query?: {
        status?: string
        priority?: string
        origin?: string
        experimentRunId?: string
        search?: string
        rejectedStage?: 'pr' | 'outcome'
        hasPr?: boolean
        createdAfter?: string
        createdBefore?: string
        kind?: 'experiment' | 'feature'
        testType?: 'dom' | 'message'
        sortBy?:
          | 'createdAt'
          | 'updatedAt'
          | 'startedAt'
          | 'usersExposed'
          | 'name'
          | 'estimatedLift'
          | 'confidence'
          | 'priority'
        sortDir?: 'asc' | 'desc'
        limit?: number
        offset?: number
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ExperimentPage']
        }
      }
    }
  }
  createExperiment: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['CreateExperiment']
      }
    }
    responses: {
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Experiment']
        }
      }
    }
  }
  countExperiments: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ExperimentCounts']
        }
      }
    }
  }
  getExperiment: {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ExperimentDetail']
        }
      }
    }
  }
  updateExperiment: {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['UpdateExperiment']
      }
    }
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Experiment']
        }
      }
    }
  }
  listExperimentSegments: {
    parameters: {
      query: {
        breakdown: string
        limit?: number
      }
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ResultsBySegment']
        }
      }
    }
  }
  getExperimentStatus: {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ExperimentStatus']
        }
      }
    }
  }
  replaceConversionTargets: {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': {
          conversionTargets: components['schemas']['ConversionTargetInput'][]
        }
      }
    }
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Experiment']
        }
      }
    }
  }
  generateProposals: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: {
      content: {
        'application/json': {
          count?: number
          focus?: string
          replace?: boolean
        }
      }
    }
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['GenerationAccepted']
        }
      }
    }
  }
  approveProposal: {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        'application/json': {
          acknowledgeOverlap?: boolean
        }
      }
    }
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Experiment']
        }
      }
    }
  }
  dismissProposal: {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': {
          reasons: ('not_relevant' | 'too_risky' | 'low_impact' | 'duplicate' | 'wrong_surface' | 'other')[]
          note?: string
        }
      }
    }
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Experiment']
        }
      }
    }
  }
  getRefinement: {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Refinement'] | null
        }
      }
    }
  }
  refineProposal: {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': {
          instructions: string
        }
      }
    }
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Refinement']
        }
      }
    }
  }
  generatePullRequest: {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Experiment']
        }
      }
    }
  }
  startExperiment: {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        'application/json': Record<string, never>
      }
    }
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Experiment']
        }
      }
    }
  }
  pauseExperiment: {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        'application/json': Record<string, never>
      }
    }
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Experiment']
        }
      }
    }
  }
  resumeExperiment: {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        'application/json': Record<string, never>
      }
    }
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Experiment']
        }
      }
    }
  }
  endExperiment: {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        'application/json': {
          conclude?: boolean
        }
      }
    }
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Experiment']
        }
      }
    }
  }
  shipExperiment: {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        'application/json': {
          variant?: string
        }
      }
    }
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Experiment']
        }
      }
    }
  }
  decideExperiment: {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['Decision']
      }
    }
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Experiment']
        }
      }
    }
  }
  listLearnings: {
    parameters: {
      query?: {
        search?: string
        decision?: 'ship' | 'reject' | 'conclude'
        reviewStatus?: 'draft' | 'approved'
        from?: string
        to?: string
        limit?: number
        offset?: number
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['LearningPage']
        }
      }
    }
  }
  getLearning: {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Learning']
        }
      }
    }
  }
  updateLearning: {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': {
          interpretation?: string
          /** @enum {string} */
          reviewStatus?: 'draft' | 'approved'
        }
      }
    }
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Learning']
        }
      }
    }
  }
  listGenerationRuns: {
    parameters: {
      query?: {
        limit?: number
        offset?: number
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['GenerationRunPage']
        }
      }
    }
  }
  getGenerationRun: {
    parameters: {
      query?: never
      header?: never
      path: {
        runId: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['GenerationRun']
        }
      }
    }
  }
  listFunnels: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['FunnelList']
        }
      }
    }
  }
  createFunnel: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['CreateFunnel']
      }
    }
    responses: {
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Funnel']
        }
      }
    }
  }
  listEventNames: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['EventNameList']
        }
      }
    }
  }
  getFunnel: {
    parameters: {
      query?: never
      header?: never
      path: {
        funnelId: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Funnel']
        }
      }
    }
  }
  deleteFunnel: {
    parameters: {
      query?: never
      header?: never
      path: {
        funnelId: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      204: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
    }
  }
  updateFunnel: {
    parameters: {
      query?: never
      header?: never
      path: {
        funnelId: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['UpdateFunnel']
      }
    }
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Funnel']
        }
      }
    }
  }
  queryFunnel: {
    parameters: {
      query?: never
      header?: never
      path: {
        funnelId: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        'application/json': components['schemas']['FunnelQuery']
      }
    }
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['FunnelQueryResult']
        }
      }
    }
  }
  queryFunnelDraft: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['FunnelDraftQuery']
      }
    }
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['FunnelDraftResult']
        }
      }
    }
  }
  listEvents: {
    parameters: {
      query?: {
        limit?: number
        offset?: number
        sortBy?: 'receivedAt' | 'event'
        sortDir?: 'asc' | 'desc'
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['EventPage']
        }
      }
    }
  }
  streamEvents: {
    parameters: {
      query?: {
        event?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'text/event-stream': string
        }
      }
    }
  }
  listEventTrends: {
    parameters: {
      query: {
        events: string
        interval?: 'minute' | 'hour' | 'day'
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['EventTrends']
        }
      }
    }
  }
  getEvent: {
    parameters: {
      query?: never
      header?: never
      path: {
        eventId: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Event']
        }
      }
    }
  }
  getMe: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Me']
        }
      }
    }
  }
  listMyPermissions: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['PermissionList']
        }
      }
    }
  }
  getReadiness: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Readiness']
        }
      }
    }
  }
  createSession: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Session']
        }
      }
    }
  }
  listAuditEntries: {
    parameters: {
      query?: {
        actorApiKeyId?: string
        action?: string
        from?: string
        to?: string
        limit?: number
        offset?: number
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['AuditPage']
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
