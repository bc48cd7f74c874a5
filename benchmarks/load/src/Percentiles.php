<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Load;

use Headroom\Load\Executor\LoadGenerator;
use Headroom\Load\Plan;
use Headroom\Load\Request;
use Headroom\Load\SameRequest;
use Headroom\Load\Stages;
use Headroom\Process\ChildProcess;
use Headroom\Process\ProcessOptions;
use Headroom\Process\Signal;
use Headroom\Process\TemporaryDirectory;
use RuntimeException;

/**
 * Percentiles that `headroom load` reports against the exact ones of the server's delays, for the same requests. The
 * server draws its delays from a seed and stamps each answer with the time that it kept the request.
 */
final readonly class Percentiles
{
    private const PERCENTS = [50.0, 75.0, 90.0, 95.0, 99.0, 99.9];

    public function __construct(private int $seed, private int $perSecond, private int $seconds) {}

    /**
     * @return array<string, array{ made_us: int, taken_us: int, told_us: int, error: float, of_histogram: float,
     *     of_way: float, }> by percentile; error = of_histogram + of_way
     */
    public function measure(): array
    {
        require_once dirname(__DIR__).'/delays.php';
        $directory = TemporaryDirectory::create('bench-delays');
        $answers = new DelayPairs;
        $server = ChildProcess::start(new ProcessOptions(
            'delays',
            [PHP_BINARY, dirname(__DIR__).'/delays.php', $directory->file('port'), (string) $this->seed],
            $directory->file('log'),
            [],
            [Signal::Terminate],
        ));

        try {
            $server->awaitReady(static fn (): bool => is_file($directory->file('port')));
            $url = 'http://127.0.0.1:'.file_get_contents($directory->file('port')).'/';
            $result = (new LoadGenerator)->run(
                Plan::arrivalRate(Stages::constant($this->perSecond, $this->seconds), keepBytes: 20),
                new SameRequest(new Request($url)),
                $answers,
            );
        } finally {
            $server->stop();
            $directory->remove();
        }

        $count = $this->perSecond * $this->seconds;
        $result->succeeded() === $count
            || throw new RuntimeException("{$result->succeeded()} of {$count} requests succeeded.");
        $this->demandDrawn($answers->made);
        [$made, $taken] = [$answers->made, $answers->taken];
        sort($made);
        sort($taken);
        $rows = [];

        foreach (self::PERCENTS as $percent) {
            // As the histogram rounds: the smallest value that this many do not exceed.
            $rank = max(1, (int) ceil(round($percent * $count / 100, 6))) - 1;
            $told = (int) $result->serviceTime()->percentile($percent);
            $rows["p{$percent}"] = [
                'made_us' => $made[$rank],
                'taken_us' => $taken[$rank],
                'told_us' => $told,
                'error' => round($told / $made[$rank] - 1.0, 5),
                'of_histogram' => round($told / $taken[$rank] - 1.0, 5),
                'of_way' => round($taken[$rank] / $made[$rank] - 1.0, 5),
            ];
        }

        return $rows;
    }

    /**
     * Stamps alone would prove nothing: no answer may come before the delay that was drawn for it.
     * @param list<int> $made microseconds
     */
    private function demandDrawn(array $made): void
    {
        $drawn = [];

        foreach (draws($this->seed) as $micros) {
            $drawn[] = $micros;

            if (count($drawn) === count($made)) {
                break;
            }
        }

        sort($drawn);
        sort($made);

        foreach ($drawn as $i => $micros) {
            // Both are rounded down to whole microseconds.
            $made[$i] >= $micros - 1
                || throw new RuntimeException(
                    "The server kept a request for {$made[$i]} microseconds, and {$micros} were drawn.",
                );
        }
    }
}
