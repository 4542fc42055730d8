package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"gsql/gpu"
)

func TestDevicesListsTheCPUAndWhyThereIsNoGPU(t *testing.T) {
	var out, errw bytes.Buffer
	if status := runDevices(nil, &out, &errw); status != 0 {
		t.Fatalf("status %d: %s", status, errw.String())
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if !regexp.MustCompile(`^cpu +\d+ cores?, [\d.]+ [GT]B memory$`).MatchString(lines[0]) {
		t.Errorf("first line %q", lines[0])
	}
	devices, reasons := gpu.Devices()
	links := 0
	if len(devices) > 1 {
		links = len(devices)
	}
	if len(lines) != 2+len(devices)+links+len(reasons) {
		t.Errorf("%d lines for the CPU, %d devices and their links, %d reasons and the planner's rates:\n%s", len(lines), len(devices), len(reasons), &out)
	}
	if last := lines[len(lines)-1]; !strings.HasPrefix(last, "rates of the planner: ") {
		t.Errorf("last line %q does not say where the planner's rates are from", last)
	}
	if len(devices) == 0 && !strings.HasPrefix(lines[1], "no GPU: ") {
		t.Errorf("second line %q does not say why there is no GPU", lines[1])
	}
}

// linked is a device of which only the name and the links are known.
type linked struct {
	gpu.Device
	name  string
	links map[string]gpu.Link
}

func (d linked) Name() string { return d.name }

func (d linked) Link(from gpu.Device) (gpu.Link, error) { return d.links[from.Name()], nil }

func TestListLinks(t *testing.T) {
	fast, slow := gpu.Link{Kind: "NVLink", Direct: true}, gpu.Link{Kind: "PCIe"}
	a := &linked{name: "cuda:0", links: map[string]gpu.Link{"cuda:1": fast, "cuda:2": slow}}
	b := &linked{name: "cuda:1", links: map[string]gpu.Link{"cuda:0": fast, "cuda:2": slow}}
	c := &linked{name: "cuda:2", links: map[string]gpu.Link{"cuda:0": slow, "cuda:1": slow}}
	for _, test := range []struct {
		devices []gpu.Device
		want    string
	}{
		{[]gpu.Device{a}, ""},
		{[]gpu.Device{a, b, c}, "cuda:0\treaches cuda:1 by NVLink, cuda:2 by PCIe through host memory\n" +
			"cuda:1\treaches cuda:0 by NVLink, cuda:2 by PCIe through host memory\n" +
			"cuda:2\treaches cuda:0 by PCIe through host memory, cuda:1 by PCIe through host memory\n"},
	} {
		var out bytes.Buffer
		if err := listLinks(&out, test.devices); err != nil || out.String() != test.want {
			t.Errorf("%v, got\n%swant\n%s", err, &out, test.want)
		}
	}
}

func TestDescribeDevice(t *testing.T) {
	got := describe(gpu.Info{Name: "NVIDIA H200", Capability: 90, SMs: 132, Memory: 140 << 30, Free: 139 << 30, L2: 60 << 20, Link: "PCIe 32.0 GT/s x16", Driver: "CUDA 13.0"})
	want := "NVIDIA H200, 132 SMs, compute 9.0, 140.0 GB memory, 139.0 GB free, 60.0 MB L2, PCIe 32.0 GT/s x16, CUDA 13.0"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
