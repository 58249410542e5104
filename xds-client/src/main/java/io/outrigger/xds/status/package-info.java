/**
 * Read-only views of the xDS client's state for admin pages, CSDS and metrics (A88 "Cache Entry
 * States", A40, A78). The values are immutable. The control loop creates them, and any thread may
 * read them.
 */
@NullMarked
package io.outrigger.xds.status;

import org.jspecify.annotations.NullMarked;
