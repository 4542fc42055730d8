package cost

import "math"

// Pass is what one kernel of a pipeline does with memory.
type Pass struct {
	Bytes    float64  // read and written in order
	Accesses []Access // in random order
}

// Access is a number of accesses to random places of a structure.
type Access struct {
	Count   float64
	Bytes   float64 // size of the structure
	Updates bool    // they change it: rows are inserted, or values added to those of groups
}

// Pipelines prices passes that run one after the other: each takes as long as the memory for its
// bytes or for its random accesses, whichever is longer.
func (a *Accelerator) Pipelines(passes []Pass) float64 {
	ns := 0.0
	for i := range passes {
		random := 0.0
		for _, x := range passes[i].Accesses {
			random += a.random(&x)
		}
		ns += max(passes[i].Bytes/a.MemoryGBs, random)
	}
	return ns / nsPerMS
}

// random returns the nanoseconds of accesses.
func (a *Accelerator) random(x *Access) float64 {
	near, far := a.ProbeNearG, a.ProbeFarG
	if x.Updates {
		near, far = a.BuildNearG, a.BuildFarG
	}
	share := min(1, a.CacheBytes/max(x.Bytes, 1))
	return x.Count*share/near + x.Count*(1-share)/far
}

// pipelineWaits is how often the host waits for the device: for the number of rows, and for the rows.
const pipelineWaits = 2

// Launches prices launching kernels, and waiting for them.
func (a *Accelerator) Launches(kernels int) float64 {
	return (float64(kernels)*a.LaunchUS + pipelineWaits*a.WaitUS) / 1e3
}

// Compile prices compiling kernels by the given number of workers.
func (a *Accelerator) Compile(kernels, workers int) float64 {
	return math.Ceil(float64(kernels)/float64(max(workers, 1))) * a.CompileMS
}
