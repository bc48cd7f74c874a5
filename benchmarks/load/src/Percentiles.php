<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Load;

use Headroom\Host\Daemon;
use Headroom\Host\Launch;
use Headroom\Host\Signal;
use Headroom\Host\TemporaryDirectory;
use Headroom\Load\Generator;
use Headroom\Load\Plan;
use Headroom\Load\Request;
use Headroom\Load\SameRequest;
use Headroom\Load\Stages;
use RuntimeException;

/**
 * Percentiles as load tells them against those of the delays that a server has drawn, and that it made of them.
 */
final readonly class Percentiles
{
    private const PERCENTS = [50.0, 75.0, 90.0, 95.0, 99.0];

    public function __construct(private int $seed, private int $perSecond, private int $seconds) {}

    /** @return array<string, array{drawn_us: int, made_us: int, measured_us: int, error: float, error_of_made: float}> by percentile */
    public function measure(): array
    {
        require_once dirname(__DIR__).'/delays.php';
        $directory = TemporaryDirectory::create('bench-delays');
        $bodies = new Bodies;
        $server = Daemon::start(new Launch('delays', [PHP_BINARY, dirname(__DIR__).'/delays.php', $directory->file('port'), (string) $this->seed], $directory->file('log'), [], [Signal::Terminate]));

        try {
            $server->awaitReady(static fn (): bool => is_file($directory->file('port')));
            $url = 'http://127.0.0.1:'.file_get_contents($directory->file('port')).'/';
            $result = (new Generator)->run(Plan::rate(Stages::constant($this->perSecond, $this->seconds), keepBytes: 20), new SameRequest(new Request($url)), $bodies);
        } finally {
            $server->stop();
            $directory->remove();
        }

        $count = $this->perSecond * $this->seconds;
        $result->succeeded() === $count || throw new RuntimeException("{$result->succeeded()} of {$count} requests succeeded.");
        $drawn = [];

        foreach (draws($this->seed) as $micros) {
            $drawn[] = $micros;

            if (count($drawn) === $count) {
                break;
            }
        }

        $made = array_map(intval(...), $bodies->bodies);
        sort($drawn);
        sort($made);
        $rows = [];

        foreach (self::PERCENTS as $percent) {
            $rank = (int) ceil($percent * $count / 100) - 1;
            $measured = (int) $result->serviceTime()->percentile($percent);
            $rows["p{$percent}"] = [
                'drawn_us' => $drawn[$rank],
                'made_us' => $made[$rank],
                'measured_us' => $measured,
                'error' => round($measured / $drawn[$rank] - 1.0, 5),
                'error_of_made' => round($measured / $made[$rank] - 1.0, 5),
            ];
        }

        return $rows;
    }
}
