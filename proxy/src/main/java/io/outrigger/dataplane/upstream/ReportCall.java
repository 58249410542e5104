package io.outrigger.dataplane.upstream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.AsciiString;
import io.outrigger.base.LoopConfined;
import io.outrigger.dataplane.forward.CallTransport;
import io.outrigger.dataplane.orca.OrcaReports;
import io.outrigger.http2.HeaderList;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.Http2Stream;
import io.outrigger.http2.KnownName;
import io.outrigger.lb.Transport.BackendMetricsStream;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A call of {@code OpenRcaService/StreamCoreMetrics} that a transport opens and runs on its first
 * loop (A51 "Out of Band Metrics Reporting"). The control loop notifies the listener and closes the
 * call.
 */
@LoopConfined
final class ReportCall implements CallTransport.Waiter, BackendMetricsStream {
  private static final String PATH = "/xds.service.orca.v3.OpenRcaService/StreamCoreMetrics";
  private static final String UNIMPLEMENTED = "12";
  private static final String NOT_FOUND = "404";

  /** The length of the compression flag and the four-byte message length before each message. */
  private static final int PREFIX = 5;

  /** The maximum length of a report; real reports are much shorter. */
  private static final int MAX_MESSAGE_BYTES = 64 * 1024;

  private final LoopConnections connections;
  private final Dialer dialer;
  private final Executor control;
  private final Duration interval;
  private final Listener listener;
  private @Nullable Http2Stream stream;

  /** The received part of the next message; a heap buffer, which needs no release. */
  private final ByteBuf received = Unpooled.buffer(0);

  private boolean over;

  /** Whether the control loop has closed the call; a closed call does not notify its listener. */
  private boolean closed;

  ReportCall(
      LoopConnections connections,
      Dialer dialer,
      Executor control,
      Duration interval,
      Listener listener) {
    this.connections = connections;
    this.dialer = dialer;
    this.control = control;
    this.interval = interval;
    this.listener = listener;
  }

  void start() {
    if (!over && !connections.openReportCall(this)) {
      end(false);
    }
  }

  @Override
  public void close() {
    closed = true;
    RemoteStream.post(dialer.loop(), this::cancel);
  }

  void cancel() {
    if (!over) {
      connections.forget(this);
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
            .add(KnownName.METHOD, "POST")
            .add(KnownName.SCHEME, dialer.address().tls().isPresent() ? "https" : "http")
            .add(KnownName.PATH, PATH)
            .add(KnownName.AUTHORITY, dialer.owner().target().authority()) // as of calls, SC-32
            .add(KnownName.TE, "trailers")
            .add(KnownName.CONTENT_TYPE, "application/grpc")
            .build(),
        false);
    byte[] request = OrcaReports.request(interval);
    ByteBuf framed = Unpooled.buffer(PREFIX + request.length);
    framed.writeByte(0).writeInt(request.length).writeBytes(request);
    opened.sendData(framed, true);
  }

  @Override
  public void onNotOpened() {
    end(false);
  }

  @Override
  public void onHeaders(HeaderList headers, boolean endStream) {
    AsciiString status = headers.get(KnownName.GRPC_STATUS);
    AsciiString http = headers.get(KnownName.STATUS);
    boolean unsupported =
        status == null
            ? http != null && http.contentEquals(NOT_FOUND)
            : status.contentEquals(UNIMPLEMENTED);
    if (endStream) {
      end(unsupported);
    } else if (unsupported) {
      giveUp(true);
    }
  }

  @Override
  public void onData(ByteBuf data, boolean endStream) {
    int bytes = data.readableBytes();
    if (!over) {
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
      OrcaReports.ofMessage(message)
          .ifPresent(report -> notifyListener(() -> listener.onReport(report)));
    }
  }

  private void giveUp(boolean unsupported) {
    if (stream != null) {
      stream.reset(Http2Error.CANCEL);
    }
    end(unsupported);
  }

  @Override
  public void onDataSent(int bytes) {} // no DATA follows the small request

  @Override
  public void onReset(Http2Error error) {
    end(false);
  }

  @Override
  public void onConnectionLost(Refusal refused, String reason) {
    end(false);
  }

  private void end(boolean unsupported) {
    if (over) {
      return; // the listener already knows the end
    }
    over = true;
    connections.onReportCallEnded(this);
    notifyListener(() -> listener.onEnded(unsupported));
  }

  private void notifyListener(Runnable notification) {
    control.execute(
        () -> {
          if (!closed) {
            notification.run();
          }
        });
  }
}
