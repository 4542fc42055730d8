package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// packages lists the packages of the server and of the libraries that it needs in addition to a C
// library.
var packages = []string{"mariadb-server-core", "mariadb-client-core", "mariadb-common", "libaio1", "liburing2", "libnuma1", "libncurses6", "libpmem1", "libsnappy1v5"}

// server is a MariaDB server started by this program.
type server struct {
	process *exec.Cmd
	socket  string
}

// startServer creates a data folder below dir and starts a server over it that listens only on a
// socket.
func startServer(dir string) (*server, error) {
	daemon, base, err := findDaemon(dir)
	if err != nil {
		return nil, err
	}
	data := filepath.Join(dir, "data")
	common := []string{"--no-defaults", "--datadir=" + data}
	if base != "" {
		common = append(common, "--basedir="+base, "--lc-messages-dir="+filepath.Join(base, "share/mysql"))
	}
	if os.Geteuid() == 0 {
		common = append(common, "--user=root")
	}
	install := exec.Command(filepath.Join(base, "/usr/bin/mariadb-install-db"), append(common, "--auth-root-authentication-method=normal", "--skip-test-db")...)
	if base != "" {
		install = exec.Command(filepath.Join(base, "bin/mariadb-install-db"), append(common, "--auth-root-authentication-method=normal", "--skip-test-db")...)
	}
	install.Env = append(os.Environ(), libraryPath(base))
	if out, err := install.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("mariadb-install-db: %w\n%s", err, out)
	}
	s := &server{socket: filepath.Join(dir, "socket")}
	s.process = exec.Command(daemon, append(common, "--socket="+s.socket, "--pid-file="+filepath.Join(dir, "pid"), "--skip-networking",
		"--skip-grant-tables", "--character-set-server=utf8mb4", "--collation-server=utf8mb4_nopad_bin", "--innodb-buffer-pool-size=32M",
		"--innodb-flush-log-at-trx-commit=0", "--skip-log-bin", "--max-statement-time=5", "--log-error="+filepath.Join(dir, "log"))...)
	s.process.Env = append(os.Environ(), libraryPath(base))
	if err := s.process.Start(); err != nil {
		return nil, err
	}
	for range 300 {
		if _, err := os.Stat(s.socket); err == nil {
			return s, nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	s.stop()
	text, _ := os.ReadFile(filepath.Join(dir, "log")) // the log may explain why
	return nil, fmt.Errorf("mariadbd did not open its socket:\n%s", text)
}

func (s *server) stop() {
	_ = s.process.Process.Kill() // its data is temporary
	_ = s.process.Wait()
}

func libraryPath(base string) string {
	return "LD_LIBRARY_PATH=" + filepath.Join(base, "lib", "x86_64-linux-gnu") + ":" + os.Getenv("LD_LIBRARY_PATH")
}

// findDaemon returns the path of mariadbd and, if it was unpacked below dir, the folder that takes
// the place of /usr.
func findDaemon(dir string) (path, base string, err error) {
	look := func() string {
		for _, p := range []string{"/usr/sbin/mariadbd", "/usr/local/sbin/mariadbd", "/usr/bin/mariadbd"} {
			if _, err := os.Stat(p); err == nil {
				return p
			}
		}
		return ""
	}
	if p := look(); p != "" {
		return p, "", nil
	}
	if os.Geteuid() == 0 {
		for _, args := range [][]string{{"update", "-q"}, {"install", "-y", "-q", "--no-install-recommends", "mariadb-server"}} {
			cmd := exec.Command("apt-get", args...)
			cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
			if out, err := cmd.CombinedOutput(); err != nil {
				return "", "", fmt.Errorf("apt-get %v: %w\n%s", args, err, out)
			}
		}
		if p := look(); p != "" {
			return p, "", nil
		}
		return "", "", errors.New("mariadb-server is installed, but there is no mariadbd")
	}
	return unpack(filepath.Join(dir, "packages"))
}

// unpack downloads Debian's packages into dir and unpacks them there.
func unpack(dir string) (path, base string, err error) {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", "", err
	}
	for _, p := range packages { // one by one, because not every release has all of them
		download := exec.Command("apt-get", "download", p)
		download.Dir = dir
		if out, err := download.CombinedOutput(); err != nil && p == packages[0] {
			return "", "", fmt.Errorf("apt-get download %s: %w\n%s", p, err, out)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.deb"))
	if err != nil {
		return "", "", err
	}
	for _, f := range files {
		if out, err := exec.Command("dpkg", "-x", f, dir).CombinedOutput(); err != nil {
			return "", "", fmt.Errorf("dpkg -x %s: %w\n%s", f, err, out)
		}
	}
	base = filepath.Join(dir, "usr")
	return filepath.Join(base, "sbin/mariadbd"), base, nil
}
