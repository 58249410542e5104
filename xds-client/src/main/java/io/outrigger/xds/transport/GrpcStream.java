package io.outrigger.xds.transport;

import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RpcStatus;
import io.outrigger.base.TimerHandle;
import io.outrigger.xds.ServerStream;

/**
 * One stream to a control plane. Callbacks of gRPC move to the control loop, where the listener
 * handles them.
 */
@ControlConfined
final class GrpcStream<Q, R> implements ServerStream<Q> {
  private final ServerChannel channel;
  private final ControlLoop loop;
  private final Listener<R> listener;
  private final ClientCall<Q, R> call;
  private TimerHandle connecting = () -> {};
  private boolean attached;
  private boolean closed;
  private boolean endReported; // to the channel

  private GrpcStream(ServerChannel channel, MethodDescriptor<Q, R> method, Listener<R> listener) {
    this.channel = channel;
    this.loop = channel.loop();
    this.listener = listener;
    this.call = channel.newCall(method);
  }

  static <Q, R> GrpcStream<Q, R> open(
      ServerChannel channel, MethodDescriptor<Q, R> method, Listener<R> listener) {
    channel.loop().checkInside();
    var stream = new GrpcStream<>(channel, method, listener);
    stream.call.start(stream.new Callbacks(), new Metadata());
    stream.connecting = channel.loop().schedule(channel.connectTimeout(), stream::onConnectTimeout);
    return stream;
  }

  @Override
  public void send(Q message) {
    loop.checkInside();
    if (!closed) { // gRPC rejects messages of a cancelled call
      call.sendMessage(message);
    }
  }

  @Override
  public boolean isReady() {
    return call.isReady();
  }

  @Override
  public void requestNext() {
    loop.checkInside();
    call.request(1);
  }

  @Override
  public void close() {
    loop.checkInside();
    if (!closed) {
      closed = true;
      connecting.cancel();
      call.cancel("closed by the client", null);
      if (!endReported) {
        endReported = true;
        channel.onGivenUp(attached);
      }
    }
  }

  private void onConnectTimeout() {
    closed = true;
    endReported = true;
    call.cancel("no connection", null);
    channel.onConnectTimeout();
    listener.onClosed(
        RpcStatus.unavailable(
            ("no HTTP/2 connection after %d s; check whether another program listens there, or a"
                    + " firewall drops packets")
                .formatted(channel.connectTimeout().toSeconds())));
  }

  private void end(Status status) {
    connecting.cancel();
    RpcStatus reason = StreamFailure.toRpcStatus(status);
    if (!endReported) {
      endReported = true;
      channel.onEnded(attached);
    }
    listener.onClosed(reason);
  }

  private final class Callbacks extends ClientCall.Listener<R> {
    @Override
    public void onReady() {
      loop.execute(
          () -> {
            if (!attached && !endReported) {
              attached = true;
              connecting.cancel();
              channel.onAttached();
            }
            listener.onReady();
          });
    }

    @Override
    public void onMessage(R message) {
      loop.execute(() -> listener.onResponse(message));
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      loop.execute(() -> end(status));
    }
  }
}
