// Program templatelayout knows Go's pod template: it prints the layout of its types as JSON, or hashes templates.
//
// The native controllers name ReplicaSets by a hash over a dump of the Go struct, in which every field stands with
// its Go name and type, set or not. Run it through ../template_layout.py.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"log"
	"os"
	"reflect"
	"strings"

	"github.com/davecgh/go-spew/spew"
	corev1 "k8s.io/api/core/v1"
)

// asForHashes is how Kubernetes configures the dump, which may never change.
var asForHashes = spew.ConfigState{
	Indent: " ", SortKeys: true, DisableMethods: true, SpewKeys: true,
	DisablePointerAddresses: true, DisableCapacities: true,
}

type layout struct {
	Structs map[string][][3]string `json:"structs"`
	Types   map[string]string      `json:"types"`
	seen    map[string]reflect.Type
}

func (l *layout) visit(t reflect.Type) {
	if known, ok := l.seen[t.String()]; ok {
		if known != t {
			log.Fatalf("two types are called %v", t)
		}
		return
	}
	l.seen[t.String()] = t
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		if t.Name() != "" {
			l.Types[t.String()] = underlying(t).String()
		}
		if t.Kind() == reflect.Map {
			l.visit(t.Key())
		}
		l.visit(t.Elem())
	case reflect.Struct:
		fields := [][3]string{}
		for i := range t.NumField() {
			f := t.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			fields = append(fields, [3]string{f.Name, name, f.Type.String()})
			if f.IsExported() {
				l.visit(f.Type)
			}
		}
		l.Structs[t.String()] = fields
	default:
		if t.PkgPath() != "" {
			l.Types[t.String()] = t.Kind().String()
		}
	}
}

func underlying(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Map {
		return reflect.MapOf(t.Key(), t.Elem())
	}
	return reflect.SliceOf(t.Elem())
}

// stored gives a template as a controller sees it: written to the store and read from it.
func stored(text []byte) (corev1.PodTemplateSpec, error) {
	var read, found corev1.PodTemplateSpec
	if err := json.Unmarshal(text, &read); err != nil {
		return found, err
	}
	bytes, err := read.Marshal()
	if err != nil {
		return found, err
	}
	return found, found.Unmarshal(bytes)
}

func main() {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	if len(os.Args) == 1 {
		l := &layout{map[string][][3]string{}, map[string]string{}, map[string]reflect.Type{}}
		l.visit(reflect.TypeOf(corev1.PodTemplateSpec{}))
		if err := json.NewEncoder(out).Encode(l); err != nil {
			log.Fatal(err)
		}
		return
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		template, err := stored(lines.Bytes())
		if err != nil {
			log.Fatalf("%v: %s", err, lines.Text())
		}
		dump := asForHashes.Sprintf("%#v", template)
		if os.Args[1] == "dump" {
			fmt.Fprintf(out, "%q\n", dump)
			continue
		}
		sum := fnv.New32a()
		sum.Write([]byte(dump))
		fmt.Fprintln(out, sum.Sum32())
	}
}
