package io.outrigger.endtoend;

import static io.outrigger.http2.testing.Frames.END_HEADERS;
import static io.outrigger.http2.testing.Frames.END_STREAM;

import io.grpc.Status.Code;
import io.outrigger.endtoend.FaultyBackend.Action;
import io.outrigger.endtoend.FaultyBackend.Phase;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.testing.Frames;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * One way in which a backend can fail a call.
 *
 * @param name what it does, for the report
 * @param at when it does it
 * @param codes the statuses of which the app must see one
 */
record Fault(String name, Phase at, Action action, Set<Code> codes) {
  private static final String[] GRPC_OK = {":status", "200", "content-type", "application/grpc"};
  private static final byte[] NOTHING = {};

  /** A message of three bytes. */
  private static final byte[] MESSAGE = {0, 0, 0, 0, 3, 'a', 'b', 'c'};

  private static final byte[] HALF_A_MESSAGE = {0, 0, 0, 0, 9, 'a', 'b'};

  /** Every fault of the matrix. */
  static List<Fault> all() {
    var faults = new ArrayList<Fault>();
    for (Phase phase : List.of(Phase.HEADERS, Phase.MESSAGE, Phase.END)) {
      atEachPhase(phase, faults);
    }
    beforeAnyCall(faults);
    streamEnds(faults);
    goAways(faults);
    afterResponseHeaders(faults);
    brokenFrames(faults);
    brokenResponses(faults);
    return faults;
  }

  private static void atEachPhase(Phase phase, List<Fault> faults) {
    String when = " at " + phase.name().toLowerCase(Locale.ROOT);
    faults.add(fault("hang" + when, phase, hang(), Code.DEADLINE_EXCEEDED));
    faults.add(fault("FIN" + when, phase, (p, s) -> p.close(), Code.UNAVAILABLE));
    faults.add(fault("TCP reset" + when, phase, (p, s) -> p.reset(), Code.UNAVAILABLE));
    faults.add(fault("half-close" + when, phase, (p, s) -> p.halfClose(), Code.UNAVAILABLE));
    faults.add(
        fault("RST INTERNAL_ERROR" + when, phase, rst(Http2Error.INTERNAL_ERROR), Code.INTERNAL));
    faults.add(fault("RST CANCEL" + when, phase, rst(Http2Error.CANCEL), Code.CANCELLED));
    faults.add(
        fault(
            "GOAWAY and FIN" + when,
            phase,
            (p, s) -> {
              p.send(Frames.goAway(s, Http2Error.NO_ERROR));
              p.close();
            },
            Code.UNAVAILABLE));
  }

  private static void beforeAnyCall(List<Fault> faults) {
    Phase at = Phase.CONNECTED;
    faults.add(fault("accepts and closes", at, (p, s) -> p.close(), Code.UNAVAILABLE));
    faults.add(fault("accepts and resets", at, (p, s) -> p.reset(), Code.UNAVAILABLE));
    faults.add(fault("accepts and is silent", at, hang(), Code.DEADLINE_EXCEEDED));
    faults.add(
        fault(
            "speaks HTTP/1.1",
            at,
            (p, s) -> p.send(Frames.ascii("HTTP/1.1 400 Bad Request\r\n\r\n")),
            Code.UNAVAILABLE));
    faults.add(
        fault(
            "speaks TLS",
            at,
            (p, s) -> p.send(new byte[] {21, 3, 1, 0, 2, 2, 70, 0, 0}),
            Code.UNAVAILABLE));
    faults.add(
        fault(
            "allows no streams",
            at,
            (p, s) -> p.send(Frames.settings(3, 0)),
            Code.DEADLINE_EXCEEDED));
    faults.add(
        fault(
            "gives no window",
            at,
            (p, s) -> p.send(Frames.settings(4, 0)),
            Code.DEADLINE_EXCEEDED));
    faults.add(
        fault(
            "SETTINGS with a bad value",
            at,
            (p, s) -> p.send(Frames.settings(2, 7)),
            Code.UNAVAILABLE));
    faults.add(
        fault(
            "GOAWAY as the first word",
            at,
            (p, s) -> {
              p.send(Frames.settings(), Frames.goAway(0, Http2Error.NO_ERROR));
              p.close();
            },
            Code.UNAVAILABLE));
  }

