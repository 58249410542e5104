package io.outrigger.http2;

import io.outrigger.http2.Script.Act;
import io.outrigger.http2.Script.Does;
import io.outrigger.http2.testing.Frames;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Differences in the header lists that are accepted. The first group are rules that only our
 * implementation checks; the second group are lists that only Netty rejects; the last group are
 * blocks that only one implementation can decode. Each rule is implemented here again, by the text
 * of the RFC, so that a test fails when our rules become stricter.
 */
@SuppressWarnings("ImmutableEnumChecker") // scripts are not modified
enum FieldDifference implements Difference {
  CONNECT_IS_NOT_SUPPORTED(
      "8.5: CONNECT makes a tunnel of the stream; a server of calls has none to offer",
      Who.WE_REFUSE,
      m -> m.server() && m.values(":method").contains("CONNECT"),
      Script.toServer(
          Frames.headers(1, Frames.END_HEADERS, ":method", "CONNECT", ":authority", "a"))),
  PROTOCOL_IS_UNKNOWN(
      "8.3: a pseudo-header that is not defined; that of RFC 8441 is not without the setting",
      Who.WE_REFUSE,
      m -> m.server() && !m.values(":protocol").isEmpty(),
      requestOf("POST", "/", "http", ":protocol", "websocket")),
  METHOD_OR_SCHEME_IS_NO_TOKEN(
      "8.3.1, RFC 9110 9.1 and RFC 3986 3.1: a method is a token, a scheme letters and digits",
      Who.WE_REFUSE,
      m -> m.server() && (isNo(Text.TOKEN, m, ":method") || isNo(Text.SCHEME, m, ":scheme")),
      requestOf("PO ST", "/", "http")),
  PATH_HAS_NO_SLASH(
      "8.3.1: a path begins with a slash, but for * of OPTIONS",
      Who.WE_REFUSE,
      m ->
          m.server()
              && m.values(":path").stream().noneMatch(path -> path.startsWith("/"))
              && !(m.values(":path").contains("*") && m.values(":method").contains("OPTIONS")),
      requestOf("GET", "*", "http")),
  PATH_HAS_FORBIDDEN_CHARACTER(
      "8.3.1 and RFC 3986 3.3: path and query have neither blanks nor a fragment",
      Who.WE_REFUSE,
      m -> m.server() && isNo(Text.PATH, m, ":path"),
      requestOf("GET", "/a b", "http")),
  AUTHORITY_HAS_FORBIDDEN_CHARACTER(
      "8.3.1: :authority has no user information; RFC 3986 3.2: nor blanks",
      Who.WE_REFUSE,
      m -> m.server() && isNo(Text.AUTHORITY, m, ":authority"),
      requestOf("GET", "/", "http", ":authority", "user@a")),
  HOST_IS_NO_AUTHORITY(
      "RFC 9110 7.2: there is one host at most; it stands in the place of :authority",
      Who.WE_REFUSE,
      m ->
          m.server()
              && !m.isTrailers()
              && m.values(":authority").isEmpty()
              && (m.values("host").size() > 1 || isNo(Text.AUTHORITY, m, "host")),
      requestOf("GET", "/", "http", "host", "a", "host", "a")),
  CONTENT_LENGTH_IS_NO_NUMBER(
      "8.1.1 and RFC 9110 8.6: one decimal number; to refuse a list of it, as one field or several,"
          + " or what no stream can have, is allowed; Netty looks at it in heads alone",
      Who.WE_REFUSE,
      m -> m.values("content-length").size() > 1 || isNo(Text.LENGTH, m, "content-length"),
      Script.toServer(Frames.requestWith(1, 0, "content-length", "5, 5"))),
  STATUS_IS_WRONG(
      "8.3.2 and RFC 9110 15: three digits, the first of them not 0; 8.6: 101 is not used",
      Who.WE_REFUSE,
      m -> !m.server() && isNo(Text.STATUS, m, ":status"),
      response(":status", "2000")),
  VALUE_BEGINS_WITH_BLANK(
      "8.2.1 forbids it; but gRPC lets such blanks be stripped, and its peers take them",
      Who.NETTY_REFUSES,
      m -> m.fields().stream().anyMatch(field -> Text.isBlankAtBegin(field.value())),
      response(":status", "200", "x", " a")),
  VALUE_HAS_CONTROL_CHARACTER(
      "8.2.1 forbids NUL, CR and LF; RFC 9110 5.5: others may be kept",
      Who.NETTY_REFUSES,
      m -> m.fields().stream().anyMatch(field -> Text.CONTROL.matcher(field.value()).find()),
      response(":status", "200", "x", "a\u0001")),

