package main

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestLicences checks that the licence of every module is known and permissive, and that docs/licences.md lists it.
func TestLicences(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the page lists the modules of linux on amd64")
	}
	list, err := modules(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range list {
		for _, l := range strings.Split(m.licence, ", ") {
			if !slices.Contains(permitted, l) {
				t.Errorf("%s has the licence %s", m.path, m.licence)
			}
		}
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "licences.md"))
	if err != nil {
		t.Fatal(err)
	}
	if want := table(list); string(page) != want {
		t.Error("docs/licences.md is not up to date: go run ./internal/licences > docs/licences.md")
	}
}

// TestClassify recognises the first sentences of licences.
func TestClassify(t *testing.T) {
	for text, want := range map[string]string{
		"                                 Apache License\n                           Version 2.0, January 2004": "Apache-2.0",
		"Permission is hereby granted, free of charge, to any person\nobtaining a copy of this":                 "MIT",
		"Redistribution and use in source and binary forms, with or without":                                    "BSD-2-Clause",
		"Redistribution and use in source and binary forms ... may be used to endorse or promote products":      "BSD-3-Clause",
		"GNU GENERAL PUBLIC LICENSE\n Version 3":                                                                "GPL",
		"All rights reserved":                                                                                   "",
	} {
		if got := strings.Join(classify(text), ", "); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
