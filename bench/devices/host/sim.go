//go:build sim

package main

import _ "gsql/gpu/sim" // registers the simulated devices
