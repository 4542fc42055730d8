// Licences lists the licences of all modules whose code is in gsql, its programs or its tests, as a table for docs/licences.md:
//
//	go run ./internal/licences > docs/licences.md
//
// It reads the licence file of each module in Go's module cache.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// permitted are the licences, by their SPDX identifiers, that suit a program under Apache-2.0.
var permitted = []string{"Apache-2.0", "MIT", "BSD-2-Clause", "BSD-3-Clause", "ISC", "Zlib", "Unlicense", "CC0-1.0"}

// used is a module, and what uses it.
type used struct {
	path, version, dir string
	in                 string // what contains it
	licence            string
}

func main() {
	list, err := modules(".")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(table(list))
}

// modules returns the modules of which packages are compiled into anything below a folder, sorted by path.
func modules(dir string) ([]*used, error) {
	byPath := map[string]*used{}
	for _, part := range []struct {
		in   string
		args []string
	}{{"gsql", []string{"./cmd/gsql"}}, {"gsql with GPUs", []string{"-tags", "cuda", "./cmd/gsql"}}, {"tools and tests", []string{"-test", "./..."}}} {
		cmd := exec.Command("go", append([]string{"list", "-deps", "-json=Module"}, part.args...)...)
		cmd.Dir, cmd.Stderr, cmd.Env = dir, os.Stderr, append(os.Environ(), "CGO_ENABLED=1")
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		for d := json.NewDecoder(bytes.NewReader(out)); ; {
			var p struct {
				Module *struct {
					Path, Version, Dir string
					Main               bool
				}
			}
			if err := d.Decode(&p); err == io.EOF {
				break
			} else if err != nil {
				return nil, err
			}
			if m := p.Module; m != nil && !m.Main && byPath[m.Path] == nil {
				byPath[m.Path] = &used{path: m.Path, version: m.Version, dir: m.Dir, in: part.in}
			}
		}
	}
	var list []*used
	for _, m := range byPath {
		var err error
		if m.licence, err = licence(m.dir); err != nil {
			return nil, fmt.Errorf("%s: %w", m.path, err)
		}
		list = append(list, m)
	}
	slices.SortFunc(list, func(a, b *used) int { return strings.Compare(a.path, b.path) })
	return list, nil
}

// Names of files with licences. Some modules have theirs in the README alone.
var (
	files  = regexp.MustCompile(`(?i)^(licen[cs]e|copying|unlicense)(\.(md|txt|rst|libyaml))?$`)
	readme = regexp.MustCompile(`(?i)^readme(\.(md|txt|rst))?$`)
)

// licence returns the identifiers of the licences in a module's folder, or "unknown".
func licence(dir string) (string, error) {
	found, err := licencesIn(dir, files)
	if len(found) == 0 && err == nil {
		found, err = licencesIn(dir, readme)
	}
	if len(found) == 0 {
		return "unknown", err
	}
	slices.Sort(found)
	return strings.Join(slices.Compact(found), ", "), err
}

// licencesIn returns the identifiers of the licences in the files of a folder whose names match.
func licencesIn(dir string, names *regexp.Regexp) (found []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !names.MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		found = append(found, classify(string(text))...)
	}
	return found, nil
}

// phrases are texts by which licences are recognised.
var phrases = []struct{ licence, phrase string }{
	{"Apache-2.0", "Apache License Version 2.0"},
	{"MIT", "Permission is hereby granted, free of charge, to any person obtaining a copy"},
	{"ISC", "Permission to use, copy, modify, and/or distribute this software for any purpose"},
	{"ISC", "Permission to use, copy, modify, and distribute this software for any purpose"},
	{"Zlib", "This software is provided 'as-is', without any express or implied warranty"},
	{"MPL-2.0", "Mozilla Public License Version 2.0"},
	{"MPL-2.0", "Mozilla Public License, version 2.0"},
	{"GPL", "GNU GENERAL PUBLIC LICENSE"},
	{"LGPL", "GNU LESSER GENERAL PUBLIC LICENSE"},
	{"AGPL", "GNU AFFERO GENERAL PUBLIC LICENSE"},
	{"Unlicense", "This is free and unencumbered software released into the public domain"},
	{"CC0-1.0", "CC0 1.0 Universal"},
}

// classify returns the identifiers of the licences in a text.
func classify(text string) (found []string) {
	text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	for _, p := range phrases {
		if strings.Contains(text, strings.ToLower(p.phrase)) {
			found = append(found, p.licence)
		}
	}
	if strings.Contains(text, "redistribution and use in source and binary forms") {
		if strings.Contains(text, "endorse or promote products") {
			return append(found, "BSD-3-Clause")
		}
		return append(found, "BSD-2-Clause")
	}
	return found
}

// table returns the page of docs.
func table(list []*used) string {
	var b strings.Builder
	b.WriteString("# Licences\n\ngsql is licensed under Apache-2.0. It uses these modules, direct and indirect ones, under their own licences. `go run ./internal/licences` makes\nthis page from the licence files of the modules, and its test checks that the page is complete and that every licence is permissive.\n\n")
	b.WriteString("| module | version | licence | in |\n| --- | --- | --- | --- |\n")
	for _, m := range list {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", m.path, m.version, m.licence, m.in)
	}
	return b.String()
}
