package gpu

// Link is how copies reach a device from another one.
type Link struct {
	Kind   string // "NVLink", "PCIe" or, for a simulated machine, "host memory"
	Direct bool   // without a detour through host memory
	Rank   int    // the driver's relative performance of the link, 0 for the best
}
