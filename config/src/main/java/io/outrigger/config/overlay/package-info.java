/**
 * The changes that local policy made to the control plane's resources (CONTRACT section 11), for
 * status views and logs. All types are immutable; any thread may use them.
 */
package io.outrigger.config.overlay;
