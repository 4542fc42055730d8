package main

import (
	"context"
	"errors"
	"os/exec"
	"runtime"
	"strings"
)

// systemCommand returns a command line for the system's shell.
func systemCommand(ctx context.Context, line string) *exec.Cmd {
	if runtime.GOOS == "windows" {
		return exec.CommandContext(ctx, "cmd", "/C", line)
	}
	return exec.CommandContext(ctx, "sh", "-c", line)
}

// dotShell is the command .shell. Ctrl-C ends what it runs.
func dotShell(sh *shell, args []string) error {
	if len(args) == 0 {
		return errors.New("takes a command line")
	}
	if sh.confined {
		return errConfined
	}
	ctx, watch := interruptible()
	defer watch.stop()
	cmd := systemCommand(ctx, strings.Join(args, " "))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = sh.in, sh.out, sh.errw
	return cmd.Run()
}

// dotClear is the command .clear.
func dotClear(sh *shell, _ []string) error {
	if !sh.interactive {
		return nil
	}
	_, err := sh.stdout.WriteString("\x1b[H\x1b[2J")
	return err
}
