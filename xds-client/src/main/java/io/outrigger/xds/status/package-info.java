/**
 * A read-only picture of the client for admin pages, CSDS and metrics (A88 "Cache Entry States",
 * A40, A78). Immutable values; made on the control loop, read on any thread.
 */
@NullMarked
package io.outrigger.xds.status;

import org.jspecify.annotations.NullMarked;
