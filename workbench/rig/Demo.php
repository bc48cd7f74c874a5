<?php

declare(strict_types=1);

namespace Workbench\Rig;

use Headroom\Host\Server;
use Headroom\Host\WebStack;
use Headroom\Load\Executor\LoadGenerator;
use Headroom\Load\Metrics\LoadResult;
use Headroom\Load\Plan;
use PDO;

/**
 * What `make demo` shows.
 */
final class Demo
{
    private const WORKERS = 8;

    private const CONNECTIONS = 50;

    private const ROUNDS = 2;

    private const SECONDS = 6.0;

    private const DRAIN_SECONDS = 60;

    /** @var array<string, list<LoadResult>> */
    private array $results = ['sync' => [], 'buffered' => []];

    /** @var array<string, true> ids that were answered with 202 */
    private array $acknowledged = [];

    public function run(): int
    {
        // A local application shows its dashboard without a login, and buttons of the dashboard need a session that
        // lasts.
        $rig = new Rig(['APP_ENV' => 'local', 'SESSION_DRIVER' => 'file']);
        $rig->prepare();
        $server = $rig->serve(self::WORKERS);

        try {
            $this->introduce($server);
            $this->load($rig, $server);
            $this->compare();
            $isComplete = $this->account($rig);
            $this->invite($rig, $server);
        } finally {
            $server->stop();
            $rig->remove();
        }

        return $isComplete ? 0 : 1;
    }

    private function introduce(Server $server): void
    {
        printf(
            "A Laravel application on SQLite, as Laravel ships it, behind %d PHP workers and %d connections.\n",
            self::WORKERS,
            self::CONNECTIONS,
        );
        echo 'POST /events/sync inserts a row; POST /events/buffered hands the same row to Headroom, and spool:work'
            ." delivers it.\n";
        echo $server instanceof WebStack
            ? "Served by nginx and PHP-FPM at {$server->url()}\n\n"
            : "Served by PHP's built-in server at {$server->url()}, which is no benchmark:"
                ." with nginx and PHP-FPM installed the demo uses them.\n\n";
    }

    private function load(Rig $rig, Server $server): void
    {
        $worker = $rig->worker();

        try {
            $this->measure($server, 'sync', 'warm-up-a-', 1.0);
            $this->measure($server, 'buffered', 'warm-up-b-', 1.0);

            for ($round = 1; $round <= self::ROUNDS; $round++) {
                foreach (array_keys($this->results) as $endpoint) {
                    $result = $this->measure($server, $endpoint, "{$endpoint}-{$round}-", self::SECONDS);
                    $this->results[$endpoint][] = $result;
                    printf("  round %d, %-8s  %5.0f requests/s\n", $round, $endpoint, $result->succeededPerSecond());
                }
            }
        } finally {
            $worker->signal(15);
            $worker->wait();
        }
    }

    private function measure(Server $server, string $endpoint, string $prefix, float $seconds): LoadResult
    {
        $posts = new PageViews("{$server->url()}/events/{$endpoint}", $prefix);
        $result = (new LoadGenerator)->run(Plan::duration($seconds, self::CONNECTIONS, timeout: 60.0), $posts, $posts);
        $this->acknowledged += $posts->acknowledged;

        return $result;
    }

    private function compare(): void
    {
        printf("\n  %-26s %12s %12s\n", '', 'synchronous', 'buffered');

        $rows = [
            'requests per second' => static fn (LoadResult $r): float => $r->succeededPerSecond(),
            'median response, ms' => static fn (LoadResult $r): float => (int) $r->latency()->percentile(50.0) / 1000,
            '95 % respond within, ms' => static fn (LoadResult $r): float => (int) $r->latency()->percentile(95.0)
                / 1000,
            'failed requests' => static fn (LoadResult $r): float => (float) ($r->finished() - $r->succeeded()),
        ];

        foreach ($rows as $title => $figure) {
            printf("  %-26s %12s %12s\n", $title, ...array_map(
                static fn (array $results): string => number_format(
                    array_sum(array_map($figure, $results)) / ($title === 'failed requests' ? 1 : count($results)),
                    $title === 'failed requests' ? 0 : 1,
                ),
                array_values($this->results),
            ));
        }
    }

    private function account(Rig $rig): bool
    {
        $status = $this->drained($rig);
        $database = new PDO('sqlite:'.$rig->storage().'/database.sqlite');
        $rows = $database->query('select seq, count(*) from page_views group by seq');
        $copies = $rows === false ? [] : $rows->fetchAll(PDO::FETCH_KEY_PAIR);
        $lost = count(array_diff_key($this->acknowledged, $copies));
        $double = count(array_filter($copies, static fn (mixed $n): bool => (int) $n > 1));

        printf(
            "\n  accepted %d = delivered %d + dead %d + dropped %d + pending %d\n",
            $status['accepted'],
            $status['delivered'],
            $status['dead'],
            $status['dropped'],
            $status['pending'],
        );
        printf(
            '  %d requests were acknowledged, synchronous and buffered: %d of their rows are missing,'
                ." %d are there twice\n",
            count($this->acknowledged),
            $lost,
            $double,
        );

        return $lost === 0 && $double === 0 && $status['pending'] === 0 && $status['accepted'] === $status['delivered'];
    }

    /**
     * Requests that were under way when the load ended are still answered, and each adds an event.
     *
     * @return array<string, mixed> the status of the bucket
     */
    private function drained(Rig $rig): array
    {
        $deadline = hrtime(true) + self::DRAIN_SECONDS * 1_000_000_000;

        do {
            $rig->artisan('spool:flush');
            $status = $rig->status('page-views');
        } while ($status['pending'] !== 0 && hrtime(true) < $deadline);

        return $status;
    }

    private function invite(Rig $rig, Server $server): void
    {
        if (! stream_isatty(STDIN)) {
            echo "\nRun it in a terminal to look at the dashboard afterwards.\n";

            return;
        }

        // The dashboard shows it, and it delivers events that you send yourself.
        $worker = $rig->worker();

        try {
            echo "\nThe dashboard of this run: {$server->url()}/headroom\nPress Enter to stop.\n";
            fgets(STDIN);
        } finally {
            $worker->signal(15);
            $worker->wait();
        }
    }
}
