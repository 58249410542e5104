/**
 * A complete mesh in one process (CONTRACT section 1, {@code outrigger demo}): an ADS control
 * plane, gRPC backends in two priorities, the sidecar, a light load, and a story in plain words.
 * Real sockets on loopback throughout.
 */
@NullMarked
package io.outrigger.program.demo;

import org.jspecify.annotations.NullMarked;
