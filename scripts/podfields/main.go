// Program podfields prints the fields of the Go types behind pod templates and volume claims as JSON.
//
// The order of fields, their JSON names, `omitempty` and whether they are pointers decide how a typed object is
// printed, and so the bytes and the hash of a revision. Run it through ../pod_fields.py.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"reflect"
	"runtime/debug"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

var roots = []reflect.Type{
	reflect.TypeOf(corev1.PodTemplateSpec{}),
	reflect.TypeOf(corev1.PersistentVolumeClaim{}),
}

// leaves are the types that print themselves.
var leaves = map[reflect.Type]string{
	reflect.TypeOf(resource.Quantity{}):  "quantity",
	reflect.TypeOf(metav1.Time{}):        "time",
	reflect.TypeOf(metav1.MicroTime{}):   "microTime",
	reflect.TypeOf(intstr.IntOrString{}): "intOrString",
	reflect.TypeOf(metav1.FieldsV1{}):    "raw",
	reflect.TypeOf([]byte{}):             "bytes",
}

type field struct {
	name      string
	token     string
	omitempty bool
}

// MarshalJSON keeps a field on one line: name, type, and 1 where empty values are left out.
func (f field) MarshalJSON() ([]byte, error) {
	omit := 0
	if f.omitempty {
		omit = 1
	}
	return json.Marshal([]any{f.name, f.token, omit})
}

type walker struct {
	Structs map[string][]field `json:"structs"`
	Scalars map[string]string  `json:"scalars"`
	seen    map[string]reflect.Type
}

func (w *walker) token(t reflect.Type) string {
	if leaf, ok := leaves[t]; ok {
		return leaf
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + w.token(t.Elem())
	case reflect.Slice:
		return "[]" + w.token(t.Elem())
	case reflect.Map:
		return "{}" + w.token(t.Elem())
	case reflect.Struct:
		w.visit(t)
		return t.Name()
	case reflect.String, reflect.Bool, reflect.Int32, reflect.Int64:
		if t.PkgPath() != "" {
			w.Scalars[t.String()] = t.Kind().String()
		}
		return t.String()
	default:
		log.Fatalf("%v: a kind the table has no word for", t)
		return ""
	}
}

func (w *walker) visit(t reflect.Type) {
	if known, ok := w.seen[t.Name()]; ok {
		if known != t {
			log.Fatalf("two types are called %s: %v and %v", t.Name(), known, t)
		}
		return
	}
	w.seen[t.Name()] = t
	w.Structs[t.Name()] = w.fields(t)
}

func (w *walker) fields(t reflect.Type) []field {
	found := []field{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case !f.IsExported() || name == "-":
		case f.Anonymous && name == "":
			found = append(found, w.fields(f.Type)...)
		case name == "":
			log.Fatalf("%v.%s has no JSON name", t, f.Name)
		default:
			found = append(found, field{name, w.token(f.Type), strings.Contains(options, "omitempty")})
		}
	}
	return found
}

func source() string {
	info, _ := debug.ReadBuildInfo()
	for _, module := range info.Deps {
		if module.Path == "k8s.io/api" {
			return module.Path + " " + module.Version
		}
	}
	return "unknown"
}

func main() {
	w := &walker{map[string][]field{}, map[string]string{}, map[string]reflect.Type{}}
	for _, root := range roots {
		w.token(root)
	}
	encoder := json.NewEncoder(os.Stdout)
	if err := encoder.Encode(struct {
		Source string `json:"source"`
		*walker
	}{source(), w}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
