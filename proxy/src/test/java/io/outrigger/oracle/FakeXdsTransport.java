package io.outrigger.oracle;

import io.envoyproxy.envoy.service.discovery.v3.DiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.xds.client.Bootstrapper;
import io.grpc.xds.client.XdsTransportFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The stream of gRPC's xDS client without a network: the test plays the control plane. Messages
 * cross as bytes, since gRPC has the classes of xDS under names of its own.
 */
final class FakeXdsTransport implements XdsTransportFactory, XdsTransportFactory.XdsTransport {
  private final Consumer<DiscoveryRequest> onRequest;
  private @Nullable Call<?, ?> call; // the stream that is open

  /**
   * A transport without a stream.
   *
   * @param onRequest hears what the client asks for
   */
  FakeXdsTransport(Consumer<DiscoveryRequest> onRequest) {
    this.onRequest = onRequest;
  }

  /** Whether a stream is open, attached or not. */
  boolean hasStream() {
    return call != null;
  }

  /** Whether the stream that is open is attached to a connection. */
  boolean isAttached() {
    return call != null && call.attached;
  }

  /** Attaches the stream that is open, if it is not. */
  void attach() {
    if (call != null) {
      call.attach();
    }
  }

  /** A response on the stream that is open and attached; nothing otherwise. */
  void respond(DiscoveryResponse response) {
    if (call != null) {
      call.respond(response);
    }
  }

  /** Ends the stream that is open. */
  void end(Status status) {
    if (call != null) {
      call.end(status);
    }
  }

  @Override
  public XdsTransport create(Bootstrapper.ServerInfo server) {
    return this;
  }

  @Override
  public <Q, A> StreamingCall<Q, A> createStreamingCall(
      String method,
      MethodDescriptor.Marshaller<Q> requests,
      MethodDescriptor.Marshaller<A> responses) {
    var created = new Call<>(requests, responses);
    call = created;
    return created;
  }

  @Override
  public void shutdown() {}

  private final class Call<Q, A> implements StreamingCall<Q, A> {
    private final MethodDescriptor.Marshaller<Q> requests;
    private final MethodDescriptor.Marshaller<A> responses;
    private @Nullable EventHandler<A> handler;
    private boolean attached;

    Call(MethodDescriptor.Marshaller<Q> requests, MethodDescriptor.Marshaller<A> responses) {
      this.requests = requests;
      this.responses = responses;
    }

    void attach() {
      if (!attached && handler != null) {
        attached = true;
        handler.onReady();
      }
    }

    void respond(DiscoveryResponse response) {
      if (attached && handler != null) {
        handler.onRecvMessage(responses.parse(response.toByteString().newInput()));
      }
    }

    void end(Status status) {
      call = null;
      if (handler != null) {
        handler.onStatusReceived(status);
      }
    }

    @Override
    public void start(EventHandler<A> eventHandler) {
      handler = eventHandler;
    }

    @Override
    public void sendMessage(Q message) {
      try {
        onRequest.accept(DiscoveryRequest.parseFrom(requests.stream(message)));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void startRecvMessage() {}

    @Override
    public void sendError(Exception e) {
      call = null;
    }

    @Override
    public boolean isReady() {
      return attached;
    }
  }
}
