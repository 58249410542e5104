package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Header lists that are rejected, and the error messages. */
final class HeaderRulesTest {
  private static final String REQUEST = ":method=POST|:scheme=http|:path=/s/m|:authority=a:1";

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    REQUEST + ", -",
    REQUEST + "|te=trailers|grpc-timeout=1S|x-bin=AA==|x-empty=, -",
    REQUEST + "|te=TRAILERS, -",
    REQUEST + "|host=a:1, -",
    REQUEST + "|host=A:1, -",
    ":method=POST|:scheme=http|:path=/s/m|host=a, -",
    ":method=OPTIONS|:scheme=http|:path=*, -",
    REQUEST + "|content-length=12, -",
    REQUEST + "|content-length=12|content-length=12, content-length is not one number",
    REQUEST + "|x=ä, -",
    ":method=POST|:scheme=http, pseudo-header is missing",
    ":method=POST|:path=/s/m, pseudo-header is missing",
    ":scheme=http|:path=/s/m, pseudo-header is missing",
    "x=1, pseudo-header is missing",
    REQUEST + "|:path=/other, pseudo-header appears twice",
    ":method=POST|x=1|:scheme=http|:path=/s/m, pseudo-header after a field",
    REQUEST + "|x=1|:authority=b, pseudo-header appears twice",
    REQUEST + "|:status=200, unknown pseudo-header in a request",
    REQUEST + "|:protocol=websocket, unknown pseudo-header in a request",
    ":method=CONNECT|:authority=a:1, CONNECT is not supported",
    ":method=POST|:scheme=http|:path=s/m, :path does not start with a slash",
    ":method=POST|:scheme=http|:path=, :path does not start with a slash",
    ":method=POST|:scheme=http|:path=*, :path does not start with a slash",
    ":method=POST|:scheme=http|:path=http://a/s/m, :path does not start with a slash",
    ":method=POST|:scheme=http|:path=/s m, :path has a forbidden character",
    ":method=POST|:scheme=http|:path=/s#m, :path has a forbidden character",
    ":method=PO ST|:scheme=http|:path=/s/m, :method is not a token",
    ":method=PO(ST|:scheme=http|:path=/s/m, :method is not a token",
    ":method=POST|:scheme=1http|:path=/s/m, :scheme is not a scheme",
    ":method=|:scheme=http|:path=/s/m, :method is not a token",
    ":method=POST|:scheme=http|:path=/s/m|:authority=u@a, :authority has a forbidden character",
    ":method=POST|:scheme=http|:path=/s/m|:authority=, :authority is empty",
    REQUEST + "|host=b, -",
    REQUEST + "|host=b c, -",
    REQUEST + "|host=a|host=a, host appears twice",
    ":method=POST|:scheme=http|:path=/s/m|host=a|host=a, host appears twice",
    ":method=POST|:scheme=http|:path=/s/m|host=a b, host has a forbidden character",
    REQUEST + "|X-Name=1, field name has a forbidden character",
    REQUEST + "|x name=1, field name has a forbidden character",
    REQUEST + "|x:name=1, field name has a forbidden character",
    REQUEST + "|x\u007fname=1, field name has a forbidden character",
    REQUEST + "|=1, field name is empty",
    REQUEST + "|x=a<NUL>b, field value has a forbidden character",
    REQUEST + "|x=a<CR>b, field value has a forbidden character",
    REQUEST + "|x=a<LF>b, field value has a forbidden character",
    REQUEST + "|content-length=1|content-length=2, content-length is not one number",
    REQUEST + "|content-length=-1, content-length is not one number",
    REQUEST + "|content-length=1x, content-length is not one number",
    REQUEST + "|content-length=99999999999999999999, content-length is not one number",
  })
  void requests(String fields, String fault) {
    assertThat(said(HeaderRules.requestFault(parse(fields)))).startsWith(fault);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "connection=close, connection-specific field",
    "keep-alive=1, connection-specific field",
    "proxy-connection=close, connection-specific field",
    "transfer-encoding=chunked, connection-specific field",
    "upgrade=h2c, connection-specific field",
    "te=gzip, te is not trailers",
    "te=trailers, -",
  })
  void fieldsOfAConnectionAreRefusedEverywhere(String field, String fault) {
    assertThat(said(HeaderRules.requestFault(parse(REQUEST + "|" + field)))).startsWith(fault);
    assertThat(said(HeaderRules.responseFault(parse(":status=200|" + field)))).startsWith(fault);
    assertThat(said(HeaderRules.trailersFault(parse("grpc-status=0|" + field)))).startsWith(fault);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    ":status=200|grpc-status=0, -",
    ":status=103|link=x, -",
    "grpc-status=0, pseudo-header is missing",
    ":status=200|:status=200, pseudo-header appears twice",
    "x=1|:status=200, pseudo-header after a field",
    ":status=200|:path=/, unknown pseudo-header in a response",
    ":status=20, :status is not a number",
    ":status=2000, :status is not a number",
    ":status=x00, :status is not a number",
    ":status=2x0, :status is not allowed",
    ":status=101, :status is not allowed",
    ":status=200|X=1, field name has a forbidden character",
    ":status=200|x=a<LF>b, field value has a forbidden character",
  })
  void responses(String fields, String fault) {
    assertThat(said(HeaderRules.responseFault(parse(fields)))).startsWith(fault);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "grpc-status=0|grpc-message=a%20b, -",
    "grpc-status=2|grpc-message=<SP>a b<SP>, -",
    "grpc-status=2|grpc-message=a<LF>, field value has a forbidden character",
    ":status=200, pseudo-header in trailers",
    "grpc-status=0|:path=/, pseudo-header in trailers",
    "Grpc-status=0, field name has a forbidden character",
  })
  void trailers(String fields, String fault) {
    assertThat(said(HeaderRules.trailersFault(parse(fields)))).startsWith(fault);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    ":status=100, true, false",
    ":status=199, true, false",
    ":status=200, false, false",
    ":status=204, false, true",
    ":status=206, false, false",
    ":status=304, false, true",
    ":status=400, false, false",
    "grpc-status=0, false, false",
  })
  void aStatusTellsWhetherTheResponseIsInterimAndWhetherItHasContent(
      String fields, boolean interim, boolean noContent) {
    assertThat(HeaderRules.isInterim(parse(fields))).isEqualTo(interim);
    assertThat(HeaderRules.hasNoContent(parse(fields))).isEqualTo(noContent);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    ":status=200, -1",
    ":status=200|content-length=0, 0",
    ":status=200|content-length=12, 12",
    ":status=200|content-length=999999999999999999, 999999999999999999",
  })
  void aLengthIsTheNumberThatWasSent(String fields, long length) {
    assertThat(HeaderRules.contentLength(parse(fields))).isEqualTo(length);
  }

  private static String said(@Nullable String fault) {
    return fault == null ? "-" : fault;
  }

  private static HeaderList parse(String fields) {
    List<String> all = new ArrayList<>();
    for (String field : fields.split("\\|", -1)) {
      int equals = field.indexOf('=');
      all.add(field.substring(0, equals));
      all.add(
          field
              .substring(equals + 1)
              .replace("<NUL>", "\0")
              .replace("<CR>", "\r")
              .replace("<LF>", "\n")
              .replace("<SP>", " ")
              .replace("<TAB>", "\t"));
    }
    return Messages.list(all.toArray(new String[0]));
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "upgrade=h2c, connection-specific field: upgrade",
    "te=gzip, te is not trailers",
    ":protocol=websocket, unknown pseudo-header in a request: :protocol",
    "X-Name=secret, field name has a forbidden character: X-Name",
    "x\u007fname=secret, field name has a forbidden character: x?name",
    "x=secret<LF>, field value has a forbidden character: x",
  })
  void aFaultNamesTheFieldAndNeverItsValue(String field, String fault) {
    assertThat(said(HeaderRules.requestFault(parse(REQUEST + "|" + field)))).isEqualTo(fault);
  }
}
