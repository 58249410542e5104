/**
 * Load reports to control planes (LRS): when to send one, what it says, what the server asked for
 * (A27, A64, A85; A71 on whose they are). Everything runs on the control loop. What is reported
 * comes from a {@link io.outrigger.config.load.LoadSource}.
 *
 * <ul>
 *   <li>{@link io.outrigger.xds.report.LoadReporters} keeps a reporter to each server that wants
 *       one
 *   <li>{@code LoadReporter} keeps a stream and sends when it is time
 *   <li>{@code ReportPlan} is what the server asked for; {@code LoadMessages} what it is sent
 * </ul>
 */
@NullMarked
package io.outrigger.xds.report;

import org.jspecify.annotations.NullMarked;
