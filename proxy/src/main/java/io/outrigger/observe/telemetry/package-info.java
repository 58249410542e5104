/**
 * Traces and metrics over OTLP. The OpenTelemetry SDK sends the spans of calls (A72) and the
 * instruments of {@code /metrics} to a collector. The classes are loaded only with {@code --otlp}.
 */
package io.outrigger.observe.telemetry;
