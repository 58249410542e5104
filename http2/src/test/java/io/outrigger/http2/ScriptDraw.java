package io.outrigger.http2;

import io.outrigger.http2.Script.Act;
import io.outrigger.http2.Script.Does;
import io.outrigger.http2.Script.Sends;
import io.outrigger.http2.Script.Step;
import io.outrigger.http2.testing.Frames;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Generates short random scripts of valid and invalid frames of all types. */
final class ScriptDraw {
  /** The source of random numbers: a seeded generator or a fuzzer. */
  interface Source {
    /** A random number in {@code 0..bound-1}. */
    int below(int bound);
  }

  private static final String[][] REQUESTS = {
    Frames.REQUEST,
    Frames.REQUEST,
    Frames.REQUEST,
    Frames.REQUEST,
    with(Frames.REQUEST, "content-length", "5"),
    with(Frames.REQUEST, "content-length", "0"),
    with(Frames.REQUEST, "content-length", "5", "content-length", "6"),
    with(Frames.REQUEST, "content-length", "-1"),
    with(Frames.REQUEST, "cookie", "a=1", "x", "1", "cookie", "b=2"),
    with(Frames.REQUEST, "X-Upper", "1"),
    with(Frames.REQUEST, "connection", "close"),
    with(Frames.REQUEST, "te", "gzip"),
    with(Frames.REQUEST, "te", "trailers"),
    with(Frames.REQUEST, ":path", "/again"),
    with(Frames.REQUEST, "x", "1", ":path", "/late"),
    with(Frames.REQUEST, ":status", "200"),
    with(Frames.REQUEST, ":unknown", "1"),
    with(Frames.REQUEST, "x", "a\nb"),
    with(Frames.REQUEST, "x", "a\tb"),
    with(Frames.REQUEST, "x", "\u00e9 \u0001"),
    with(Frames.REQUEST, "host", "other"),
    {":method", "GET", ":scheme", "http"},
    {":method", "GET", ":path", "/"},
    {":scheme", "http", ":path", "/"},
    {":method", "CONNECT", ":authority", "a"},
    {":method", "OPTIONS", ":scheme", "http", ":path", "*"},
    {},
  };

  private static final String[][] RESPONSES = {
    {":status", "200"},
    {":status", "200"},
    {":status", "200", "x", "1"},
    {":status", "200", "content-length", "5"},
    {":status", "200", "content-length", "0"},
    {":status", "204", "content-length", "5"},
    {":status", "100"},
    {":status", "103", "x", "1"},
    {":status", "101"},
    {":status", "2000"},
    {":status", "200", ":status", "200"},
    {":status", "200", ":path", "/"},
    {":status", "200", "transfer-encoding", "chunked"},
    {"x", "1"},
  };

  private static final String[][] TRAILERS = {
    {"grpc-status", "0"},
    {"grpc-status", "0"},
    {"grpc-status", "0", "grpc-message", "m"},
    {},
    {":status", "200"},
    {":path", "/"},
    {"content-length", "7"},
    {"X", "1"},
  };

  private static final List<Act> ACTS = List.of(Act.values());

  private static final int[] SIZES = {0, 1, 5, 6, 15_000, 15_000, 16_384};
  private static final int[] INCREMENTS = {
    0, 1, 1000, 65_535, Integer.MAX_VALUE - 65_535, Integer.MAX_VALUE, Integer.MIN_VALUE
  };
  private static final int[] VALUES = {
    0, 1, 2, 100, 16_383, 16_384, 65_535, (1 << 24) - 1, 1 << 24, Integer.MAX_VALUE, -1
  };

  private final Source source;
  private final boolean server;

  private ScriptDraw(Source source, boolean server) {
    this.source = source;
    this.server = server;
  }

  static Script draw(Source source, boolean server) {
    return new ScriptDraw(source, server).script();
  }

  private Script script() {
    List<Step> steps = new ArrayList<>();
    if (!oneIn(50)) {
      steps.add(Sends.of(oneIn(3) ? settings() : Frames.settings()));
    }
    if (!oneIn(4)) {
      steps.add(Sends.of(Frames.settingsAck()));
    }
    for (int i = server ? 0 : 1 + source.below(3); i > 0; i--) {
      steps.add(new Does(oneIn(2) ? Act.OPEN : Act.OPEN_WHOLE, 0));
    }
    for (int i = source.below(16); i >= 0; i--) {
      step(steps);
    }
    return new Script(server, steps);
  }

  private void step(List<Step> steps) {
    if (oneIn(4)) {
      steps.add(new Does(ACTS.get(source.below(ACTS.size())), likelyId()));
    } else if (oneIn(12)) {
      block(steps);
    } else {
      steps.add(Sends.of(frame()));
    }
  }

