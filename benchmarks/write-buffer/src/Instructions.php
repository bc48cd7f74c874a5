<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\WriteBuffer;

use Illuminate\Filesystem\Filesystem;
use RuntimeException;
use Symfony\Component\Process\ExecutableFinder;
use Symfony\Component\Process\Process;

/**
 * Instructions in user space for one event, counted by callgrind. Two runs of one process differ only in the number of
 * events, so their difference contains neither PHP's start nor Laravel's.
 */
final readonly class Instructions
{
    private const COUNTED = __DIR__.'/../counted.php';

    private const ARTISAN = __DIR__.'/../../../workbench/artisan';

    /** Multiples of the 500 events of an addMany() and of the bucket's 1,000 events of a batch. */
    private const EVENTS = [2000, 4000];

    private string $valgrind;

    /**
     * @param int<1, max> $rounds
     * @param callable(string): void $log
     */
    public function __construct(private int $rounds, private mixed $log)
    {
        $this->valgrind = (new ExecutableFinder)->find('valgrind')
            ?? throw new RuntimeException('valgrind is not installed. Run as root on Debian: apt-get install valgrind');
    }

    /** @return array<string, array{instructions: float, apart_share: float, rounds: list<float>}> */
    public function run(): array
    {
        $none = $this->perEvent(fn (int $events): int => $this->append('none', $events, true));
        $sides = [
            'append_kept' => fn (): float
                => $this->perEvent(fn (int $events): int => $this->append('one', $events, false)) - $none,
            'append_opened' => fn (): float
                => $this->perEvent(fn (int $events): int => $this->append('one', $events, true)) - $none,
            'append_new_slot' => fn (): float
                => $this->perEvent(fn (int $events): int => $this->append('new', $events, true))
                    - $this->perEvent(fn (int $events): int => $this->append('unlink', $events, true)),
            'encoding' => fn (): float => $this->perEvent(fn (int $events): int => $this->append('many', $events, true))
                - $none,
            'flush_sqlite' => fn (): float => $this->perEvent($this->flush(...)),
        ];

        return array_map(function (string $name) use ($sides): array {
            $rounds = array_map(static fn (): float => round($sides[$name](), 1), range(1, $this->rounds));
            $mean = array_sum($rounds) / count($rounds);
            $figure = [
                'instructions' => round($mean),
                'apart_share' => round((max($rounds) - min($rounds)) / $mean, 5),
                'rounds' => $rounds,
            ];
            ($this->log)(sprintf(
                '  %-16s %8s instructions, rounds %.2f%% apart',
                $name,
                number_format($mean),
                100 * $figure['apart_share'],
            ));

            return $figure;
        }, array_combine(array_keys($sides), array_keys($sides)));
    }

    /** @param callable(int): int $count */
    private function perEvent(callable $count): float
    {
        [$few, $many] = self::EVENTS;

        return ($count($many) - $count($few)) / ($many - $few);
    }

    private function append(string $side, int $events, bool $inConsole): int
    {
        $application = new Application(['DB_CONNECTION' => 'sqlite']);

        try {
            if ($side === 'unlink') {
                mkdir("{$application->storage()}/unlinked");
                array_map(
                    static fn (int $n): bool => touch("{$application->storage()}/unlinked/{$n}"),
                    range(0, $events - 1),
                );
            }

            return $this->count($application, $inConsole, self::COUNTED, $side, (string) $events)[0];
        } finally {
            $application->remove();
        }
    }

    private function flush(int $events): int
    {
        $application = new Application(['DB_CONNECTION' => 'sqlite']);

        try {
            $this->execute($application, false, ...$this->interpreter(), ...[
                self::COUNTED, 'one', (string) ($events - 4),
            ]);
            [
                $instructions, $output,
            ] = $this->count($application, true, self::ARTISAN, 'spool:flush', 'page-views', '--json');
            $bucket = json_decode($output, true, flags: JSON_THROW_ON_ERROR)['buckets'][0] ?? [];

            return ($bucket['delivered'] ?? null) === $events
                ? $instructions
                : throw new RuntimeException("spool:flush should have delivered {$events}: {$output}");
        } finally {
            $application->remove();
        }
    }

    /** @return array{int, string} instructions of the process and of its forks, and its output */
    private function count(Application $application, bool $inConsole, string ...$command): array
    {
        $output = $this->execute(
            $application,
            $inConsole,
            $this->valgrind,
            '-q',
            '--tool=callgrind',
            "--callgrind-out-file={$application->work()}/%p",
            ...$this->interpreter(),
            ...$command,
        );
        $total = 0;

        foreach ((new Filesystem)->files($application->work()) as $file) {
            $total += preg_match('/^(?:totals|summary): (\d+)/m', $file->getContents(), $m) === 1
                ? (int) $m[1]
                : throw new RuntimeException('callgrind wrote no total.');
        }

        return [$total, $output];
    }

    /** @return list<string> without opcache, whose optimizer would count and would change the code */
    private function interpreter(): array
    {
        return [PHP_BINARY, '-d', 'opcache.enable_cli=0'];
    }

    private function execute(Application $application, bool $inConsole, string ...$command): string
    {
        $process = new Process($command, env: [
            'WORKBENCH_STORAGE' => $application->storage(),
            'DB_CONNECTION' => 'sqlite',
            'APP_RUNNING_IN_CONSOLE' => $inConsole ? 'true' : 'false',
        ], timeout: 600);

        return $process->run() === 0
            ? $process->getOutput()
            : throw new RuntimeException(
                implode(' ', $command).": {$process->getErrorOutput()}{$process->getOutput()}",
            );
    }
}
