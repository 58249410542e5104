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

/** The history of the streams before a step. */
@LoopConfined
final class Past {
  /** The state of a stream by its history. */
  enum Fate {
    IDLE,
    /** The peer has used a higher id before. */
    SKIPPED,
    OPEN,
    /** The peer has sent END_STREAM. */
    RECEIVE_ENDED,
    /** Both sides have sent END_STREAM. */
    ENDED,
    RESET_BY_PEER,
    /**
     * This side has reset the stream, or has ended it because of a GOAWAY with a lower last stream
     * id.
     */
    RESET_BY_US,
    /** The first header block of the stream was rejected. */
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

  /** Whether the header block that opened {@code id} or a higher id was rejected. */
  boolean wasRefusedFrom(int id) {
    return fates.entrySet().stream()
        .anyMatch(fate -> fate.getValue() == Fate.REFUSED && fate.getKey() >= id);
  }

  /** Whether the peer has sent GOAWAY. */
  boolean peerLeaves() {
    return goAway;
  }

  /** The number of bytes of content that the handler has received. */
  int received(int id) {
    return contents.getOrDefault(id, 0);
  }

  /** Whether the peer has announced content with {@code content-length} and has sent none. */
  boolean promised(Moment moment) {
    boolean byNow = moment.values("content-length").stream().anyMatch(value -> !value.equals("0"));
    return (promises.contains(moment.id()) || byNow) && received(moment.id()) == 0;
  }

  /** Whether the head of the response excludes content. */
  boolean isContentless(int id) {
    return contentless.contains(id);
  }

  /** Whether the head of the peer's message was received. */
  boolean hasHead(int id) {
    return heads.contains(id);
  }

  /** The number of bytes in all DATA frames that were sent so far. */
  long sent() {
    return sent;
  }

  /** The number of bytes in all DATA frames of one stream that were sent so far. */
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
