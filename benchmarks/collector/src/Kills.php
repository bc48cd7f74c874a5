<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector;

use Closure;
use Headroom\Load\Executor\LoadGenerator;
use Headroom\Load\Plan;
use Headroom\Process\Signal;

/**
 * kill -9 of a worker, a flusher or the supervisor, each second under load, into a real index.
 */
final readonly class Kills
{
    /* * @param \Closure(string): void $log */
    public function __construct(private Index $index, private int $seconds, private Closure $log) {}

    /** @return array<string, mixed> */
    public function run(): array
    {
        $x = StackX::start(2, flushers: 2, bucket: $this->index->sink());
        $kills = ['worker' => 0, 'flusher' => 0, 'supervisor' => 0];
        $acknowledged = [];

        try {
            $key = $x->key();

            for ($second = 0; $second < $this->seconds; $second++) {
                $killer = $this->killLater($x, array_keys($kills)[$second % 3]);
                $events = new Events($x->url, "kill-{$second}-", $key);
                (new LoadGenerator)->run(Plan::duration(1.0, 20, timeout: 5.0), $events, $events);
                $acknowledged += $events->acknowledged;
                pcntl_waitpid($killer, $status);
                $kills[array_keys($kills)[$second % 3]]++;

                if ($second % 3 === 2) {
                    $x->restart();
                }
            }

            $x->finish();
            $x->deliverAll();
            $ids = $this->index->ids();
        } finally {
            $x->stop();
            $this->index->remove();
        }

        $found = [
            'kills' => $kills,
            'acknowledged' => count($acknowledged),
            'lost' => count(array_diff_key($acknowledged, $ids)),
            'double' => count(array_filter($ids, static fn (int $n): bool => $n > 1)),
        ];
        ($this->log)('  '.json_encode($found));

        return $found;
    }

    /** @return int pid of a fork that kills in the middle of the second */
    private function killLater(StackX $x, string $what): int
    {
        $target = $what === 'supervisor' ? $x->pid() : $x->pids($what)[0];
        $pid = pcntl_fork();

        if ($pid === 0) {
            usleep(random_int(100_000, 900_000));
            posix_kill($target, Signal::Kill->value);
            posix_kill((int) getmypid(), Signal::Kill->value);
        }

        return $pid;
    }
}
