module nativeschema

go 1.26

require (
	k8s.io/api v0.36.3
	k8s.io/apiextensions-apiserver v0.36.3
)
