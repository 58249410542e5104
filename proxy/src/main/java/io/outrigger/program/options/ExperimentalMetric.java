package io.outrigger.program.options;

/** Metrics that their gRFC calls experimental. These metrics are off unless a flag enables them. */
public enum ExperimentalMetric {
  /** The metric of A121 for calls. */
  CALL_DELAY("grpc.client.call.delay.duration"),

  /** The metric of A121 for attempts. */
  ATTEMPT_DELAY("grpc.client.attempt.delay.duration");

  private final String text;

  ExperimentalMetric(String text) {
    this.text = text;
  }

  /** Returns the metric's name in gRPC. */
  public String text() {
    return text;
  }
}
