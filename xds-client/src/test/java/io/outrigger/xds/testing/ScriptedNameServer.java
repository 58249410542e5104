package io.outrigger.xds.testing;

import io.outrigger.base.AnyThread;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/**
 * A name server whose answers a test writes byte by byte. {@link #udp} and {@link #tcp} are scripts
 * from a query to the messages that answer it; none is silence.
 */
@AnyThread
public final class ScriptedNameServer implements AutoCloseable {
  public static final int NOERROR = 0;
  public static final int FORMERR = 1;
  public static final int SERVFAIL = 2;
  public static final int NXDOMAIN = 3;
  public static final int NOTIMP = 4;
  public static final int REFUSED = 5;
  public static final Function<Query, List<byte[]>> SILENT = query -> List.of();

  private static final int A = 1;
  private static final int CNAME = 5;
  private static final int AAAA = 28;
  private static final int RESPONSE = 0x8180; // recursion desired and available
  private static final int TRUNCATED = 0x0200;
  private static final int RECURSION_AVAILABLE = 0x0080;

  /** The TTL of addresses in answers, in seconds. */
  public volatile int ttl = 60;

  public volatile Function<Query, List<byte[]>> udp = SILENT;
  public volatile Function<Query, List<byte[]>> tcp = SILENT;

  private static final int MAX_TRIES = 20;
  private static final int ALIAS_TTL = 30;

  private final List<String> asked = new CopyOnWriteArrayList<>();
  private final DatagramSocket datagrams;
  private final ServerSocket streams;

  /**
   * Serves at {@code port} of {@code ip}, over UDP and TCP; at a port that is free for both when
   * {@code port} is 0.
   */
  public ScriptedNameServer(String ip, int port) throws IOException {
    InetAddress address = InetAddress.getByName(ip);
    ServerSocket stream = null;
    DatagramSocket datagram = null;
    for (int tries = 0; stream == null; tries++) {
      datagram = new DatagramSocket(port, address);
      try {
        stream = new ServerSocket(datagram.getLocalPort(), 0, address);
      } catch (BindException taken) {
        datagram.close();
        if (port != 0 || tries == MAX_TRIES) {
          throw taken;
        }
      }
    }
    datagrams = datagram;
    streams = stream;
    start("udp " + ip, this::serveDatagrams);
    start("tcp " + ip, this::serveStreams);
  }

  private interface Serving {
    void serve() throws IOException;
  }

  private static void start(String name, Serving serving) {
    var thread =
        new Thread(
            () -> {
              try {
                serving.serve();
              } catch (IOException closed) {
                return;
              }
            },
            name);
    thread.setDaemon(true);
    thread.start();
  }

  /** The port of both. */
  public int port() {
    return datagrams.getLocalPort();
  }

  /** The questions that came, such as {@code udp A pay.test.} */
  public List<String> asked() {
    return List.copyOf(asked);
  }

  private void serveDatagrams() throws IOException {
    while (true) {
      var packet = new DatagramPacket(new byte[4096], 4096);
      datagrams.receive(packet);
      var query = new Query(Arrays.copyOf(packet.getData(), packet.getLength()), ttl);
      asked.add("udp " + query);
      for (byte[] answer : udp.apply(query)) {
        datagrams.send(new DatagramPacket(answer, answer.length, packet.getSocketAddress()));
      }
    }
  }

  private void serveStreams() throws IOException {
    while (true) {
      try (var socket = streams.accept()) {
        var in = new DataInputStream(socket.getInputStream());
        byte[] bytes = new byte[in.readUnsignedShort()];
        in.readFully(bytes);
        var query = new Query(bytes, ttl);
        asked.add("tcp " + query);
        var out = new DataOutputStream(socket.getOutputStream());
        for (byte[] answer : tcp.apply(query)) {
          out.writeShort(answer.length);
          out.write(answer);
        }
        out.flush();
      }
    }
  }

  @Override
  public void close() throws IOException {
    datagrams.close();
    streams.close();
  }

