package io.outrigger.http2;

import io.outrigger.base.LoopConfined;
import io.outrigger.http2.Endpoint.Answer;
import io.outrigger.http2.Endpoint.Event;
import io.outrigger.http2.Script.Sends;
import io.outrigger.http2.Script.Step;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** What is known of the streams before a step. */
@LoopConfined
final class Past {
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

  private final boolean server;
  private final Map<Integer, Fate> fates = new HashMap<>();
  private final Set<Integer> sendEnded = new HashSet<>();
  private final Set<Integer> heads = new HashSet<>();
  private final Set<Integer> promises = new HashSet<>();
  private final Map<Integer, Integer> contents = new HashMap<>();
  private final Set<Integer> contentless = new HashSet<>();
  private int last;
  private boolean goAway;
  private final Map<Integer, Integer> sentOn = new HashMap<>();
  private long sent;

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
    boolean byNow = moment.values("content-length").stream().anyMatch(value -> !value.equals("0"));
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

  /** Bytes of DATA frames that were sent so far. */
  long sent() {
    return sent;
  }

  /** The same for one stream. */
  int sentOn(int id) {
    return sentOn.getOrDefault(id, 0);
  }

  void add(Step step, Answer answer) {
    if (step instanceof Sends sends && sends.frame().type() == FrameType.DATA) {
      int bytes = sends.frame().payload().length;
      sent += bytes;
      sentOn.merge(sends.frame().streamId(), bytes, Integer::sum);
    }
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