  private static void streamEnds(List<Fault> faults) {
    Phase at = Phase.HEADERS;
    faults.add(fault("RST REFUSED_STREAM", at, rst(Http2Error.REFUSED_STREAM), Code.UNAVAILABLE));
    faults.add(fault("RST NO_ERROR", at, rst(Http2Error.NO_ERROR), Code.INTERNAL));
    faults.add(fault("RST PROTOCOL_ERROR", at, rst(Http2Error.PROTOCOL_ERROR), Code.INTERNAL));
    faults.add(
        fault("RST FLOW_CONTROL_ERROR", at, rst(Http2Error.FLOW_CONTROL_ERROR), Code.INTERNAL));
    faults.add(
        fault(
            "RST ENHANCE_YOUR_CALM",
            at,
            rst(Http2Error.ENHANCE_YOUR_CALM),
            Code.RESOURCE_EXHAUSTED));
    faults.add(
        fault(
            "RST INADEQUATE_SECURITY",
            at,
            rst(Http2Error.INADEQUATE_SECURITY),
            Code.PERMISSION_DENIED));
  }

  private static void goAways(List<Fault> faults) {
    faults.add(
        fault(
            "GOAWAY that keeps the call, then nothing",
            Phase.END,
            (p, s) -> p.send(Frames.goAway(s, Http2Error.NO_ERROR)),
            Code.DEADLINE_EXCEEDED));
    faults.add(
        fault(
            "GOAWAY ENHANCE_YOUR_CALM that drops the call",
            Phase.HEADERS,
            (p, s) -> {
              p.send(Frames.goAway(0, Http2Error.ENHANCE_YOUR_CALM));
              p.close();
            },
            Code.UNAVAILABLE,
            Code.RESOURCE_EXHAUSTED,
            Code.DEADLINE_EXCEEDED));
    faults.add(
        fault(
            "GOAWAY PROTOCOL_ERROR in an answer",
            Phase.END,
            (p, s) -> {
              p.send(ok(s), Frames.goAway(s, Http2Error.PROTOCOL_ERROR));
              p.close();
            },
            Code.UNAVAILABLE));
  }

  private static void afterResponseHeaders(List<Fault> faults) {
    Phase at = Phase.HEADERS;
    for (boolean half : new boolean[] {false, true}) {
      byte[] content = half ? HALF_A_MESSAGE : NOTHING;
      String what = half ? " in a message" : " after headers";
      faults.add(fault("hang" + what, at, after(content, hang()), Code.DEADLINE_EXCEEDED));
      faults.add(fault("FIN" + what, at, after(content, (p, s) -> p.close()), Code.UNAVAILABLE));
      faults.add(
          fault("TCP reset" + what, at, after(content, (p, s) -> p.reset()), Code.UNAVAILABLE));
      faults.add(
          fault(
              "RST INTERNAL_ERROR" + what,
              at,
              after(content, rst(Http2Error.INTERNAL_ERROR)),
              Code.INTERNAL));
      faults.add(
          fault(
              "RST REFUSED_STREAM" + what,
              at,
              after(content, rst(Http2Error.REFUSED_STREAM)),
              Code.UNAVAILABLE));
      faults.add(
          fault(
              "end without trailers" + what,
              at,
              after(content, (p, s) -> p.send(Frames.data(s, END_STREAM))),
              Code.INTERNAL,
              Code.UNKNOWN));
    }
    faults.add(
        fault(
            "OK after half a message",
            at,
            after(HALF_A_MESSAGE, (p, s) -> p.send(trailers(s, "grpc-status", "0"))),
            Code.INTERNAL));
    faults.add(fault("hang after a message", at, after(MESSAGE, hang()), Code.DEADLINE_EXCEEDED));
    faults.add(
        fault("FIN after a message", at, after(MESSAGE, (p, s) -> p.close()), Code.UNAVAILABLE));
    faults.add(
        fault(
            "failure, then OK",
            at,
            after(
                NOTHING,
                (p, s) ->
                    p.send(trailers(s, "grpc-status", "14"), trailers(s, "grpc-status", "0"))),
            Code.UNAVAILABLE));
  }

  private static void brokenFrames(List<Fault> faults) {
    broken(faults, "DATA on stream 0", (p, s) -> p.send(Frames.data(0, 0, MESSAGE)));
    broken(faults, "HEADERS on stream 0", (p, s) -> p.send(ok(0)));
    broken(
        faults,
        "an index that HPACK does not have",
        (p, s) -> p.send(Frames.frame(1, END_HEADERS, s, (byte) 0xff, (byte) 0x7f)));
    broken(
        faults,
        "a frame that is too large",
        (p, s) -> p.send(Frames.frame(0, 0, s, new byte[1 << 20])));
    broken(faults, "a window of 0 for the connection", (p, s) -> p.send(Frames.windowUpdate(0, 0)));
    broken(
        faults,
        "a window past 2^31-1",
        (p, s) -> p.send(Frames.windowUpdate(0, Integer.MAX_VALUE)));
    broken(
        faults,
        "PUSH_PROMISE",
        (p, s) -> p.send(Frames.frame(5, END_HEADERS, s, (byte) 0, (byte) 0, (byte) 0, (byte) 2)));
    broken(faults, "SETTINGS of 5 bytes", (p, s) -> p.send(Frames.frame(4, 0, 0, new byte[5])));
    broken(faults, "PING of 7 bytes", (p, s) -> p.send(Frames.frame(6, 0, 0, new byte[7])));
    broken(faults, "RST_STREAM of 3 bytes", (p, s) -> p.send(Frames.frame(3, 0, s, new byte[3])));
    broken(faults, "a stream that we never opened", (p, s) -> p.send(ok(s + 1000)));
    broken(
        faults,
        "HEADERS amid a header block",
        (p, s) -> p.send(Frames.headers(s, 0, GRPC_OK), ok(s)));
    broken(
        faults,
        "a header block without end",
        (p, s) -> {
          p.send(Frames.headers(s, 0, GRPC_OK));
          p.close();
        });
  }

