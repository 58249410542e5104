import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The app and the backend of the runs that train start-up caches, with a minimal HTTP/2.
 *
 * <pre>
 * java TrainingCalls.java backend FILE    answers every call with an empty message and status OK;
 *                                         the file has its port
 * java TrainingCalls.java call PORT       makes calls at a forward; says "sent" after the first;
 *                                         exits with 1 when one fails
 * </pre>
 */
public final class TrainingCalls {
  private static final int CALLS = 20;
  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int RST_STREAM = 3;
  private static final int SETTINGS = 4;
  private static final int ACK = 1;
  private static final int END_STREAM = 1;
  private static final int END_HEADERS = 4;
  private static final byte[] PREFACE =
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] EMPTY_MESSAGE = new byte[5];

  private final DataInputStream in;
  private final Socket socket;

  private record Frame(int type, int flags, int stream) {
    boolean isEndOfStream() {
      return (type == DATA || type == HEADERS) && (flags & END_STREAM) != 0;
    }
  }

  private TrainingCalls(Socket socket) throws IOException {
    this.socket = socket;
    socket.setTcpNoDelay(true);
    in = new DataInputStream(socket.getInputStream());
  }

  public static void main(String[] args) throws IOException {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    if (args[0].equals("call")) {
      try (var socket = new Socket(loopback, Integer.parseInt(args[1]))) {
        new TrainingCalls(socket).call();
      }
      return;
    }
    try (var port = new ServerSocket(0, 10, loopback)) {
      Files.writeString(Path.of(args[1]), Integer.toString(port.getLocalPort()));
      while (true) {
        Socket accepted = port.accept();
        new Thread(() -> answer(accepted)).start();
      }
    }
  }

  private void call() throws IOException {
    socket.getOutputStream().write(PREFACE);
    send(SETTINGS, 0, 0);
    byte[] request =
        fields(
            ":method", "POST", ":scheme", "http", ":path", "/demo.Greeter/Hello", ":authority",
            "greeter", "te", "trailers", "content-type", "application/grpc", "grpc-timeout", "9S");
    for (int stream = 1; stream < 2 * CALLS; stream += 2) {
      send(HEADERS, END_HEADERS, stream, request);
      send(DATA, END_STREAM, stream, EMPTY_MESSAGE);
      if (stream == 1) {
        System.out.println("sent");
      }
      boolean hasData = false;
      Frame frame = receive();
      while (!frame.isEndOfStream()) {
        if (frame.type() == RST_STREAM) {
          throw new IOException("call reset");
        }
        hasData |= frame.type() == DATA;
        frame = receive();
      }
      if (!hasData) {
        throw new IOException("call failed");
      }
    }
  }

  private static void answer(Socket accepted) {
    try (accepted) {
      var connection = new TrainingCalls(accepted);
      connection.in.readNBytes(PREFACE.length);
      connection.send(SETTINGS, 0, 0);
      byte[] headers = fields(":status", "200", "content-type", "application/grpc");
      while (true) {
        Frame frame = connection.receive();
        if (frame.isEndOfStream()) {
          connection.send(HEADERS, END_HEADERS, frame.stream(), headers);
          connection.send(DATA, 0, frame.stream(), EMPTY_MESSAGE);
          byte[] trailers = fields("grpc-status", "0");
          connection.send(HEADERS, END_HEADERS | END_STREAM, frame.stream(), trailers);
        }
      }
    } catch (IOException closed) {
      // the sidecar closed the connection because the training is over
    }
  }

  /** Returns a header block of literal fields without indexing (RFC 7541 section 6.2.2). */
  private static byte[] fields(String... namesAndValues) {
    var block = new ByteArrayOutputStream();
    for (int i = 0; i < namesAndValues.length; i++) {
      if (i % 2 == 0) {
        block.write(0);
      }
      block.write(namesAndValues[i].length());
      block.writeBytes(namesAndValues[i].getBytes(StandardCharsets.US_ASCII));
    }
    return block.toByteArray();
  }

  private void send(int type, int flags, int stream, byte... payload) throws IOException {
    var frame = new ByteArrayOutputStream();
    frame.writeBytes(new byte[] {0, (byte) (payload.length >> 8), (byte) payload.length});
    frame.writeBytes(new byte[] {(byte) type, (byte) flags});
    frame.writeBytes(new byte[] {0, 0, (byte) (stream >> 8), (byte) stream});
    frame.writeBytes(payload);
    socket.getOutputStream().write(frame.toByteArray());
  }

  private Frame receive() throws IOException {
    int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
    var frame = new Frame(in.readUnsignedByte(), in.readUnsignedByte(), in.readInt());
    in.skipNBytes(length);
    if (frame.type() == SETTINGS && frame.flags() != ACK) {
      send(SETTINGS, ACK, 0);
    }
    return frame;
  }
}
