<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\WriteBuffer;

use Headroom\Process\TemporaryDirectory;
use RuntimeException;
use Symfony\Component\Process\Process;

/**
 * Eight processes append while another empties their files: events per second, and lost events.
 */
final readonly class Parallel
{
    private const WRITERS = 8;

    public function __construct(private int $eventsPerWriter) {}

    /** @return array{per_second: float, lost: int, double: int, events: int} */
    public function run(string $kind): array
    {
        $directory = TemporaryDirectory::create('parallel');
        $dir = $directory->path;

        try {
            mkdir("{$dir}/naive/active", recursive: true);
            mkdir("{$dir}/naive/processing");
            $drainer = $this->start('drainer.php', $kind, $dir);
            $writers = array_map(
                fn (int $writer): Process
                    => $this->start('writer.php', $kind, $dir, (string) $writer, (string) $this->eventsPerWriter),
                range(1, self::WRITERS),
            );

            $this->await(static fn (): bool => count(glob("{$dir}/ready-*") ?: []) === self::WRITERS);
            touch("{$dir}/go");
            $times = array_map(fn (Process $writer): array => $this->finish($writer), $writers);
            touch("{$dir}/stop");
            $drained = $this->finish($drainer);
        } finally {
            $directory->remove();
        }

        $events = self::WRITERS * $this->eventsPerWriter;
        $seconds = (max(array_column($times, 'ended')) - min(array_column($times, 'began'))) / 1e9;

        return [
            'per_second' => $events / $seconds,
            'lost' => $events - $drained['read'],
            'double' => $drained['double'],
            'events' => $events,
        ];
    }

    private function start(string $script, string ...$arguments): Process
    {
        $process = new Process(
            [PHP_BINARY, '-d', 'opcache.enable_cli=1', dirname(__DIR__)."/{$script}", ...$arguments],
            timeout: 300,
        );
        $process->start();

        return $process;
    }

    /** @return array<string, int> */
    private function finish(Process $process): array
    {
        if ($process->wait() !== 0) {
            throw new RuntimeException($process->getErrorOutput().$process->getOutput());
        }

        return json_decode($process->getOutput(), true, flags: JSON_THROW_ON_ERROR);
    }

    private function await(callable $condition): void
    {
        for ($try = 0; ! $condition(); $try++) {
            if ($try > 5000) {
                throw new RuntimeException('The writers did not start.');
            }

            usleep(2000);
        }
    }
}
