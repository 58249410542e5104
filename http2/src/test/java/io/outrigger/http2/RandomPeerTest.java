package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.netty.buffer.ByteBuf;
import io.outrigger.http2.ConnectionSettings.Windows;
import io.outrigger.http2.testing.Frames;
import io.outrigger.testing.Seeds;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * For all input of a peer, no exception is thrown, no buffer leaks, and every stream has one last
 * event.
 */
final class RandomPeerTest {
  private static final ConnectionSettings SETTINGS =
      ConnectionSettings.DEFAULT
          .withWindows(new Windows(5000, 5000, 70_000))
          .withMaxHeaderListBytes(1000);

  @Test
  void randomBytesBehindThePreface() {
    Seeds.each(
        400,
        seed -> {
          var random = new Random(seed);
          byte[] bytes = new byte[random.nextInt(400)];
          random.nextBytes(bytes);
          run(
              seed,
              RawPeer.silentClient(SETTINGS),
              List.of(Frames.PREFACE, Frames.settings(), bytes));
          run(seed, RawPeer.silentServer(), List.of(Frames.settings(), bytes));
          run(seed, RawPeer.silentClient(SETTINGS), List.of(bytes));
        });
  }

  @Test
  void framesOfAnyKindInAnyOrder() {
    Seeds.each(
        400,
        seed -> {
          var random = new Random(seed);
          List<byte[]> frames = frames(random, random.nextInt(60));
          frames.add(0, Frames.settings(4, random.nextInt(3000)));
          run(seed, RawPeer.silentServer(), frames);
          frames.add(0, Frames.PREFACE);
          run(seed, RawPeer.silentClient(SETTINGS), frames);
        });
  }

  @Test
  void framesWithBytesChangedLostAndRepeated() {
    Seeds.each(
        800,
        seed -> {
          var random = new Random(seed);
          List<byte[]> frames = frames(random, 20);
          frames.add(0, Frames.settings(4, random.nextInt(3000)));
          byte[] bytes = mutate(random, Frames.join(frames.toArray(new byte[0][])));
          run(seed, RawPeer.silentServer(), List.of(bytes));
          run(seed, RawPeer.silentClient(SETTINGS), List.of(Frames.PREFACE, bytes));
        });
  }

  static void run(long seed, RawPeer peer, List<byte[]> parts) {
    var random = new Random(seed);
    peer.events.onStream = stream -> stream.holds = random.nextBoolean();
    var calls = new ArrayList<RecordingStream>();
    assertThatCode(
            () -> {
              for (byte[] part : parts) {
                for (int at = 0; at < part.length && peer.isOpen(); ) {
                  int cut = Math.min(part.length - at, 1 + random.nextInt(200));
                  peer.channel.writeInbound(peer.buffers.copy(part, at, cut));
                  at += cut;
                  act(random, peer, calls);
                }
              }
              for (ByteBuf out = peer.channel.readOutbound();
                  out != null;
                  out = peer.channel.readOutbound()) {
                out.release();
              }
              peer.channel.checkException();
              peer.close();
            })
        .as("seed %d", seed)
        .doesNotThrowAnyException();
    calls.addAll(peer.events.streams);
    assertThat(peer.events.events).as("seed %d", seed).last().asString().startsWith("closed: ");
    assertThat(peer.events.events.toString()).as("seed %d", seed).doesNotContain("internal error");
    assertThat(calls)
        .as("seed %d", seed)
        .allSatisfy(call -> assertThat(call.stream().isOpenForSending()).isFalse());
  }

  /** An action of the layer above, possible at any time. */
  private static void act(Random random, RawPeer peer, List<RecordingStream> calls) {
    if (peer.isOpen() && peer.connection.streams.canOpen() && random.nextInt(3) == 0) {
      calls.add(peer.open(Messages.POST, random.nextBoolean()));
    }
    List<RecordingStream> all = new ArrayList<>(calls);
    all.addAll(peer.events.streams);
    if (all.isEmpty()) {
      return;
    }
    RecordingStream chosen = all.get(random.nextInt(all.size()));
    Http2Stream stream = chosen.stream();
    switch (random.nextInt(8)) {
      case 0 -> {
        if (peer.events.streams.contains(chosen)
            && chosen.sent == 0
            && stream.pendingBytes() == 0) {
          stream.sendHeaders(Messages.OK, false);
        }
      }
      case 1 -> stream.sendData(peer.buffers.copy(new byte[random.nextInt(9000)]), false);
      case 2 -> stream.sendData(peer.buffers.copy(new byte[10]), true);
      case 3 -> stream.sendHeaders(Messages.TRAILERS, true);
      case 4 -> stream.reset(Http2Error.CANCEL);
      case 5 -> chosen.release();
      case 6 -> {
        if (random.nextInt(40) == 0) {
          peer.connection.drain();
        }
      }
      default -> {}
    }
  }

