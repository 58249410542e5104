/**
 * Load reports to control planes (LRS): their timing, their content and the servers' requests for
 * reports (A27, A64, A85; A71 for the choice of the server). All code runs on the control loop. The
 * load comes from a {@link io.outrigger.config.load.LoadSource}.
 *
 * <ul>
 *   <li>{@link io.outrigger.xds.report.LoadReporters} has one reporter for each server that
 *       requests reports
 *   <li>{@code LoadReporter} keeps a stream open and sends a report after each interval
 *   <li>{@code ReportPlan} is a server's request for reports; {@code LoadMessages} builds the
 *       messages to the server
 * </ul>
 */
@NullMarked
package io.outrigger.xds.report;

import org.jspecify.annotations.NullMarked;
