package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.outrigger.base.LoopConfined;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The default methods of streams. */
final class Http2StreamTest {
  @Test
  void aBlockThatGoesOnlyOnceIsSentAsItWas() {
    var stream = new Sent();
    HeaderList.Builder fields = HeaderList.builder(2);
    fields.add(KnownName.STATUS, "200").add(KnownName.GRPC_STATUS, "0");

    stream.sendHeaders(fields, true);
    fields.clear();
    fields.add(KnownName.STATUS, "500");
    stream.sendHeaders(fields, false);

    assertThat(stream.blocks)
        .extracting(HeaderList::toString)
        .containsExactly(
            Messages.list(":status", "200", "grpc-status", "0").toString(),
            Messages.list(":status", "500").toString());
    assertThat(stream.ends).containsExactly(true, false);
  }

  /** A stream that does not override the default methods. */
  @LoopConfined
  private static final class Sent implements Http2Stream {
    private final List<HeaderList> blocks = new ArrayList<>();
    private final List<Boolean> ends = new ArrayList<>();

    @Override
    public int id() {
      return 1;
    }

    @Override
    public void handler(StreamHandler handler) {}

    @Override
    public void sendHeaders(HeaderList headers, boolean endStream) {
      blocks.add(headers);
      ends.add(endStream);
    }

    @Override
    public void sendData(ByteBuf data, boolean endStream) {
      data.release();
    }

    @Override
    public void dropPending() {}

    @Override
    public PendingData takeUnsent() {
      return new PendingData();
    }

    @Override
    public void reset(Http2Error error) {}

    @Override
    public void consumed(int bytes) {}

    @Override
    public int pendingBytes() {
      return 0;
    }

    @Override
    public boolean isOpenForSending() {
      return true;
    }

    @Override
    public boolean hasSentEnd() {
      return false;
    }
  }
}
