/**
 * A complete mesh in one process (CONTRACT section 1, {@code outrigger demo}): an ADS control
 * plane, gRPC backends in two priorities, the sidecar, a light load, and a story in plain words.
 * All connections are real sockets on loopback.
 */
@NullMarked
package io.outrigger.program.demo;

import org.jspecify.annotations.NullMarked;
