/**
 * Load reports to control planes (LRS): their timing, their content and the servers' requests for
 * reports (A27, A64, A85; A71 for the choice of the server). All code runs on the control loop. The
 * load comes from a {@link io.outrigger.config.load.LoadSource}.
 */
@NullMarked
package io.outrigger.xds.report;

import org.jspecify.annotations.NullMarked;
