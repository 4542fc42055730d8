//go:build cuda

package cuda

import (
	"fmt"
	"os"
	"strings"

	"gorgonia.org/cu"

	"gsql/gpu"
)

func (d *device) Info() (info gpu.Info, err error) {
	err = d.do("info", func(s *state) error {
		var pci [3]int
		attributes := []struct {
			attribute cu.DeviceAttribute
			value     *int
		}{
			{cu.MultiprocessorCount, &info.SMs},
			{maxSharedAttribute, &info.SharedPerBlock},
			{cu.PciDomainID, &pci[0]}, {cu.PciBusID, &pci[1]}, {cu.PciDeviceID, &pci[2]},
		}
		for _, a := range attributes {
			if *a.value, err = s.device.Attribute(a.attribute); err != nil {
				return err
			}
		}
		major, minor, err := s.device.ComputeCapability()
		if err != nil {
			return err
		}
		l2, err := s.device.Attribute(cu.L2CacheSize)
		if err != nil {
			return err
		}
		info.Capability, info.L2 = 10*major+minor, int64(l2)
		info.Link = pciLink(fmt.Sprintf("%04x:%02x:%02x.0", pci[0], pci[1], pci[2]))
		v := cu.Version()
		info.Driver = fmt.Sprintf("CUDA %d.%d", v/1000, v%1000/10)
		if info.Name, err = s.device.Name(); err != nil {
			return err
		}
		info.Name = strings.TrimRight(info.Name, "\x00")
		info.Free, info.Memory, err = cu.MemInfo()
		return err
	})
	return info, err
}

// pciLink returns the link's speed and width as Linux reports them, or only the address.
func pciLink(address string) string {
	folder := "/sys/bus/pci/devices/" + address + "/"
	speed, err := os.ReadFile(folder + "max_link_speed")
	if err != nil {
		return "PCI " + address
	}
	width, err := os.ReadFile(folder + "max_link_width")
	if err != nil {
		return "PCI " + address
	}
	text, _, _ := strings.Cut(strings.TrimSpace(string(speed)), " PCIe")
	return fmt.Sprintf("PCIe %s x%s", text, strings.TrimSpace(string(width)))
}