  /** One question, as it came, and the TTL of addresses in its answer. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Query(byte[] bytes, int ttl) {
    public int id() {
      return ((bytes[0] & 0xFF) << 8) | (bytes[1] & 0xFF);
    }

    /** Whether it carries an OPT record, or anything else in the additional section. */
    public boolean hasOpt() {
      return bytes[11] != 0;
    }

    public String name() {
      var name = new StringBuilder();
      for (int i = 12; bytes[i] != 0; i += bytes[i] + 1) {
        name.append(new String(bytes, i + 1, bytes[i], StandardCharsets.US_ASCII)).append('.');
      }
      return name.toString();
    }

    private int endOfName() {
      int i = 12;
      while (bytes[i] != 0) {
        i += bytes[i] + 1;
      }
      return i + 1;
    }

    public boolean ip6() {
      return bytes[endOfName() + 1] == AAAA;
    }

    private byte[] question() {
      return Arrays.copyOfRange(bytes, 12, endOfName() + 4);
    }

    /** An answer with those of {@code ips} that are of the family that was asked for. */
    public byte[] answer(String... ips) {
      return message(id(), RESPONSE, question(), records(0xC00C, ips));
    }

    public byte[] answerWithId(int id, String... ips) {
      return message(id, RESPONSE, question(), records(0xC00C, ips));
    }

    public byte[] code(int code) {
      return message(id(), RESPONSE | code, question(), List.of());
    }

    /** A refusal by a server that does not repeat the question. */
    public byte[] codeAlone(int code) {
      return message(id(), RESPONSE | code, new byte[0], List.of());
    }

    public byte[] truncated(String... ips) {
      return message(id(), RESPONSE | TRUNCATED, question(), records(0xC00C, ips));
    }

    /** Neither an address nor the will to find one. */
    public byte[] referral() {
      return message(id(), RESPONSE & ~RECURSION_AVAILABLE, question(), List.of());
    }

    /** {@code name -> one.alias -> two.alias}, with the addresses of the last. TTLs of 30 s. */
    public byte[] aliases(String... ips) {
      int endOfQuestion = 12 + question().length;
      int firstTarget = endOfQuestion + 12;
      int secondTarget = firstTarget + 7 + 12;
      List<byte[]> records = new ArrayList<>();
      records.add(record(0xC00C, CNAME, ALIAS_TTL, new byte[] {3, 'o', 'n', 'e', 1, 'x', 0}));
      records.add(
          record(0xC000 | firstTarget, CNAME, ALIAS_TTL, new byte[] {3, 't', 'w', 'o', 1, 'x', 0}));
      records.addAll(records(0xC000 | secondTarget, ips));
      return message(id(), RESPONSE, question(), records);
    }

    private List<byte[]> records(int namePointer, String... ips) {
      return Arrays.stream(ips)
          .filter(ip -> ip.contains(":") == ip6())
          .map(ip -> record(namePointer, ip6() ? AAAA : A, ttl, bytesOf(ip)))
          .toList();
    }

    private static byte[] bytesOf(String ip) {
      try {
        return InetAddress.getByName(ip).getAddress();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public String toString() {
      return (ip6() ? "AAAA " : "A ") + name();
    }
  }

  private static byte[] record(int namePointer, int type, int ttl, byte[] data) {
    return bytes(
        out -> {
          out.writeShort(namePointer);
          out.writeShort(type);
          out.writeShort(1);
          out.writeInt(ttl);
          out.writeShort(data.length);
          out.write(data);
        });
  }

  private static byte[] message(int id, int flags, byte[] question, List<byte[]> answers) {
    return bytes(
        out -> {
          out.writeShort(id);
          out.writeShort(flags);
          out.writeShort(question.length == 0 ? 0 : 1);
          out.writeShort(answers.size());
          out.writeInt(0);
          out.write(question);
          for (byte[] answer : answers) {
            out.write(answer);
          }
        });
  }

  private interface Writing {
    void to(DataOutputStream out) throws IOException;
  }

  private static byte[] bytes(Writing writing) {
    var bytes = new ByteArrayOutputStream();
    try {
      writing.to(new DataOutputStream(bytes));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }
}
