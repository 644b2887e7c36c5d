package parte;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeHint;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.cep.CEP;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.DeserializationFeature;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/** Flink CEP behind lines of JSON: a MiniCluster that is kept, and a job for each stratum of a run. */
public final class FlinkHarness implements Harness.Engine {
    private static final String MEMORY = "64m";
    private static final TypeInformation<HashMap<String, Object>> MATCH =
            TypeInformation.of(new TypeHint<HashMap<String, Object>>() {});

    private MiniCluster cluster;
    private Node rules;

    private FlinkHarness() {}

    public static void main(String[] arguments) throws Exception {
        ObjectMapper mapper = new ObjectMapper().enable(DeserializationFeature.USE_LONG_FOR_INTS);
        Harness.serve(new FlinkHarness(), new Harness.Json() {
            @Override
            public Object read(String line) throws Exception {
                return mapper.readValue(line, Object.class);
            }

            @Override
            public String write(Object value) throws Exception {
                return mapper.writeValueAsString(value);
            }
        });
        System.exit(0); // the cluster's threads would go on
    }

    @Override
    public void load(Node program) {
        Loaded.replace(program);
        rules = program.get("rules");
    }

    /** The matches of the rules of one stratum over the rows that they read. */
    @Override
    public Object run(Node run) throws Exception {
        List<Arrived> rows = new ArrayList<>();
        for (Node row : run.get("rows")) {
            rows.add(new Arrived(
                    row.get("number").intValue(),
                    row.get("template").textValue(),
                    row.get("timestamp").longValue(),
                    row.has("watermark") ? row.get("watermark").longValue() : null,
                    row.get("attributes").members()));
        }
        if (rows.isEmpty()) { // no source of Flink is made of nothing
            return List.of();
        }
        StreamExecutionEnvironment environment = new StreamExecutionEnvironment(new Configuration());
        environment.setParallelism(1);
        TypeInformation<Arrived> type = Types.GENERIC(Arrived.class);
        DataStream<Arrived> events = environment
                .fromData(rows, type)
                .assignTimestampsAndWatermarks(WatermarkStrategy.<Arrived>forGenerator(context -> new AsPromised())
                        .withTimestampAssigner((row, none) -> row.getTimestamp()))
                .filter(row -> !row.getTemplate().isEmpty());
        DataStream<HashMap<String, Object>> matches = null;
        for (Node name : run.get("rules")) {
            Node rule = rules.get(name.textValue());
            for (Node sequence : rule.get("sequences")) {
                DataStream<HashMap<String, Object>> found = CEP.pattern(events, Sequences.pattern(sequence))
                        .inEventTime()
                        .process(new Found(name.textValue(), rule, sequence.get("places")), MATCH);
                matches = matches == null ? found : matches.union(found);
            }
        }
        matches.map(new Collected(), Types.INT).sinkTo(new DiscardingSink<>());
        JobExecutionResult result = cluster().executeJobBlocking(environment.getStreamGraph().getJobGraph());
        return result.getAccumulatorResult(Collected.MATCHES);
    }

    private MiniCluster cluster() throws Exception {
        if (cluster == null) {
            Configuration configuration = new Configuration();
            for (String key : List.of("rest.address", "rest.bind-address")) {
                configuration.setString(key, "localhost");
            }
            for (String key : List.of("rest.port", "rest.bind-port")) {
                configuration.setString(key, "0");
            }
            for (String key : List.of("network.min", "network.max", "managed.size")) {
                configuration.setString("taskmanager.memory." + key, MEMORY);
            }
            cluster = new MiniCluster(new MiniClusterConfiguration.Builder()
                    .setConfiguration(configuration)
                    .setNumTaskManagers(1)
                    .setNumSlotsPerTaskManager(1)
                    .build());
            cluster.start();
        }
        return cluster;
    }

    /** The watermarks that the rows say. */
    private static final class AsPromised implements WatermarkGenerator<Arrived> {
        @Override
        public void onEvent(Arrived row, long timestamp, WatermarkOutput output) {
            if (row.getWatermark() != null) {
                output.emitWatermark(new Watermark(row.getWatermark()));
            }
        }

        @Override
        public void onPeriodicEmit(WatermarkOutput output) {
            // only as promised
        }
    }
}