  private byte[] frame() {
    return switch (source.below(20)) {
      case 0, 1, 2, 3, 4, 5 -> headers();
      case 6, 7, 8, 9 -> data();
      case 10, 11 -> Frames.reset(id(), Http2Error.ofCode(source.below(16)));
      case 12, 13 -> Frames.windowUpdate(oneIn(4) ? 0 : id(), any(INCREMENTS));
      case 14 -> settings();
      case 15 -> oneIn(2) ? Frames.ping(source.below(100)) : Frames.settingsAck();
      case 16 ->
          oneIn(3)
              ? Frames.goAway(id(), Http2Error.ofCode(source.below(4)))
              : Frames.frame(6, 1, 0, new byte[8]);
      case 17 -> Frames.frame(Frames.PRIORITY, 0, id(), Frames.join(Frames.number(id()), weight()));
      case 18 -> ofWrongSize();
      default -> Frames.frame(oneIn(3) ? Frames.PUSH_PROMISE : 10 + source.below(5), 0, id());
    };
  }

  /** A header block in several frames; frames between and after them may be invalid. */
  private void block(List<Step> steps) {
    int id = id();
    byte[] whole = drawnBlock();
    int cut = source.below(whole.length + 1);
    int flags = source.below(2) * Frames.END_STREAM;
    byte[] first = Arrays.copyOf(whole, cut);
    byte[] rest = Arrays.copyOfRange(whole, cut, whole.length);
    steps.add(Sends.of(Frames.frame(Frames.HEADERS, flags, id, first)));
    if (oneIn(3)) {
      steps.add(Sends.of(Frames.frame(Frames.CONTINUATION, 0, id)));
    }
    if (oneIn(8)) {
      steps.add(Sends.of(frame()));
    }
    int last = oneIn(8) ? id() : id;
    steps.add(Sends.of(Frames.frame(Frames.CONTINUATION, Frames.END_HEADERS, last, rest)));
  }

  private String[] fields() {
    String[][] heads = server ? REQUESTS : RESPONSES;
    // Most heads are valid, so that there are streams for the other frames.
    String[][] kind = source.below(3) == 0 ? TRAILERS : heads;
    return oneIn(2) ? kind[0] : kind[source.below(kind.length)];
  }

  private byte[] drawnBlock() {
    String[] fields = fields();
    return oneIn(2) ? Frames.block(fields) : BlockDraw.draw(source, fields);
  }

  private byte[] headers() {
    int id = id();
    int flags = Frames.END_HEADERS | source.below(2) * Frames.END_STREAM;
    byte[] block = drawnBlock();
    if (oneIn(8)) {
      flags |= FrameType.FLAG_PRIORITY;
      block = Frames.join(Frames.number(oneIn(3) ? id() : 0), weight(), block);
    }
    return padded(Frames.HEADERS, flags, id, block);
  }

  private byte[] data() {
    int flags = oneIn(4) ? Frames.END_STREAM : 0; // otherwise windows would never be used up
    return padded(Frames.DATA, flags, id(), new byte[any(SIZES)]);
  }

  private byte[] padded(int type, int flags, int id, byte[] payload) {
    if (!oneIn(8)) {
      return Frames.frame(type, flags, id, payload);
    }
    int padding = source.below(200);
    byte[] all = Frames.join(new byte[] {(byte) padding}, payload, new byte[padding]);
    int length = Math.min(all.length, ConnectionSettings.FRAME_SIZE);
    byte[] cut = Arrays.copyOf(all, oneIn(6) ? Math.min(length, 1 + padding) : length);
    return Frames.frame(type, flags | Frames.PADDED, id, cut);
  }

  private byte[] settings() {
    int[] both = new int[2 * (1 + source.below(2))];
    for (int i = 0; i < both.length; i += 2) {
      both[i] = source.below(10);
      both[i + 1] = any(VALUES);
    }
    return Frames.settings(both);
  }

  private byte[] ofWrongSize() {
    int type = source.below(10);
    boolean ofConnection = type == Frames.SETTINGS || type == Frames.PING || type == Frames.GOAWAY;
    int id = ofConnection && !oneIn(3) ? 0 : id();
    return Frames.frame(type, source.below(256), id, new byte[source.below(12)]);
  }

  private static byte[] weight() {
    return new byte[] {15};
  }

  private int likelyId() {
    return 1 + 2 * source.below(4);
  }

  private int id() {
    return oneIn(10) ? source.below(14) : likelyId();
  }

  private boolean oneIn(int n) {
    return source.below(n) == 0;
  }

  private int any(int[] values) {
    return values[source.below(values.length)];
  }

  private static String[] with(String[] fields, String... more) {
    List<String> all = new ArrayList<>(List.of(fields));
    all.addAll(List.of(more));
    return all.toArray(String[]::new);
  }
}
