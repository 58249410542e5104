package io.outrigger.proxy.http2;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import io.outrigger.base.LoopConfined;
import org.jspecify.annotations.Nullable;

/**
 * Turns header blocks into header lists (RFC 7541). Says nothing about what the fields may be: see
 * {@link HeaderRules}.
 */
@LoopConfined
final class HpackDecoder {
  private static final int EXPECTED_FIELDS = 16;

  private final Collector collector = new Collector();
  private final DefaultHttp2HeadersDecoder netty;

  HpackDecoder(int maxHeaderListBytes) {
    netty =
        new DefaultHttp2HeadersDecoder(false, maxHeaderListBytes) {
          @Override
          protected Http2Headers newHeaders() {
            collector.begin();
            return collector;
          }
        };
  }

  /**
   * Decodes {@code block}, which is always read to its end, so that the table stays in step.
   *
   * @return null when the list is larger than allowed
   */
  @Nullable HeaderList decode(int streamId, ByteBuf block) throws ConnectionFault {
    try {
      var unused = netty.decodeHeaders(streamId, block);
      return collector.take();
    } catch (Http2Exception.HeaderListSizeException e) {
      return null;
    } catch (Http2Exception e) {
      throw new ConnectionFault(Http2Error.COMPRESSION_ERROR, "header block cannot be decoded");
    }
  }

  /** Takes fields from Netty's decoder without building its map. */
  private static final class Collector extends DefaultHttp2Headers {
    private final HeaderList.Builder fields = HeaderList.builder(EXPECTED_FIELDS);
    private int count;

    Collector() {
      super(false, 2);
    }

    void begin() {
      fields.clear();
      count = 0;
    }

    HeaderList take() {
      return fields.copy();
    }

    @Override
    public Http2Headers add(CharSequence name, CharSequence value) {
      fields.add(AsciiString.of(name), AsciiString.of(value));
      count++;
      return this;
    }

    @Override
    public int size() {
      return count;
    }
  }
}
