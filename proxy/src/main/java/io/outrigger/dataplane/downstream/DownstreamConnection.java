package io.outrigger.dataplane.downstream;

import io.outrigger.base.LoopConfined;
import io.outrigger.dataplane.forward.CallLoop;
import io.outrigger.dataplane.forward.Forward;
import io.outrigger.dataplane.forward.ForwardedCall;
import io.outrigger.http2.ConnectionHandler;
import io.outrigger.http2.HeaderList;
import io.outrigger.http2.Http2Connection;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.Http2Stream;
import io.outrigger.http2.PeerErrors;
import io.outrigger.http2.SocketView;
import io.outrigger.http2.StreamHandler;
import java.net.SocketAddress;

/** An app's connection: each stream that the app opens is a call of the forward (SC-45). */
@LoopConfined
final class DownstreamConnection implements ConnectionHandler {
  private final AcceptedConnections siblings;
  private final long id;
  private final Http2Connection connection;
  private final Forward forward;
  private final CallLoop loop;
  private final PeerErrors errors;

  DownstreamConnection(
      long id,
      AcceptedConnections siblings,
      Http2Connection connection,
      Forward forward,
      CallLoop loop,
      PeerErrors errors) {
    this.errors = errors;
    this.id = id;
    this.siblings = siblings;
    this.connection = connection;
    this.forward = forward;
    this.loop = loop;
    siblings.add(this);
  }

  long id() {
    return id;
  }

  SocketView view() {
    return connection.view(id);
  }

  void drain() {
    connection.drain();
  }

  void close() {
    connection.close(Http2Error.NO_ERROR, "the proxy stops");
  }

  int activeStreams() {
    return connection.activeStreams();
  }

  @Override
  public void onReady() {}

  @Override
  public StreamHandler onStream(Http2Stream stream) {
    return new ForwardedCall(forward, loop, stream);
  }

  @Override
  public void onRefused(HeaderList sound, String reason) {
    ForwardedCall.refused(forward, loop, sound, reason);
    errors.onRequestRefused(peer(), reason);
  }

  @Override
  public void onEnding(Http2Error error, String reason) {
    errors.onConnectionEnded(true, error, peer(), reason);
  }

  private Object peer() {
    SocketAddress address = connection.remoteAddress();
    return address == null ? "of forward " + forward.name() : address;
  }

  @Override
  public void onGoAway(int lastStreamId, Http2Error error, String debug) {}

  @Override
  public void onCapacity() {}

  @Override
  public void onClosed(String reason) {
    siblings.remove(this);
  }
}