  private static List<byte[]> frames(Random random, int count) {
    List<byte[]> frames = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      frames.add(frame(random));
    }
    return frames;
  }

  private static byte[] frame(Random random) {
    int id = random.nextInt(8);
    int flags = random.nextInt(3) == 0 ? random.nextInt(256) : 0;
    byte[] payload = new byte[random.nextInt(30)];
    random.nextBytes(payload);
    return switch (random.nextInt(14)) {
      case 0, 1 -> Frames.request(2 * id + 1);
      case 2 -> Frames.wholeRequest(2 * id + 1);
      case 3, 4 -> Frames.data(id, flags & 9, new byte[random.nextInt(3000)]);
      case 5 -> Frames.headers(id, flags | 4, "grpc-status", "0");
      case 6 ->
          Frames.headers(id, flags | 4, ":status", "200", "a", "x".repeat(random.nextInt(900)));
      case 7 -> Frames.windowUpdate(id, random.nextInt(4) == 0 ? random.nextInt() : id * 1000);
      case 8 -> Frames.reset(id, Http2Error.ofCode(random.nextInt(14)));
      case 9 ->
          Frames.settings(random.nextInt(8), random.nextInt(2) == 0 ? 20_000 : random.nextInt());
      case 10 -> Frames.ping(random.nextLong());
      case 11 ->
          random.nextInt(10) == 0 ? Frames.goAway(id, Http2Error.NO_ERROR) : Frames.settingsAck();
      case 12 -> Frames.headers(id, flags & 1, Frames.REQUEST);
      default -> Frames.frame(random.nextInt(11), flags, id, payload);
    };
  }

  private static byte[] mutate(Random random, byte[] bytes) {
    byte[] changed = bytes.clone();
    for (int i = random.nextInt(4); i >= 0; i--) {
      int at = random.nextInt(changed.length);
      switch (random.nextInt(3)) {
        case 0 -> changed[at] ^= (byte) (1 << random.nextInt(8));
        case 1 -> changed[at] = (byte) random.nextInt(256);
        default -> {
          int length = Math.min(random.nextInt(30), changed.length - at);
          System.arraycopy(bytes, random.nextInt(bytes.length - length), changed, at, length);
        }
      }
    }
    return changed;
  }

  @Test
  void bytesArriveAsTheyWereSentHoweverTheWireCutsThem() {
    for (long seed = 0; seed < 40; seed++) {
      var random = new Random(seed);
      int window = random.nextBoolean() ? 1 + random.nextInt(50) : 20_000 + random.nextInt(100_000);
      var settings = ConnectionSettings.DEFAULT.withWindows(new Windows(window, window, 65_535));
      try (var wire = new Wire(settings, settings, random)) {
        wire.run();
        int calls = 1 + random.nextInt(12);
        int size = window < 100 ? 300 : 60_000;
        String[] said = new String[calls];
        var asked = new ArrayList<RecordingStream>();
        for (int i = 0; i < calls; i++) {
          said[i] = text(random, random.nextInt(size));
          asked.add(wire.request(Messages.request("POST", "/" + i), false));
        }
        for (int i = 0; i < calls; i++) {
          send(random, asked.get(i).stream(), said[i], wire);
          asked.get(i).stream().sendData(Messages.text(""), true);
        }
        wire.run();
        for (RecordingStream served : List.copyOf(wire.serverEvents.streams)) {
          served.stream().sendHeaders(Messages.OK, false);
          send(random, served.stream(), served.text(), wire);
          served.stream().sendHeaders(Messages.TRAILERS, true);
        }
        wire.run();

        for (int i = 0; i < calls; i++) {
          assertThat(asked.get(i).text()).as("seed %d", seed).isEqualTo(said[i]);
          assertThat(asked.get(i).ended).as("seed %d", seed).isTrue();
          assertThat(asked.get(i).sent).isEqualTo(said[i].length());
        }
        assertThat(wire.client.activeStreams() + wire.server.activeStreams()).isZero();
      }
    }
  }

  private static void send(Random random, Http2Stream stream, String text, Wire wire) {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    for (int at = 0; at < bytes.length; ) {
      int cut =
          Math.min(bytes.length - at, 1 + random.nextInt(random.nextBoolean() ? 100 : 10_000));
      stream.sendData(wire.buffers.copy(bytes, at, cut), false);
      at += cut;
    }
  }

  private static String text(Random random, int length) {
    var text = new StringBuilder(length);
    for (int i = 0; i < length; i++) {
      text.append((char) ('!' + random.nextInt(90)));
    }
    return text.toString();
  }
}
