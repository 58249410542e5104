package io.outrigger.http2.testing;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.outrigger.http2.FrameType;
import io.outrigger.http2.Http2Error;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * A blocking HTTP/2 client on a real socket that sends any bytes and reads frames, for tests of
 * incorrect clients. Reads wait at most the given time.
 */
public final class RawHttp2 implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Socket socket;
  private final DataInputStream in;
  private final DefaultHttp2HeadersDecoder hpack = new DefaultHttp2HeadersDecoder(false, 1 << 20);

  private RawHttp2(Socket socket) throws IOException {
    this.socket = socket;
    this.in = new DataInputStream(socket.getInputStream());
  }

  /** Connects without sending anything. */
  public static RawHttp2 connect(InetSocketAddress address) throws IOException {
    var socket = new Socket();
    socket.setTcpNoDelay(true);
    socket.connect(address, (int) PATIENCE.toMillis());
    socket.setSoTimeout((int) PATIENCE.toMillis());
    return new RawHttp2(socket);
  }

  /** Connects and exchanges SETTINGS; {@code idsAndValues} are the client's settings. */
  public static RawHttp2 open(InetSocketAddress address, int... idsAndValues) throws IOException {
    RawHttp2 client = connect(address);
    client.send(Frames.PREFACE, Frames.settings(idsAndValues), Frames.settingsAck());
    client.await(frame -> frame.type() == FrameType.SETTINGS && frame.isAck());
    return client;
  }

  /** The backend's side of an accepted connection, after SETTINGS were exchanged. */
  public static RawHttp2 accept(Socket socket, int... idsAndValues) throws IOException {
    socket.setTcpNoDelay(true);
    socket.setSoTimeout((int) PATIENCE.toMillis());
    var server = new RawHttp2(socket);
    server.in.readNBytes(Frames.PREFACE.length);
    server.send(Frames.settings(idsAndValues), Frames.settingsAck());
    server.await(frame -> frame.type() == FrameType.SETTINGS && frame.isAck());
    return server;
  }

  /** Sends bytes; returns false when the other side no longer accepts them. */
  public boolean send(byte[]... parts) {
    try {
      for (byte[] part : parts) {
        socket.getOutputStream().write(part);
      }
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** Reads the next frame; empty when the other side has closed the connection. */
  public Optional<Frame> read() throws IOException {
    try {
      byte[] head = in.readNBytes(FrameType.HEADER_BYTES);
      if (head.length < FrameType.HEADER_BYTES) {
        return Optional.empty();
      }
      int length = (head[0] & 0xff) << 16 | (head[1] & 0xff) << 8 | (head[2] & 0xff);
      byte[] payload = new byte[length];
      in.readFully(payload);
      int streamId =
          (head[5] & 0x7f) << 24
              | (head[6] & 0xff) << 16
              | (head[7] & 0xff) << 8
              | (head[8] & 0xff);
      return Optional.of(new Frame(head[3] & 0xff, head[4] & 0xff, streamId, payload));
    } catch (EOFException | SocketException e) {
      return Optional.empty();
    }
  }

  /** Reads frames until one matches. */
  public Frame await(Predicate<Frame> fits) throws IOException {
    for (Optional<Frame> frame = read(); frame.isPresent(); frame = read()) {
      if (fits.test(frame.get())) {
        return frame.get();
      }
    }
    throw new EOFException("closed before the frame came");
  }

  /** Reads to the end; returns the error code of the last GOAWAY, or empty when there was none. */
  public Optional<Http2Error> awaitClose() throws IOException {
    Optional<Http2Error> error = Optional.empty();
    for (Optional<Frame> frame = read(); frame.isPresent(); frame = read()) {
      if (frame.get().type() == FrameType.GOAWAY) {
        error = Optional.of(Http2Error.ofCode(frame.get().number(4)));
      }
    }
    return error;
  }

  /** Reads bytes that are not frames, to the end. */
  public byte[] readAll() throws IOException {
    return in.readAllBytes();
  }

  /** Decodes a HEADERS frame. Each block must be decoded once, in order. */
  public Http2Headers decode(Frame headers) throws Http2Exception {
    return hpack.decodeHeaders(headers.streamId(), Unpooled.wrappedBuffer(headers.payload()));
  }

  /** Closes the socket with a TCP reset. */
  public void abort() throws IOException {
    socket.setSoLinger(true, 0);
    socket.close();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
