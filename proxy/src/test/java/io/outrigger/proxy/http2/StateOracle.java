package io.outrigger.proxy.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.AsciiString;
import io.outrigger.proxy.http2.Endpoint.Answer;
import io.outrigger.proxy.http2.Endpoint.Event;
import io.outrigger.proxy.http2.Script.Sends;
import io.outrigger.proxy.http2.Script.Step;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Plays a script to our connection and to Netty's. Both must answer each step in the same way, or
 * differ as a {@link KnownDifference} says; the script ends where it lets their states part.
 */
final class StateOracle {
  private StateOracle() {}

  /** How a stream came to where it is. */
  enum Fate {
    IDLE,
    /** A higher one of the peer's was used before. */
    SKIPPED,
    OPEN,
    /** The peer has said all. */
    RECEIVE_ENDED,
    /** Both have said all. */
    ENDED,
    RESET_BY_PEER,
    /** Or given up by us because GOAWAY did not count it in. */
    RESET_BY_US,
    /** Its first header block was refused. */
    REFUSED
  }

  /** What is known of the streams before a step. */
  static final class Past {
    private final boolean server;
    private final Map<Integer, Fate> fates = new HashMap<>();
    private final Set<Integer> sendEnded = new HashSet<>();
    private final Set<Integer> heads = new HashSet<>();
    private final Set<Integer> promises = new HashSet<>();
    private final Map<Integer, Integer> contents = new HashMap<>();
    private final Set<Integer> contentless = new HashSet<>();
    private int last;
    private boolean goAway;

    Past(boolean server) {
      this.server = server;
    }

    Fate fate(int id) {
      boolean wasPassed = (id & 1) == 1 && id <= last;
      return fates.getOrDefault(id, wasPassed ? Fate.SKIPPED : Fate.IDLE);
    }

    boolean isClosed(int id) {
      return switch (fate(id)) {
        case SKIPPED, ENDED, RESET_BY_PEER, RESET_BY_US, REFUSED -> true;
        case IDLE, OPEN, RECEIVE_ENDED -> false;
      };
    }

    /** Whether {@code id}, or a higher one, was opened with a header block that was refused. */
    boolean wasRefusedFrom(int id) {
      return fates.entrySet().stream()
          .anyMatch(fate -> fate.getValue() == Fate.REFUSED && fate.getKey() >= id);
    }

    /** Whether the peer has said GOAWAY. */
    boolean peerLeaves() {
      return goAway;
    }

    /** Bytes of content that were heard. */
    int received(int id) {
      return contents.getOrDefault(id, 0);
    }

    /** Whether the peer promised content by {@code content-length}, and none has come. */
    boolean promised(Moment moment) {
      HeaderList list = moment.nettysHeaders();
      boolean byNow = list != null && HeaderRules.contentLength(list) > 0;
      return (promises.contains(moment.id()) || byNow) && received(moment.id()) == 0;
    }

    /** Whether the head of the response says that it has no content. */
    boolean isContentless(int id) {
      return contentless.contains(id);
    }

    /** Whether the peer's head of a message has come. */
    boolean hasHead(int id) {
      return heads.contains(id);
    }

    void add(Answer answer) {
      answer.heard().forEach(this::add);
      for (int id : answer.ended()) {
        sendEnded.add(id);
        if (fate(id) == Fate.RECEIVE_ENDED) {
          fates.put(id, Fate.ENDED);
        }
      }
      answer
          .resets()
          .keySet()
          .forEach(
              id -> {
                boolean isNew = fate(id) == Fate.IDLE;
                boolean staysRefused = fate(id) == Fate.REFUSED;
                fates.put(id, isNew || staysRefused ? Fate.REFUSED : Fate.RESET_BY_US);
                last = Math.max(last, server || (id & 1) == 1 ? id : 0);
              });
    }

    private void add(Event event) {
      if (event instanceof Endpoint.Headers headers) {
        open(headers.id());
        boolean interim =
            !server && headers.fields().stream().anyMatch(field -> field.startsWith(":status=1"));
        if (headers.fields().contains(":status=204") || headers.fields().contains(":status=304")) {
          contentless.add(headers.id());
        }
        if (!interim) {
          heads.add(headers.id());
        }
        if (headers.fields().stream().anyMatch(field -> field.startsWith("content-length="))) {
          promises.add(headers.id());
        }
        end(headers.id(), headers.end());
      } else if (event instanceof Endpoint.Data data) {
        if (data.bytes() > 0) {
          contents.merge(data.id(), data.bytes(), Integer::sum);
        }
        end(data.id(), data.end());
      } else if (event instanceof Endpoint.Reset reset) {
        fates.put(reset.id(), Fate.RESET_BY_PEER);
      } else if (event instanceof Endpoint.GoAway leaving) {
        goAway = true;
        if (!server) {
          fates.replaceAll(
              (id, fate) -> id > leaving.last() && !isClosed(id) ? Fate.RESET_BY_US : fate);
        }
      } else if (event instanceof Endpoint.Opened opened) {
        open(opened.id());
      }
    }

