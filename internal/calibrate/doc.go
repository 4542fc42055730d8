// Package calibrate measures the rates that prices are computed from. It runs queries whose time
// depends mostly on a few rates, compares it with their price, and scales these rates by the ratio.
// Rates of fixed work and of parallelism keep their built-in values.
package calibrate
