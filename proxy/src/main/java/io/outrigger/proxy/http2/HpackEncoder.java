package io.outrigger.proxy.http2;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2HeadersEncoder;
import io.outrigger.base.LoopConfined;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;

/** Turns header lists into header blocks (RFC 7541). */
@LoopConfined
final class HpackEncoder {
  /** What we are willing to remember for a peer that allows more (CVE-2026-93492). */
  private static final int MAX_TABLE_BYTES = 64 << 10;

  private final FieldView view = new FieldView();
  private final DefaultHttp2HeadersEncoder netty =
      new DefaultHttp2HeadersEncoder(Http2HeadersEncoder.NEVER_SENSITIVE, true);

  void encode(int streamId, HeaderList headers, ByteBuf out) {
    view.list = headers;
    try {
      netty.encodeHeaders(streamId, view, out);
    } catch (Http2Exception e) {
      throw new IllegalStateException("header list cannot be encoded", e);
    } finally {
      view.list = HeaderList.EMPTY;
    }
  }

  /** The peer's SETTINGS_HEADER_TABLE_SIZE, an unsigned number. */
  void maxTableSize(long bytes) {
    try {
      netty.maxHeaderTableSize(Math.min(bytes, MAX_TABLE_BYTES));
    } catch (Http2Exception e) {
      throw new IllegalStateException("table size " + bytes + " is refused", e);
    }
  }

  void release() {
    netty.close();
  }

  /** Lets Netty's encoder walk over a list without a copy. */
  private static final class FieldView extends DefaultHttp2Headers {
    private HeaderList list = HeaderList.EMPTY;

    FieldView() {
      super(false, 2);
    }

    @Override
    public int size() {
      return list.size();
    }

    @Override
    public boolean isEmpty() {
      return list.size() == 0;
    }

    @Override
    public Iterator<Map.Entry<CharSequence, CharSequence>> iterator() {
      return new Cursor(list);
    }
  }

  /** Both the iterator and the entry it stands at. */
  private static final class Cursor
      implements Iterator<Map.Entry<CharSequence, CharSequence>>,
          Map.Entry<CharSequence, CharSequence> {
    private final HeaderList list;
    private int index = -1;

    Cursor(HeaderList list) {
      this.list = list;
    }

    @Override
    public boolean hasNext() {
      return index + 1 < list.size();
    }

    @Override
    public Map.Entry<CharSequence, CharSequence> next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      index++;
      return this;
    }

    @Override
    public CharSequence getKey() {
      return list.name(index);
    }

    @Override
    public CharSequence getValue() {
      return list.value(index);
    }

    @Override
    public CharSequence setValue(CharSequence value) {
      throw new UnsupportedOperationException();
    }
  }
}
