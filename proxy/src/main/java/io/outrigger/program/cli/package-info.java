/**
 * The command line: one thin class a command, exit codes, the log on stderr, signals. It runs on
 * the main thread, before the two halves start and after they have ended; signals come on threads
 * of the JVM. A27 says where the bootstrap is found, outer contract sections 1 and 2 say the rest.
 */
@NullMarked
package io.outrigger.program.cli;

import org.jspecify.annotations.NullMarked;
