/**
 * Immutable views of the xDS client's state for admin pages, CSDS and metrics (A88 "Cache Entry
 * States", A40, A78). The control loop creates the views.
 */
package io.outrigger.xds.status;