  private static void broken(List<Fault> faults, String name, Action action) {
    faults.add(
        fault(
            name,
            Phase.HEADERS,
            action,
            Code.UNAVAILABLE,
            Code.INTERNAL,
            Code.RESOURCE_EXHAUSTED,
            Code.UNKNOWN));
  }

  private static void brokenResponses(List<Fault> faults) {
    response(faults, "no :status", "content-type", "application/grpc");
    response(faults, ":status that is no number", ":status", "abc");
    response(faults, "a name in capitals", ":status", "200", "Content-Type", "application/grpc");
    response(faults, "a connection header", ":status", "200", "connection", "close");
    response(
        faults,
        "a pseudo-header after fields",
        "content-type",
        "application/grpc",
        ":status",
        "200");
    response(faults, "two :status", ":status", "200", ":status", "200");
    response(faults, "an empty name", ":status", "200", "", "x");
    faults.add(
        fault(
            "DATA before HEADERS",
            Phase.HEADERS,
            (p, s) -> p.send(Frames.data(s, 0, MESSAGE)),
            Code.INTERNAL,
            Code.UNAVAILABLE));
    faults.add(
        fault(
            "content-length that lies",
            Phase.HEADERS,
            (p, s) ->
                p.send(
                    Frames.headers(
                        s,
                        END_HEADERS,
                        ":status",
                        "200",
                        "content-type",
                        "application/grpc",
                        "content-length",
                        "3"),
                    Frames.data(s, 0, MESSAGE),
                    trailers(s, "grpc-status", "0")),
            Code.INTERNAL,
            Code.UNAVAILABLE));
    faults.add(whole("HTTP 503", Code.UNAVAILABLE, ":status", "503"));
    faults.add(whole("HTTP 404", Code.UNIMPLEMENTED, ":status", "404"));
    faults.add(whole("HTTP 401", Code.UNAUTHENTICATED, ":status", "401"));
    faults.add(
        whole(
            "a page instead of gRPC", Code.UNKNOWN, ":status", "200", "content-type", "text/html"));
    faults.add(
        whole(
            "a status that is no number",
            Code.UNKNOWN,
            ":status",
            "200",
            "content-type",
            "application/grpc",
            "grpc-status",
            "none"));
    faults.add(
        whole(
            "trailers alone with a failure",
            Code.FAILED_PRECONDITION,
            ":status",
            "200",
            "content-type",
            "application/grpc",
            "grpc-status",
            "9"));
    faults.add(
        fault(
            "trailers without a status",
            Phase.HEADERS,
            after(MESSAGE, (p, s) -> p.send(trailers(s, "x", "y"))),
            Code.UNKNOWN));
  }

  private static void response(List<Fault> faults, String name, String... fields) {
    faults.add(
        fault(
            name,
            Phase.HEADERS,
            (p, s) -> p.send(Frames.headers(s, END_HEADERS, fields)),
            Code.INTERNAL,
            Code.UNAVAILABLE,
            Code.UNKNOWN));
  }

  private static Fault whole(String name, Code code, String... fields) {
    return fault(
        name,
        Phase.HEADERS,
        (p, s) -> p.send(Frames.headers(s, END_HEADERS | END_STREAM, fields)),
        code);
  }

  private static Fault fault(String name, Phase at, Action action, Code... codes) {
    return new Fault(name, at, action, Set.of(codes));
  }

  private static Action hang() {
    return (peer, stream) -> {};
  }

  private static Action rst(Http2Error error) {
    return (peer, stream) -> peer.send(Frames.reset(stream, error));
  }

  private static Action after(byte[] content, Action then) {
    return (peer, stream) -> {
      peer.send(ok(stream));
      if (content.length > 0) {
        peer.send(Frames.data(stream, 0, content));
      }
      then.perform(peer, stream);
    };
  }

  private static byte[] ok(int stream) {
    return Frames.headers(stream, END_HEADERS, GRPC_OK);
  }

  private static byte[] trailers(int stream, String... fields) {
    return Frames.headers(stream, END_HEADERS | END_STREAM, fields);
  }

  @Override
  public String toString() {
    return name;
  }
}
