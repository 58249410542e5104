package io.outrigger.xds.transport;

import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RpcStatus;

/**
 * One stream to a control plane. Callbacks of gRPC move to the control loop, where subclasses
 * handle them.
 *
 * @param <Q> the type of the messages that are sent
 * @param <R> the type of the messages that are received
 */
@ControlConfined
abstract class GrpcStream<Q, R> {
  private final ServerChannel channel;
  private final ControlLoop loop;
  private final ClientCall<Q, R> call;
  private boolean attached;
  private boolean closed;
  private boolean endReported; // to the channel

  GrpcStream(ServerChannel channel, MethodDescriptor<Q, R> method) {
    this.channel = channel;
    this.loop = channel.loop();
    this.call = channel.newCall(method);
  }

  final void start() {
    call.start(new Callbacks(), new Metadata());
  }

  /** The stream is attached to a connection and can send another message. */
  abstract void onReady();

  abstract void onMessage(R message);

  abstract void onClosed(RpcStatus reason);

  /**
   * Sends a message, or queues the message until the stream is ready. Does nothing after the stream
   * is closed.
   */
  public void send(Q message) {
    loop.checkInside();
    if (!closed) { // gRPC rejects messages of a cancelled call
      call.sendMessage(message);
    }
  }

  /** Whether all messages sent before are on their way. */
  public boolean isReady() {
    return call.isReady();
  }

  /** Allows gRPC to read one more message. */
  public void requestNext() {
    loop.checkInside();
    call.request(1);
  }

  /** Half-closes the stream. The server then ends the stream. */
  public void finish() {
    loop.checkInside();
    if (!closed) {
      call.halfClose();
    }
  }

  /** Ends the stream. */
  public void close() {
    loop.checkInside();
    if (!closed) {
      closed = true;
      call.cancel("closed by the client", null);
      if (!endReported) {
        endReported = true;
        channel.onGivenUp(attached);
      }
    }
  }

  private void end(Status status) {
    RpcStatus reason = toRpcStatus(status);
    if (!endReported) {
      endReported = true;
      channel.onEnded(attached);
    }
    onClosed(reason);
  }

  static RpcStatus toRpcStatus(Status status) {
    return new RpcStatus(
        RpcStatus.Code.ofNumber(status.getCode().value()), StreamFailure.describe(status));
  }

  private final class Callbacks extends ClientCall.Listener<R> {
    @Override
    public void onReady() {
      loop.execute(
          () -> {
            if (!attached && !endReported) {
              attached = true;
              channel.onAttached();
            }
            GrpcStream.this.onReady();
          });
    }

    @Override
    public void onMessage(R message) {
      loop.execute(() -> GrpcStream.this.onMessage(message));
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      loop.execute(() -> end(status));
    }
  }
}
