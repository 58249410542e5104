/**
 * Session affinity across the priorities of a cluster (A75 "Changes in xds_override_host", A55).
 * The package picks the endpoints of session calls, records the owner of each connection, and
 * closes connections that no session uses any more. All classes are used on the control loop,
 * except the picker and the fields of the entries that the picker reads. Until the first session,
 * only the picker is active.
 */
package io.outrigger.lb.override;
