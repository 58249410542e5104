/**
 * Fixtures for whatever stands above the xDS client: a client and a DNS that say what a test wants,
 * and short ways to spell resources. They live on the test's control loop.
 */
@NullMarked
package io.outrigger.xds.testing;

import org.jspecify.annotations.NullMarked;
