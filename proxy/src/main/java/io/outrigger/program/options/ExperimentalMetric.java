package io.outrigger.program.options;

/** Metrics that their gRFC calls experimental, and that are off unless they are asked for. */
public enum ExperimentalMetric {
  /** A121. */
  CALL_DELAY("grpc.client.call.delay.duration"),

  /** A121. */
  ATTEMPT_DELAY("grpc.client.attempt.delay.duration");

  private final String text;

  ExperimentalMetric(String text) {
    this.text = text;
  }

  /** Its name in gRPC. */
  public String text() {
    return text;
  }
}