  NAME_IS_TAKEN_FOR_A_FORMAT(
      "8.1.1: a malformed message is a stream error; Netty fails as it formats its own message, with"
          + " the name for the format",
      Who.NETTY_FAILS,
      m -> m.fields().stream().anyMatch(field -> Text.isMalformedFormat(field.name())),
      Script.toServer(Frames.requestWith(1, 0, "X%", "1"))),
  INTEGER_OF_MANY_BYTES(
      "RFC 7541 5.1 leaves the limit to us: no integer of HPACK has more than five bytes beside its"
          + " prefix; Netty takes more that add nothing",
      Who.WE_FAIL,
      m -> NettyHpack.mayHaveLongInteger(m.block().bytes()),
      Script.toServer(
          Frames.frame(
              Frames.HEADERS,
              Frames.END_HEADERS,
              1,
              Frames.join(
                  new byte[] {0x3f, -128, -128, -128, -128, -128, 0},
                  Frames.block(Frames.REQUEST)))));

  private enum Who {
    WE_REFUSE(m -> m.weReset(Http2Error.PROTOCOL_ERROR) && m.nettyHandsOn()),
    NETTY_REFUSES(m -> m.weHandOn() && m.nettyResets(Http2Error.PROTOCOL_ERROR)),
    NETTY_FAILS(m -> !m.weHandOn() && m.nettyEnds(Http2Error.COMPRESSION_ERROR)),
    WE_FAIL(m -> m.weEnd(Http2Error.COMPRESSION_ERROR));

    private final Predicate<Moment> differs;

    Who(Predicate<Moment> differs) {
      this.differs = differs;
    }
  }

  /** The grammar of the RFCs. */
  private static final class Text {
    static final Pattern TOKEN = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");
    static final Pattern NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9a-z-]+");
    static final Pattern SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*");
    static final Pattern PATH =
        Pattern.compile(
            "/([A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*"
                + "(\\?[!-\"$-~\u0080-\u00ff]*)?"); // neither blanks nor a fragment
    static final Pattern AUTHORITY = Pattern.compile("[A-Za-z0-9._~!$&'()*+,;=:%\\[\\]-]*");
    static final Pattern LENGTH = Pattern.compile("[0-9]{1,18}");
    static final Pattern STATUS = Pattern.compile("(?!101)[1-9][0-9]{2}");
    static final Pattern CONTROL =
        Pattern.compile("[\u0001-\u0008\u000b\u000c\u000e-\u001f\u007f]");

    private Text() {}

    static boolean isMalformedFormat(String name) {
      boolean isPseudo = name.startsWith(":");
      return name.contains("%") && (isPseudo || !NAME.matcher(name).matches());
    }

    static boolean isBlankAtBegin(String value) {
      return value.startsWith(" ") || value.startsWith("\t");
    }
  }

  private final Rule rule;

  FieldDifference(String reason, Who who, Predicate<Moment> broken, Script example) {
    // Only one side has the stream.
    rule = new Rule(reason, After.ENDS, who.differs.and(broken), example);
  }

  @Override
  public Rule rule() {
    return rule;
  }

  private static boolean isNo(Pattern grammar, Moment moment, String name) {
    return moment.values(name).stream().anyMatch(value -> !grammar.matcher(value).matches());
  }

  private static Script requestOf(String method, String path, String scheme, String... more) {
    byte[] head = Frames.block(":method", method, ":path", path, ":scheme", scheme);
    byte[] block = Frames.join(head, Frames.block(more));
    return Script.toServer(Frames.frame(Frames.HEADERS, Frames.END_HEADERS, 1, block));
  }

  private static Script response(String... fields) {
    return Script.toClient(new Does(Act.OPEN, 0), Frames.headers(1, Frames.END_HEADERS, fields));
  }
}
