package io.outrigger.xds.transport;

import io.grpc.Attributes;
import io.grpc.CallCredentials;
import io.grpc.CallCredentials.MetadataApplier;
import io.grpc.CallCredentials.RequestInfo;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.SecurityLevel;
import io.grpc.Status;

/** A call that asks credentials for a token, and what it was told. */
final class TokenCall extends MetadataApplier {
  private String outcome = "waits";

  /** Asks {@code credentials} for a connection of {@code level}. */
  static TokenCall of(CallCredentials credentials, SecurityLevel level) {
    var call = new TokenCall();
    credentials.applyRequestMetadata(new Request(level), Runnable::run, call);
    return call;
  }

  /** The header, the failure, or that there is neither yet. */
  String outcome() {
    return outcome;
  }

  @Override
  public void apply(Metadata headers) {
    outcome = headers.get(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER));
  }

  @Override
  public void fail(Status status) {
    outcome = status.getCode() + ": " + status.getDescription();
  }

  private static final class Request extends RequestInfo {
    private final SecurityLevel level;

    Request(SecurityLevel level) {
      this.level = level;
    }

    @Override
    public MethodDescriptor<?, ?> getMethodDescriptor() {
      throw new UnsupportedOperationException();
    }

    @Override
    public SecurityLevel getSecurityLevel() {
      return level;
    }

    @Override
    public String getAuthority() {
      return "cp.test";
    }

    @Override
    public Attributes getTransportAttrs() {
      return Attributes.EMPTY;
    }
  }
}
