/**
 * A complete mesh in one process (CONTRACT section 1, {@code outrigger demo}). The mesh has an ADS
 * control plane, gRPC backends in two priorities, the sidecar and a light load. The demo prints
 * each step in plain words. All connections are real sockets on loopback.
 */
package io.outrigger.program.demo;
