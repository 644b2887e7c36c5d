package parte;

import java.util.HashMap;
import org.apache.flink.api.common.accumulators.ListAccumulator;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;

/** Keeps the matches for the end of the job. (A function of CEP has no accumulators.) */
final class Collected extends RichMapFunction<HashMap<String, Object>, Integer> {
    static final String MATCHES = "matches";

    private static final long serialVersionUID = 1L;

    private transient ListAccumulator<HashMap<String, Object>> matches;

    @Override
    public void open(OpenContext context) {
        matches = new ListAccumulator<>();
        getRuntimeContext().addAccumulator(MATCHES, matches);
    }

    @Override
    public Integer map(HashMap<String, Object> match) {
        matches.add(match);
        return 0;
    }
}
