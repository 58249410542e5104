package io.outrigger.observe.admin;

import static io.outrigger.observe.admin.AdminRequest.require;

import io.netty.util.AsciiString;
import io.outrigger.config.route.WireText;
import io.outrigger.dataplane.forward.RequestHead;
import io.outrigger.dataplane.route.GrpcTimeout;
import io.outrigger.http2.HeaderList;
import io.outrigger.http2.HeaderRules;
import io.outrigger.http2.KnownName;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * The request that {@code /explain} explains. The query parameters are {@code path}, {@code method}
 * (default POST), {@code authority} and any number of {@code header=name:value}. A POST without a
 * content type is a gRPC request. The request must follow the rules for requests on the wire; text
 * beyond ASCII is encoded as UTF-8.
 */
public final class ExplainRequest {
  private static final String AUTHORITY = ":authority";
  private static final int MAX_HEADERS = 200;

  private ExplainRequest() {}

  /**
   * @throws IllegalArgumentException with the reason, when the parameters do not form a valid
   *     request
   */
  public static RequestHead read(AdminRequest request) {
    String path =
        request
            .parameter("path")
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "path is missing; give one such as /package.Service/Method"));
    String method = request.parameter("method").orElse("POST");
    List<String> given = new ArrayList<>(request.query().getOrDefault("header", List.of()));
    request.parameter("authority").ifPresent(name -> given.add(AUTHORITY + ":" + name));
    require(given.size() <= MAX_HEADERS, "more than " + MAX_HEADERS + " headers");
    require(
        path.startsWith("/"),
        "path does not start with a slash; write it as /package.Service/Method");
    require(method.matches("[!-~]+"), "method is no HTTP method, such as GET or POST");
    given.sort(Comparator.comparing(header -> !nameOf(header).equals(AUTHORITY))); // puts it first
    var block =
        HeaderList.builder(given.size() + 4)
            .add(KnownName.METHOD, method)
            .add(KnownName.SCHEME, "http")
            .add(KnownName.PATH, WireText.of(path));
    for (String header : given) {
      block.add(new AsciiString(nameOf(header)), valueOf(header));
    }
    boolean hasType = given.stream().anyMatch(each -> nameOf(each).equals("content-type"));
    if (!hasType && method.equals("POST")) {
      block.add(AsciiString.cached("content-type"), "application/grpc");
    }
    HeaderList headers = block.build();
    String fault = HeaderRules.requestFault(headers);
    require(fault == null, String.valueOf(fault));
    RequestHead preview = RequestHead.of(headers);
    require(
        preview.appTimeoutNanos() != GrpcTimeout.MALFORMED,
        "grpc-timeout is malformed: one to eight digits and one of n, u, m, S, M, H");
    return preview;
  }

  private static String nameOf(String header) {
    return header.substring(0, colon(header)).toLowerCase(Locale.ROOT);
  }

  private static String valueOf(String header) {
    String value = header.substring(colon(header) + 1);
    boolean hasLineBreak = value.indexOf('\r') >= 0 || value.indexOf('\n') >= 0;
    return WireText.of(hasLineBreak ? value : value.strip()); // HeaderRules refuses line breaks
  }

  private static int colon(String header) {
    int colon = header.indexOf(':', 1);
    require(colon > 0, "write a header as name:value");
    return colon;
  }
}
