//go:build cuda

package main

import _ "gsql/gpu/cuda" // registers the GPUs
