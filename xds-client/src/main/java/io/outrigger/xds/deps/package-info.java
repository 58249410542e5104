/**
 * The resource graph of one target: from the listener's name to one complete {@code XdsConfig}.
 *
 * <p>Everything runs on the control loop; the look-up of names, behind a seam, does not.
 *
 * <p>A74 (dependency manager, no tears), A37 and A75 (aggregates, LOGICAL_DNS), A88 (resolution
 * notes, statuses fit for callers), A31 (clusters that calls still hold).
 */
@NullMarked
package io.outrigger.xds.deps;

import org.jspecify.annotations.NullMarked;
