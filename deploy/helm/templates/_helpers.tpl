{{- define "svc.name" -}}
{{- if contains "svc" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-svc" .Release.Name | trunc 50 | trimSuffix "-" }}{{ end -}}
{{- end }}

{{- define "svc.selector" -}}
app.kubernetes.io/name: svc
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .stage }}
{{- end }}

{{- define "svc.labels" -}}
app.kubernetes.io/name: svc
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- with .stage }}
app.kubernetes.io/component: {{ . }}
{{- end }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{/* Variables of a stage: text values as they are, and files of the Secret. */}}
{{- define "svc.environment" -}}
{{- $values := .root.Values }}
{{- $files := dict "SVC_POSTGRES_URL_FILE" "postgres-url" "SVC_SECRET_KEY_FILE" "secret-key" }}
{{- $texts := dict }}
{{- if ne .stage "ingest" }}
{{- $_ := set $files "SVC_CLICKHOUSE_URL_FILE" "clickhouse-url" }}
{{- with $values.clickhouse.cluster }}{{ $_ := set $texts "SVC_CLICKHOUSE_CLUSTER" . }}{{ end }}
{{- $_ := set $texts "SVC_CLICKHOUSE_LINKS" $values.clickhouse.links }}
{{- end }}
{{- if ne .stage "api" }}
{{- $kafka := $values.kafka }}
{{- $_ := set $texts "SVC_KAFKA_BROKERS" $kafka.brokers }}
{{- $_ := set $texts "SVC_KAFKA_TOPIC_PREFIX" $kafka.topicPrefix }}
{{- $_ := set $texts "SVC_KAFKA_PARTITIONS" $kafka.partitions }}
{{- $_ := set $texts "SVC_KAFKA_IDENTITY_PARTITIONS" $kafka.identityPartitions }}
{{- if $kafka.tls }}{{ $_ := set $texts "SVC_KAFKA_TLS" "true" }}{{ end }}
{{- if $kafka.caConfigMap }}{{ $_ := set $texts "SVC_KAFKA_CA_FILE" "/etc/svc/kafka/ca.crt" }}{{ end }}
{{- if $kafka.username }}
{{- $_ := set $texts "SVC_KAFKA_USERNAME" $kafka.username }}
{{- $_ := set $texts "SVC_KAFKA_MECHANISM" $kafka.mechanism }}
{{- $_ := set $files "SVC_KAFKA_PASSWORD_FILE" "kafka-password" }}
{{- end }}
{{- end }}
{{- $stage := index $values .stage }}
{{- if eq .stage "ingest" }}{{ $_ := set $texts "SVC_INGEST_WORKERS" $stage.workers }}{{ end }}
{{- if eq .stage "consumers" }}{{ $_ := set $texts "SVC_DEDUP_MEMORY_MB" $stage.dedupMemoryMB }}{{ $_ := set $texts "SVC_DATA_DIR" "/tmp/svc" }}{{ end }}
{{- range $name, $key := merge (dict) $values.secretFiles $files }}
- { name: {{ $name }}, value: {{ printf "/etc/svc/secrets/%s" $key | quote }} }
{{- end }}
{{- range $name, $value := merge (dict) $stage.environment $values.environment $texts }}
- { name: {{ $name }}, value: {{ $value | toString | quote }} }
{{- end }}
{{- end }}

{{/* The pods of a stage. */}}
{{- define "svc.pod" -}}
{{- $root := .root }}
{{- $values := $root.Values }}
{{- $stage := index $values .stage }}
metadata:
  labels:
    {{- include "svc.labels" . | nindent 4 }}
  {{- with $stage.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  # Kubernetes would set variables such as SVC_API_PORT from the names of services, which svc refuses.
  enableServiceLinks: false
  automountServiceAccountToken: false
  # Longer than draining.
  terminationGracePeriodSeconds: 45
  securityContext:
    runAsNonRoot: true
    runAsUser: 1000
    runAsGroup: 1000
    fsGroup: 1000
    seccompProfile: { type: RuntimeDefault }
  {{- with $values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  topologySpreadConstraints:
    {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
    - topologyKey: {{ . }}
      maxSkew: 1
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "svc.selector" $ | nindent 10 }}
    {{- end }}
  {{- with $stage.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $stage.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: {{ .stage }}
      image: {{ printf "%s:%s" $values.image.repository ($stage.tag | default $values.image.tag | default $root.Chart.AppVersion) | quote }}
      imagePullPolicy: {{ $values.image.pullPolicy }}
      args: [dist/start/{{ .stage }}.js]
      env:
        {{- include "svc.environment" . | trim | nindent 8 }}
      ports:
        {{- if ne .stage "consumers" }}
        - { name: http, containerPort: {{ eq .stage "ingest" | ternary 8080 8081 }} }
        {{- end }}
        - { name: operators, containerPort: 9464 }
      # A start waits up to two minutes for its stores, and answers /healthz meanwhile.
      startupProbe:
        httpGet: { path: /healthz, port: operators }
        periodSeconds: 2
        failureThreshold: 30
      livenessProbe:
        httpGet: { path: /healthz, port: operators }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      readinessProbe:
        httpGet: { path: /readyz, port: operators }
        periodSeconds: 5
        timeoutSeconds: 8
        failureThreshold: 2
      {{- if ne .stage "consumers" }}
      # Balancers stop sending before the draining begins.
      lifecycle:
        preStop:
          exec: { command: [node, -e, 'setTimeout(() => {}, 5000)'] }
      {{- end }}
      resources:
        {{- if eq .stage "consumers" }}
        {{- $memory := printf "%dMi" (add 512 (int $stage.dedupMemoryMB)) }}
        requests: { cpu: {{ $stage.cpu }}, memory: {{ $memory }} }
        limits: { memory: {{ $memory }} }
        {{- else }}
        {{- toYaml $stage.resources | nindent 8 }}
        {{- end }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: { drop: [ALL] }
      volumeMounts:
        - { name: secrets, mountPath: /etc/svc/secrets, readOnly: true }
        - { name: tmp, mountPath: /tmp }
        {{- if and (ne .stage "api") $values.kafka.caConfigMap }}
        - { name: kafka, mountPath: /etc/svc/kafka, readOnly: true }
        {{- end }}
  volumes:
    - name: secrets
      secret: { secretName: {{ $values.secretName }}, defaultMode: 0440 }
    - name: tmp
      emptyDir: {}
    {{- if and (ne .stage "api") $values.kafka.caConfigMap }}
    - name: kafka
      configMap: { name: {{ $values.kafka.caConfigMap }} }
    {{- end }}
{{- end }}
