/**
 * Load reports to control planes (LRS, see A27, A64, A71, A85). All code runs on the control loop.
 * The load comes from a {@link io.outrigger.config.load.LoadSource}.
 */
package io.outrigger.xds.report;
