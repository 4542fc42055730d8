// Package jointest checks the joins on a device against nested loops on the CPU. Its files
// carry the constraint "sim || cuda".
package jointest
