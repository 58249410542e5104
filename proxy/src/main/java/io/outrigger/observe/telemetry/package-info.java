/**
 * Traces and metrics over OTLP: spans of calls as A72 says, and what {@code /metrics} shows, sent
 * to a collector by the OpenTelemetry SDK. Loaded only with {@code --otlp}.
 */
@NullMarked
package io.outrigger.observe.telemetry;

import org.jspecify.annotations.NullMarked;
