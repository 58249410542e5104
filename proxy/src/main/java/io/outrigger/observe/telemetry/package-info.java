/**
 * Traces and metrics over OTLP. The OpenTelemetry SDK sends the spans of calls (A72) and the
 * instruments of {@code /metrics} to a collector. The classes are loaded only with {@code --otlp}.
 */
@NullMarked
package io.outrigger.observe.telemetry;

import org.jspecify.annotations.NullMarked;
