/**
 * The command line: one small class per command, exit codes, the log on stderr, and signals.
 * Commands run on the main thread; signals arrive on threads of the JVM. A27 defines where the
 * bootstrap is found; CONTRACT sections 1 and 2 define the commands and flags.
 */
package io.outrigger.program.cli;
