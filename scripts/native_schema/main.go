// Prints, for the Go types behind the native kinds, what encoding does with zero values: JSON of
// {definition: {"drop": [fields left out when zero], "fill": {field: zero value that is always printed}}}.
// A struct that is always printed is filled with "{}" and completed by its own definition.
package main

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"

	admission "k8s.io/api/admissionregistration/v1"
	apps "k8s.io/api/apps/v1"
	autoscaling1 "k8s.io/api/autoscaling/v1"
	autoscaling2 "k8s.io/api/autoscaling/v2"
	batch "k8s.io/api/batch/v1"
	coordination "k8s.io/api/coordination/v1"
	core "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	events "k8s.io/api/events/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	rbac "k8s.io/api/rbac/v1"
	scheduling "k8s.io/api/scheduling/v1"
	storage "k8s.io/api/storage/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

type rule struct {
	Drop []string       `json:"drop,omitempty"`
	Fill map[string]any `json:"fill,omitempty"`
}

var rules = map[string]*rule{}

var marshaler = reflect.TypeOf((*json.Marshaler)(nil)).Elem()

func definition(t reflect.Type) string {
	parts := strings.Split(t.PkgPath(), "/")
	host := strings.Split(parts[0], ".")
	for i, j := 0, len(host)-1; i < j; i, j = i+1, j-1 {
		host[i], host[j] = host[j], host[i]
	}
	return strings.Join(append(host, parts[1:]...), ".") + "." + t.Name()
}

func custom(t reflect.Type) bool { return t.Implements(marshaler) || reflect.PointerTo(t).Implements(marshaler) }

func walk(t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		walk(t.Elem())
	case reflect.Struct:
		if custom(t) || rules[definition(t)] != nil {
			return
		}
		found := &rule{Fill: map[string]any{}}
		rules[definition(t)] = found
		fields(t, found)
	}
}

func fields(t reflect.Type, found *rule) {
	for i := 0; i < t.NumField(); i++ {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous && name == "" {
			fields(field.Type, found)
			continue
		}
		if name == "-" || name == "" {
			continue
		}
		walk(field.Type)
		omitEmpty, omitZero := strings.Contains(options, "omitempty"), strings.Contains(options, "omitzero")
		switch field.Type.Kind() {
		case reflect.Struct:
			if omitZero {
				found.Drop = append(found.Drop, name)
			} else if !custom(field.Type) {
				found.Fill[name] = map[string]any{}
			} else if !omitEmpty || !strings.HasSuffix(definition(field.Type), ".IntOrString") {
				found.Fill[name] = reflect.New(field.Type).Interface()
			} else {
				found.Fill[name] = 0
			}
		case reflect.Pointer, reflect.Interface:
			if !omitEmpty && !omitZero {
				found.Fill[name] = nil
			}
		default:
			if omitEmpty || omitZero {
				found.Drop = append(found.Drop, name)
			} else {
				found.Fill[name] = reflect.New(field.Type).Interface()
			}
		}
	}
}

func main() {
	for _, root := range []any{
		core.Pod{}, core.Service{}, core.ConfigMap{}, core.Secret{}, core.ServiceAccount{}, core.Namespace{}, core.Node{},
		core.Event{}, core.Endpoints{}, core.PersistentVolumeClaim{}, core.PersistentVolume{}, core.PodTemplate{},
		core.ReplicationController{}, core.LimitRange{}, core.ResourceQuota{}, core.Binding{},
		apps.Deployment{}, apps.ReplicaSet{}, apps.StatefulSet{}, apps.DaemonSet{}, apps.ControllerRevision{},
		batch.Job{}, batch.CronJob{}, autoscaling1.HorizontalPodAutoscaler{}, autoscaling2.HorizontalPodAutoscaler{},
		autoscaling1.Scale{}, policy.PodDisruptionBudget{}, policy.Eviction{}, coordination.Lease{},
		discovery.EndpointSlice{}, events.Event{}, networking.Ingress{}, networking.IngressClass{},
		networking.NetworkPolicy{}, rbac.Role{}, rbac.RoleBinding{}, rbac.ClusterRole{}, rbac.ClusterRoleBinding{},
		scheduling.PriorityClass{}, storage.StorageClass{}, admission.MutatingWebhookConfiguration{},
		admission.ValidatingWebhookConfiguration{}, apiextensions.CustomResourceDefinition{},
	} {
		walk(reflect.TypeOf(root))
	}
	json.NewEncoder(os.Stdout).Encode(rules)
}
