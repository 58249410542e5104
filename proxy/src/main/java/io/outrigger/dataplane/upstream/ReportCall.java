package io.outrigger.dataplane.upstream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.AsciiString;
import io.outrigger.base.LoopConfined;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.dataplane.forward.StreamWaiter;
import io.outrigger.dataplane.orca.OrcaReports;
import io.outrigger.http2.HeaderList;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.Http2Stream;
import io.outrigger.lb.BackendMetrics;
import io.outrigger.lb.BackendMetricsStream;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A call of {@code OpenRcaService/StreamCoreMetrics} that a transport opens on its first loop (A51
 * "Out of Band Metrics Reporting"). The call runs on that loop. The listener is notified on the
 * control loop, which also closes the call.
 */
@LoopConfined
final class ReportCall implements StreamWaiter, BackendMetricsStream {
  private static final AsciiString PATH =
      AsciiString.cached("/xds.service.orca.v3.OpenRcaService/StreamCoreMetrics");
  private static final AsciiString POST = AsciiString.cached("POST");
  private static final AsciiString HTTP = AsciiString.cached("http");
  private static final AsciiString HTTPS = AsciiString.cached("https");
  private static final AsciiString TE = AsciiString.cached("te");
  private static final AsciiString TRAILERS = AsciiString.cached("trailers");
  private static final AsciiString CONTENT_TYPE = AsciiString.cached("content-type");
  private static final AsciiString GRPC = AsciiString.cached("application/grpc");
  private static final AsciiString GRPC_STATUS = AsciiString.cached("grpc-status");
  private static final AsciiString UNIMPLEMENTED = AsciiString.cached("12");
  private static final AsciiString NOT_FOUND = AsciiString.cached("404");

  /** The length of the compression flag and the four-byte message length before each message. */
  private static final int PREFIX = 5;

  /** The maximum length of a report; real reports are much shorter. */
  private static final int MAX_MESSAGE_BYTES = 64 * 1024;

  private final UpstreamTransport transport;
  private final LoopConnections connection;
  private final EndpointAddress address;
  private final Duration interval;
  private final Listener listener;
  private @Nullable Http2Stream stream;

  /** The received part of the next message; on the heap, so that it needs no release. */
  private final ByteBuf received = Unpooled.buffer(0);

  private boolean over;

  /** Whether the listener must not be called any more; used on the control loop. */
  private boolean closed;

  ReportCall(
      UpstreamTransport transport,
      LoopConnections connection,
      EndpointAddress address,
      Duration interval,
      Listener listener) {
    this.transport = transport;
    this.connection = connection;
    this.address = address;
    this.interval = interval;
    this.listener = listener;
  }

  void start() {
    if (over) {
      return; // closed before it started
    }
    if (transport.isClosed()) {
      end(false);
      return;
    }
    transport.onReportCallStarted(this);
    connection.open(this);
  }

  @Override
  public void close() {
    closed = true;
    transport.postToFirst(this::cancel);
  }

  /** Ends the call if it has not ended yet. */
  void cancel() {
    if (!over) {
      connection.forget(this);
      if (stream != null) {
        stream.reset(Http2Error.CANCEL);
      }
      end(false);
    }
  }

  @Override
  public void onOpened(Http2Stream opened) {
    stream = opened;
    opened.sendHeaders(
        HeaderList.builder(6)
            .add(HeaderList.METHOD, POST)
            .add(HeaderList.SCHEME, address.tls().isPresent() ? HTTPS : HTTP)
            .add(HeaderList.PATH, PATH)
            .add(HeaderList.AUTHORITY, address.toString())
            .add(TE, TRAILERS)
            .add(CONTENT_TYPE, GRPC)
            .build(),
        false);
    byte[] request = OrcaReports.request(interval);
    ByteBuf framed = Unpooled.buffer(PREFIX + request.length);
    framed.writeByte(0).writeInt(request.length).writeBytes(request);
    opened.sendData(framed, true);
  }

  @Override
  public void onNotOpened(String reason) {
    end(false);
  }

  @Override
  public void onHeaders(HeaderList headers, boolean endStream) {
    AsciiString status = headers.get(GRPC_STATUS);
    boolean unsupported =
        UNIMPLEMENTED.equals(status)
            || (status == null && NOT_FOUND.equals(headers.get(HeaderList.STATUS)));
    if (endStream) {
      end(unsupported);
    } else if (unsupported) {
      giveUp(true);
    }
  }

  @Override
  public void onData(ByteBuf data, boolean endStream) {
    int bytes = data.readableBytes();
    if (!over) { // otherwise the call ended before this data arrived
      received.writeBytes(data);
    }
    data.release();
    if (stream != null) {
      stream.consumed(bytes);
    }
    readMessages();
    received.discardReadBytes();
    if (endStream) {
      end(false);
    }
  }

  private void readMessages() {
    while (!over && received.readableBytes() >= PREFIX) {
      int start = received.readerIndex();
      boolean compressed = received.getByte(start) != 0;
      long length = received.getUnsignedInt(start + 1);
      if (compressed || length > MAX_MESSAGE_BYTES) {
        giveUp(true); // compression was not offered, and reports are shorter
        return;
      }
      if (received.readableBytes() < PREFIX + length) {
        return;
      }
      byte[] message = new byte[(int) length];
      received.skipBytes(PREFIX).readBytes(message);
      Optional<BackendMetrics> report = OrcaReports.ofMessage(message);
      report.ifPresent(known -> notifyListener(() -> listener.onReport(known)));
    }
  }

  private void giveUp(boolean unsupported) {
    if (stream != null) {
      stream.reset(Http2Error.CANCEL);
    }
    end(unsupported);
  }

  @Override
  public void onDataSent(int bytes) {
    // Not needed: the request is one small message.
  }

  @Override
  public void onReset(Http2Error error, boolean byPeer) {
    end(false);
  }

  @Override
  public void onConnectionLost(boolean refused, String reason) {
    end(false);
  }

  private void end(boolean unsupported) {
    if (over) {
      return; // the call ended before this event arrived
    }
    over = true;
    transport.onReportCallEnded(this);
    notifyListener(() -> listener.onEnded(unsupported));
  }

  private void notifyListener(Runnable notification) {
    transport.postToControl(
        () -> {
          if (!closed) {
            notification.run();
          }
        });
  }
}
