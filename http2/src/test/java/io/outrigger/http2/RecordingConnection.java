package io.outrigger.http2;

import io.outrigger.base.LoopConfined;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Records the events of a connection, and handles every stream with a {@link RecordingStream}. */
@LoopConfined
class RecordingConnection implements ConnectionHandler {
  final List<String> events = new ArrayList<>();

  /** The reason of the connection's end. */
  final List<String> refusals = new ArrayList<>();

  final List<String> endings = new ArrayList<>();

  final List<RecordingStream> streams = new ArrayList<>();

  /** Called with the recorder of each new stream before the stream's head is passed on. */
  Consumer<RecordingStream> onStream = stream -> {};

  RecordingStream stream(int index) {
    return streams.get(index);
  }

  @Override
  public void onReady() {
    events.add("ready");
  }

  @Override
  public StreamHandler onStream(Http2Stream stream) {
    var recorder = new RecordingStream();
    recorder.stream = stream;
    streams.add(recorder);
    onStream.accept(recorder);
    return recorder;
  }

  @Override
  public void onGoAway(int lastStreamId, Http2Error error, String debug) {
    events.add(
        "goaway " + (lastStreamId == Integer.MAX_VALUE ? "max" : lastStreamId) + " " + error);
  }

  @Override
  public void onCapacity() {
    events.add("capacity");
  }

  @Override
  public void onEnding(Http2Error error, String reason) {
    endings.add(reason);
  }

  @Override
  public void onRefused(HeaderList validFields, String reason) {
    refusals.add(reason + " in " + validFields);
  }

  @Override
  public void onClosed(String reason) {
    events.add("closed: " + reason);
  }
}
