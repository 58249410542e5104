package io.outrigger.xds.transport;

import io.grpc.CallCredentials;
import io.grpc.Metadata;
import io.grpc.SecurityLevel;
import io.grpc.Status;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import java.util.concurrent.Executor;

/** Call credentials that are a bearer token (RFC 6750), which is never sent in plain text. */
@ControlConfined
abstract class BearerCredentials extends CallCredentials {
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

  private final ControlLoop loop;
  private final String name;

  /**
   * @param name of the credentials, for people
   */
  BearerCredentials(ControlLoop loop, String name) {
    this.loop = loop;
    this.name = name;
  }

  @Override
  public final void applyRequestMetadata(RequestInfo call, Executor app, MetadataApplier applier) {
    if (call.getSecurityLevel() != SecurityLevel.PRIVACY_AND_INTEGRITY) {
      applier.fail(
          Status.UNAUTHENTICATED.withDescription(
              name + ": a token is sent over tls only; use channel_creds of type tls"));
      return;
    }
    loop.execute(() -> apply(applier));
  }

  /** A call asks for the token; on the control loop. */
  abstract void apply(MetadataApplier applier);

  static Metadata header(String token) {
    var headers = new Metadata();
    headers.put(AUTHORIZATION, "Bearer " + token);
    return headers;
  }
}
