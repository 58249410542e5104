/**
 * Fixtures for control planes and for whatever stands above the xDS client: a scriptable ADS server
 * over gRPC, a transport without sockets, a client and a DNS that say what a test wants, and short
 * ways to spell resources, as records and as messages.
 */
@NullMarked
package io.outrigger.xds.testing;

import org.jspecify.annotations.NullMarked;
