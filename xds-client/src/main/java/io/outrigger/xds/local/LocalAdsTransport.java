package io.outrigger.xds.local;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RpcStatus;
import io.outrigger.xds.stream.AdsStream;
import io.outrigger.xds.stream.AdsTransport;
import java.util.ArrayList;
import java.util.List;

/**
 * A control plane whose resources come from files. It stands behind the same seam as a real one, so
 * that files meet the same stream, decoders and cache.
 */
@ControlConfined
public final class LocalAdsTransport implements AdsTransport {
  private final ControlLoop loop;
  private final ResourceDirectory directory;
  private final List<LocalAdsStream> streams = new ArrayList<>();
  private boolean closed;

  /**
   * @param directory stays the caller's, who starts and closes it
   */
  public LocalAdsTransport(ControlLoop loop, ResourceDirectory directory) {
    this.loop = loop;
    this.directory = directory;
  }

  @Override
  public AdsStream open(Listener listener) {
    loop.checkInside();
    if (closed) {
      throw new IllegalStateException("a stream on a closed transport");
    }
    var stream = new LocalAdsStream(loop, directory, listener, streams::remove);
    streams.add(stream);
    stream.start();
    return stream;
  }

  @Override
  public void close() {
    loop.checkInside();
    closed = true;
    List.copyOf(streams).forEach(stream -> stream.end(RpcStatus.OK));
  }

  @Override
  public String name() {
    return directory.name();
  }
}