    private void open(int id) {
      fates.putIfAbsent(id, Fate.OPEN);
      last = Math.max(last, id);
    }

    private void end(int id, boolean end) {
      if (end) {
        fates.put(id, sendEnded.contains(id) ? Fate.ENDED : Fate.RECEIVE_ENDED);
      }
    }
  }

  /**
   * A step that the two answered in different ways.
   *
   * @param past before the step
   */
  record Moment(boolean server, Past past, Step step, Answer ours, Answer nettys) {
    boolean isFrame(int type) {
      return step instanceof Sends sends && sends.frame().type() == type;
    }

    Frame frame() {
      return ((Sends) step).frame();
    }

    int id() {
      return step instanceof Sends sends ? sends.frame().streamId() : 0;
    }

    Fate fate() {
      return past.fate(id());
    }

    /** HEADERS, or the end of its block. */
    boolean isHeaders() {
      return isFrame(FrameType.HEADERS) || isFrame(FrameType.CONTINUATION);
    }

    boolean isEmptyUpdate() {
      return isFrame(FrameType.WINDOW_UPDATE) && (frame().number(0) & Integer.MAX_VALUE) == 0;
    }

    boolean isAlive() {
      return fate() == Fate.OPEN || fate() == Fate.RECEIVE_ENDED;
    }

    /** We reset the stream of the frame, and that is all. */
    boolean weReset(Http2Error error) {
      return ours.resetsOnly(id(), error);
    }

    boolean nettyResets(Http2Error error) {
      return nettys.resetsOnly(id(), error);
    }

    /** We end the connection. */
    boolean weEnd(Http2Error error) {
      return ours.error() == error;
    }

    boolean nettyEnds(Http2Error error) {
      return nettys.error() == error;
    }

    boolean nettySeesEnd() {
      Event last = nettys.heard().isEmpty() ? null : nettys.heard().get(nettys.heard().size() - 1);
      return (last instanceof Endpoint.Headers headers && headers.end())
          || (last instanceof Endpoint.Data data && data.end());
    }

    /** The header list that Netty hands on and we do not; null if that is not the difference. */
    @Nullable HeaderList nettysHeaders() {
      if (!nettys.isQuiet()
          || nettys.heard().size() != 1
          || !(nettys.heard().get(0) instanceof Endpoint.Headers headers)) {
        return null;
      }
      HeaderList.Builder list = HeaderList.builder(headers.fields().size());
      for (String field : headers.fields()) {
        int equals = field.indexOf('=', 1);
        list.add(new AsciiString(field.substring(0, equals)), field.substring(equals + 1));
      }
      return list.build();
    }
  }

  /** Plays it, and returns the known differences that were met. */
  static Set<KnownDifference> compare(String what, Script script) {
    try {
      return compare(script);
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError(what + ": " + script + "\n" + e.getMessage(), e);
    }
  }

  private static Set<KnownDifference> compare(Script script) {
    Set<KnownDifference> met = EnumSet.noneOf(KnownDifference.class);
    var past = new Past(script.server());
    try (var ours = new OurEndpoint(script.server());
        var nettys = new NettyEndpoint(script.server())) {
      ours.start();
      nettys.start();
      for (Step step : script.steps()) {
        var moment = new Moment(script.server(), past, step, ours.take(step), nettys.take(step));
        boolean goesOn = true;
        if (!moment.ours().isSameAs(moment.nettys())) {
          KnownDifference known = KnownDifference.of(moment);
          assertThat(known)
              .as("at %s%nours    %s%nNetty's %s", step, moment.ours(), moment.nettys())
              .isNotNull();
          met.add(known);
          goesOn = known.goesOn();
        }
        if (!goesOn || moment.ours().left() || moment.nettys().left()) {
          break;
        }
        past.add(moment.ours());
      }
    }
    return met;
  }
}
