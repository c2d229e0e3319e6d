{{- define "espalier.name" -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "espalier.labels" -}}
app.kubernetes.io/name: espalier
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "espalier.selector" -}}
app.kubernetes.io/name: espalier
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "espalier.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}

{{- define "espalier.securityContext" -}}
allowPrivilegeEscalation: false
capabilities: { drop: [ALL] }
runAsNonRoot: true
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "espalier.isAlone" -}}
{{- if or (eq .Values.server.database.kind "sqlite") (eq .Values.server.artifacts.driver "directory") }}yes{{ end -}}
{{- end -}}
